// The decisions on profiles. They have no personal data: a reader of the list adds names and reasons.
import { type DecisionType, isDecision } from '../domain/user/consequences.js';
import type { ApprovalStatus, ProfileType, UserFields } from '../domain/user/state.js';
import type { Position } from '../infrastructure/facts/facts.js';
import { derivation, type Working } from './projection.js';

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

export const profileDecisions = derivation({
  name: 'profileDecisions',
  documents: (before: Working<UserFields> | undefined, { document: of }: Working<UserFields>, event) => {
    const { profileId } = event.data as { readonly profileId?: string };
    const [was, profile] = [before?.document, of].map((user) => user?.profiles.find(({ id }) => id === profileId));
    const { type, metadata, revision, position } = event;
    if (!isDecision(type) || was === undefined || profile === undefined) return new Map<string, never>();
    const decided = { at: metadata.at, type, decidedBy: metadata.actor.id, userId: of.id, profileId: profile.id };
    const statuses = { before: was.approvalStatus, after: profile.approvalStatus };
    const document: Decision = { ...decided, profileType: profile.type, ...statuses, revision, position };
    return new Map([[event.id, { document, created: position }]]);
  },
  indexes: (index) => [
    index('ordered', 'at', ({ at }) => at),
    index('equal', 'decidedBy', ({ decidedBy }) => decidedBy),
    index('equal', 'profileType', ({ profileType }) => profileType),
    index('equal', 'approvalStatus', ({ after }) => after),
  ],
});
