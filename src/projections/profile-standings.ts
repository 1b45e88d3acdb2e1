// The standings of profiles, current and past. Lists of profiles as of a time use them. They contain no personal data.
// They belong to the read model of users, so that they are at the same position as the profiles.
import type { ApprovalStatus, ProfileType, UserProfile } from '../domain/user/state.js';
import type { IndexOf, Working } from './projection.js';

export interface ProfileStanding {
  readonly profileId: string;
  readonly userId: string;
  readonly type: ProfileType;
  readonly approvalStatus: ApprovalStatus;
  readonly changedSinceApproval: boolean;
  /** When the standing began. Times compare as text. */
  readonly since: string;
  /** When the next standing began; `~` if this standing is the current one. */
  readonly until: string;
}

// Sorts after every time as text.
const END_OF_TIME = '~';

// Every event that changes a standing sets `updatedAt`; after another event, such as an explanation, before and after are
// equal. Two standings that begin at the same time have the same id, and the later one is written last.
const idOf = ({ id, updatedAt }: UserProfile): string => `${id}/${updatedAt}`;

const standing = (profile: UserProfile, until: string): ProfileStanding => {
  const { id, userId, type, approvalStatus, changedSinceApproval, updatedAt } = profile;
  return { profileId: id, userId, type, approvalStatus, changedSinceApproval, since: updatedAt, until };
};

/**
 * Returns the standing that an event ended and the standing that began with it. If both began at the same time, the
 * later one replaces the earlier one.
 */
const standings = (before: Working<UserProfile> | undefined, { document, created }: Working<UserProfile>) =>
  new Map([
    ...(before === undefined
      ? []
      : [[idOf(before.document), { document: standing(before.document, document.updatedAt), created }] as const]),
    [idOf(document), { document: standing(document, END_OF_TIME), created }],
  ]);

export const standingIndexes = (
  index: IndexOf<Pick<ProfileStanding, 'approvalStatus' | 'type' | 'changedSinceApproval'>>,
) => [
  index('equal', 'approvalStatus', ({ approvalStatus }) => approvalStatus),
  index('equal', 'type', ({ type }) => type),
  index('equal', 'changedSinceApproval', ({ changedSinceApproval }) => `${changedSinceApproval}`),
];

export const profileStandings = {
  name: 'profileStandings' as const,
  documents: standings,
  indexes: (index: IndexOf<ProfileStanding>) => [
    index('ordered', 'since', ({ since }) => since),
    index('ordered', 'until', ({ until }) => until),
    ...standingIndexes(index),
  ],
};
