// The decisions on profiles. The read model has no personal data: a reader of the list adds names and reasons.
import { derived } from '../domain/decider.js';
import { decisionTypes } from '../domain/user/events.js';
import {
  type ApprovalStatus,
  evolveProfile,
  type ProfileType,
  type UserProfile,
  withoutCredentials,
} from '../domain/user/state.js';
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

type Profile = UserProfile | undefined;

const open = (profile: Profile): Profile => profile && { ...withoutCredentials(profile), specialties: [] };

/** Folds a profile as the domain does. The documents keep its status, but no credentials. */
const evolveDecided = derived(evolveProfile, (fold) => (profile: Profile, data, on) => open(fold(profile, data, on)));

/** Returns the decision that an event records, by its id; none if the event is no decision. */
const decisionIn = (before: Profile, after: UserProfile, event: RecordedEvent): ReadonlyMap<string, Decision> => {
  const type = decisionTypes.find((each) => each === event.type);
  if (type === undefined || before === undefined) return new Map();
  const { revision, position, metadata, stream } = event;
  const decision = {
    at: metadata.at,
    type,
    decidedBy: metadata.actor.id,
    userId: aggregateIdOf(stream),
    profileId: after.id,
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
  version: 2,
  aggregates: ['user'],
  folded: [
    collection({
      name: 'decidedProfiles',
      indexes: {},
      idOf: ({ profileId }) => profileId,
      when: evolveDecided,
      index: () => ({}),
      timeline: listedDecisions,
    }),
  ],
});
