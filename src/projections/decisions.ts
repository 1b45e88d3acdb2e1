// The decisions on profiles. The read model has no personal data: a reader of the list adds names and reasons.
import { derived } from '../domain/decider.js';
import { type DecisionType, isDecision } from '../domain/user/consequences.js';
import {
  type ApprovalStatus,
  evolveProfile,
  type ProfileType,
  type UserProfile,
  withoutCredentials,
} from '../domain/user/state.js';
import type { Position, RecordedEvent } from '../infrastructure/facts/facts.js';
import { aggregateIdOf } from '../infrastructure/stream-name.js';
import { collection, projection, type Working } from './projection.js';

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
const decisionIn = (
  before: Working<UserProfile> | undefined,
  { document: after }: Working<UserProfile>,
  event: RecordedEvent,
) => {
  const { type, revision, position, metadata, stream } = event;
  if (!isDecision(type) || before === undefined) return new Map<string, never>();
  const document: Decision = {
    at: metadata.at,
    type,
    decidedBy: metadata.actor.id,
    userId: aggregateIdOf(stream),
    profileId: after.id,
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
      when: evolveDecided,
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
