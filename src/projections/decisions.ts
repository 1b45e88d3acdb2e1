// The decisions on profiles. The read model has no personal data: a reader of the list adds names and reasons.
import type { Evolve } from '../domain/decider.js';
import { decisionTypes, type userEvents } from '../domain/user/events.js';
import type { ApprovalStatus, ProfileEvent, ProfileType } from '../domain/user/state.js';
import type { Position, RecordedEvent } from '../infrastructure/facts/facts.js';
import { aggregateIdOf } from '../infrastructure/stream-name.js';
import { collection, projection, timeline } from './projection.js';

export type DecisionType = (typeof decisionTypes)[number];

/** A decision on a profile, or another reason for one. */
export interface Decision {
  /** The time of the decision. Times compare as text. */
  readonly at: string;
  readonly type: DecisionType;
  /** The id of the actor. */
  readonly decidedBy: string;
  readonly userId: string;
  readonly profileId: string;
  readonly profileType: ProfileType;
  readonly before: ApprovalStatus;
  readonly after: ApprovalStatus;
  readonly revision: number;
  readonly position: Position;
}

/** A profile as far as the next decision depends on it. */
interface DecidedProfile {
  readonly profileId: string;
  readonly type: ProfileType;
  readonly approvalStatus: ApprovalStatus;
}

type Profile = DecidedProfile | undefined;

const became =
  (approvalStatus: ApprovalStatus) =>
  (profile: Profile): Profile =>
    profile && { ...profile, approvalStatus };

const unchanged = (profile: Profile): Profile => profile;

const evolveStatus: Evolve<Profile, Pick<typeof userEvents, ProfileEvent>> = {
  UserProfileAdded: (_, { profileId, type }) => ({ profileId, type, approvalStatus: 'ANALYSING' }),
  UserProfileApproved: became('APPROVED'),
  UserProfileRejected: became('REJECTED'),
  UserProfileDecisionExplained: unchanged,
  UserProfileChangedSinceApproval: unchanged,
  UserProfileReturnedToAnalysis: became('ANALYSING'),
  UserProfileResubmitted: became('ANALYSING'),
  UserProfileErased: unchanged,
};

/** Returns the decision that an event records, by its id; none if the event is no decision. */
const decisionIn = (before: Profile, after: DecidedProfile, event: RecordedEvent): ReadonlyMap<string, Decision> => {
  const type = decisionTypes.find((each) => each === event.type);
  if (type === undefined || before === undefined) return new Map();
  const { revision, position, metadata, stream } = event;
  const decision = {
    at: metadata.at,
    type,
    decidedBy: metadata.actor.id,
    userId: aggregateIdOf(stream),
    profileId: after.profileId,
    profileType: after.type,
    before: before.approvalStatus,
    after: after.approvalStatus,
    revision,
    position,
  };
  return new Map([[event.id, decision]]);
};

const listedDecisions = timeline({
  name: 'decisions',
  indexes: { decidedBy: 'equal', profileType: 'equal', approvalStatus: 'equal', at: 'compared' },
  periods: decisionIn,
  sortsByEvent: true,
  index: ({ decidedBy, profileType, after, at }) => ({ decidedBy, profileType, approvalStatus: after, at }),
});

export const decisions = projection({
  name: 'decisions',
  version: 1,
  aggregates: ['user'],
  folded: [
    collection({
      name: 'decidedProfiles',
      indexes: {},
      idOf: ({ profileId }) => profileId,
      when: evolveStatus,
      index: () => ({}),
      timeline: listedDecisions,
    }),
  ],
});
