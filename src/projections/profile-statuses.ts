// The statuses that profiles have had, and when. Lists of profiles as of a time use them. They contain no personal
// data. The collection belongs to the read model of users, so that it is at the same position as the profiles.
import type { EventContext, Evolve } from '../domain/decider.js';
import type { userEvents } from '../domain/user/events.js';
import type { ApprovalStatus, ProfileType } from '../domain/user/state.js';
import type { Period } from '../infrastructure/views/views.js';
import { collection } from './projection.js';

/** The status of a profile from one time until the next. */
interface Standing {
  readonly since: string;
  readonly approvalStatus: ApprovalStatus;
  readonly changedSinceApproval: boolean;
}

/** The standings of a profile, from the first to the current one. */
export interface ProfileStatuses {
  readonly profileId: string;
  readonly userId: string;
  readonly type: ProfileType;
  readonly standings: readonly Standing[];
}

type Document = ProfileStatuses | undefined;
type StandingEvent =
  | 'UserProfileAdded'
  | 'UserProfileApproved'
  | 'UserProfileRejected'
  | 'UserProfileChangedSinceApproval'
  | 'UserProfileReturnedToAnalysis'
  | 'UserProfileResubmitted';

/** Adds a standing. If several events have the same time, the last of them counts from then on. */
const standing = (document: Document, standing: Standing): Document =>
  document && {
    ...document,
    standings: [...document.standings.filter(({ since }) => since !== standing.since), standing],
  };

const decided =
  (approvalStatus: ApprovalStatus) =>
  (document: Document, _: unknown, { at }: EventContext): Document =>
    standing(document, { since: at, approvalStatus, changedSinceApproval: false });

const evolveStatuses: Evolve<Document, Pick<typeof userEvents, StandingEvent>> = {
  UserProfileAdded: (_, { profileId, type }, { id, at }) => ({
    profileId,
    userId: id,
    type,
    standings: [{ since: at, approvalStatus: 'ANALYSING', changedSinceApproval: false }],
  }),
  UserProfileApproved: decided('APPROVED'),
  UserProfileRejected: decided('REJECTED'),
  UserProfileChangedSinceApproval: (document, { isReviewed }, { at }) => {
    const last = document?.standings.at(-1);
    return last === undefined || isReviewed
      ? document
      : standing(document, { ...last, since: at, changedSinceApproval: true });
  },
  UserProfileReturnedToAnalysis: decided('ANALYSING'),
  UserProfileResubmitted: decided('ANALYSING'),
};

// Sorts after every time as text.
const FOR_EVER = '~';

const periodsOf = (standings: readonly Standing[], value: (standing: Standing) => string): readonly Period[] =>
  standings.map((each, index) => ({
    value: value(each),
    since: each.since,
    until: standings[index + 1]?.since ?? FOR_EVER,
  }));

export const profileStatusesCollection = collection({
  name: 'profileStatuses',
  indexes: { approvalStatus: 'periods', changedSinceApproval: 'periods', type: 'equal' },
  idOf: ({ profileId }) => profileId,
  when: evolveStatuses,
  index: ({ standings, type }) => ({
    approvalStatus: periodsOf(standings, ({ approvalStatus }) => approvalStatus),
    changedSinceApproval: periodsOf(standings, ({ changedSinceApproval }) => `${changedSinceApproval}`),
    type,
  }),
});
