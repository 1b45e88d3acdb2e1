// The decisions on profiles. The read model has no personal data: a reader of the list adds names and reasons.
import type { Evolve } from '../domain/decider.js';
import { decisionTypes, type userEvents } from '../domain/user/events.js';
import type { ApprovalStatus, ProfileEvent, ProfileType } from '../domain/user/state.js';
import type { Position, RecordedEvent } from '../infrastructure/facts/facts.js';
import { aggregateIdOf } from '../infrastructure/stream-name.js';
import { collection, projection, type Working } from './projection.js';

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
const decisionIn = (
  before: Working<DecidedProfile> | undefined,
  { document: after }: Working<DecidedProfile>,
  event: RecordedEvent,
) => {
  const type = decisionTypes.find((each) => each === event.type);
  if (type === undefined || before === undefined) return new Map<string, never>();
  const { revision, position, metadata, stream } = event;
  const document: Decision = {
    at: metadata.at,
    type,
    decidedBy: metadata.actor.id,
    userId: aggregateIdOf(stream),
    profileId: after.profileId,
    profileType: after.type,
    before: before.document.approvalStatus,
    after: after.approvalStatus,
    revision,
    position,
  };
  return new Map([[event.id, { document, created: position }]]);
};

export const decisions = projection({
  name: 'decisions',
  version: 2,
  aggregates: ['user'],
  parts: [
    collection({
      name: 'decidedProfiles',
      idOf: ({ profileId }) => profileId,
      when: evolveStatus,
      indexes: () => [],
      derived: {
        name: 'decisions',
        documents: decisionIn,
        indexes: (index) => [
          index('ordered', 'at', ({ at }) => at),
          index('equal', 'decidedBy', ({ decidedBy }) => decidedBy),
          index('equal', 'profileType', ({ profileType }) => profileType),
          index('equal', 'approvalStatus', ({ after }) => after),
        ],
      },
    }),
  ],
});
