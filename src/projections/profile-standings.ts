// The standings of profiles, current and past. Lists of profiles as of a time use them. They contain no personal data.
// They belong to the read model of users, so that they are at the same position as the profiles.
import type { Evolve } from '../domain/decider.js';
import { present } from '../domain/fields.js';
import type { ProfileEvent } from '../domain/user/consequences.js';
import type { userEvents } from '../domain/user/events.js';
import { type ApprovalStatus, evolveProfile, type ProfileType, type UserProfile } from '../domain/user/state.js';
import { derivation, type IndexOf, type Working } from './projection.js';

/** Present if the user was erased. Nobody can decide on the profile, so it is not in the approval queue. */
interface Erasure {
  readonly isErased?: true;
}

/** A profile in the read model. */
export type StoredProfile = UserProfile & Erasure;

export const evolveStoredProfile: Evolve<StoredProfile | undefined, Pick<typeof userEvents, ProfileEvent>> = {
  ...evolveProfile,
  UserProfileErased: (profile, data, on) => {
    const erased = evolveProfile.UserProfileErased(profile, data, on);
    return erased && { ...erased, isErased: true };
  },
};

export interface ProfileStanding extends Erasure {
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

const standing = (profile: StoredProfile, until: string): ProfileStanding => {
  const { id, userId, type, approvalStatus, changedSinceApproval, updatedAt, isErased } = profile;
  const erasure = present({ isErased });
  return { profileId: id, userId, type, approvalStatus, changedSinceApproval, since: updatedAt, until, ...erasure };
};

/**
 * Returns the standing that an event ended and the standing that began with it. If both began at the same time, the
 * later one replaces the earlier one.
 */
const standings = (before: Working<StoredProfile> | undefined, { document, created }: Working<StoredProfile>) =>
  new Map([
    ...(before === undefined
      ? []
      : [[idOf(before.document), { document: standing(before.document, document.updatedAt), created }] as const]),
    [idOf(document), { document: standing(document, END_OF_TIME), created }],
  ]);

export const standingIndexes = (
  index: IndexOf<Pick<ProfileStanding, 'approvalStatus' | 'type' | 'changedSinceApproval' | 'isErased'>>,
) => [
  index('equal', 'approvalStatus', ({ approvalStatus, isErased }) =>
    isErased && approvalStatus === 'ANALYSING' ? 'ERASED' : approvalStatus,
  ),
  index('equal', 'type', ({ type }) => type),
  index('equal', 'changedSinceApproval', ({ changedSinceApproval, isErased }) =>
    isErased && changedSinceApproval ? 'ERASED' : `${changedSinceApproval}`,
  ),
];

export const profileStandings = derivation({
  name: 'profileStandings',
  documents: standings,
  indexes: (index) => [
    index('ordered', 'since', ({ since }) => since),
    index('ordered', 'until', ({ until }) => until),
    ...standingIndexes(index),
  ],
});
