// The list of profiles with the names of their users, now or as of a time.
import pLimit from 'p-limit';
import { z } from 'zod';
import type { Streams } from '../../../commands/streams.js';
import type { Walker } from '../../../commands/walks.js';
import { comparableInstant } from '../../../domain/comparable.js';
import { profileTypes } from '../../../domain/user/events.js';
import { approvalStatuses, profileOf, UserFields, UserProfile, userOf } from '../../../domain/user/state.js';
import { user } from '../../../domain/user/user.js';
import type { Views } from '../../../infrastructure/views/views.js';
import { profileStandings, type StoredProfile } from '../../../projections/profile-standings.js';
import { namesOf, users } from '../../../projections/users.js';
import { paging } from '../../route/paging.js';
import type { List } from '../../route/reading.js';

export const ProfileQuery = z.object({
  approvalStatus: z.enum(approvalStatuses).optional(),
  type: z.enum(profileTypes).optional(),
  changedSinceApproval: z
    .enum(['true', 'false'])
    .optional()
    .describe('Whether the name or document of the user has changed since the approval.'),
  ...paging,
});
type Query = z.output<typeof ProfileQuery>;

const Named = UserFields.pick({ id: true, firstName: true, lastName: true })
  .describe('The user of the profile. The names are null if the person was erased.')
  .meta({ id: 'ListedProfileUser' });
type Named = z.infer<typeof Named>;

export const ListedUserProfile = UserProfile.extend({ user: Named }).meta({ id: 'ListedUserProfile' });

const withName = (
  { isErased: _, ...profile }: StoredProfile,
  { id, firstName, lastName }: Named,
): z.infer<typeof ListedUserProfile> => ({
  ...profile,
  user: { id, firstName, lastName },
});

const whereOf = ({ approvalStatus, type, changedSinceApproval }: Query) => ({
  approvalStatus,
  type,
  changedSinceApproval,
});

/** Returns the current list of profiles from the read model. */
export const profilesNow = (views: Views, query: Query): List<'profiles'> => ({
  projection: users.name,
  collection: 'profiles',
  where: whereOf(query),
  query,
  items: async (profiles) => {
    const ids = profiles.map(({ userId }) => userId);
    const named = await namesOf(views, ids);
    const unnamed = { firstName: null, lastName: null };
    return profiles.map((each) => withName(each, named.get(each.userId) ?? { id: each.userId, ...unnamed }));
  },
});

// A page has at most 200 users, and their streams are short.
const STREAMS_AT_ONCE = 8;

/**
 * Returns the list of profiles as of a time. The standings at that time find the profiles. Each profile is then folded
 * from its user's stream up to that time, so the cost of a page is proportional to the streams of its users.
 */
export const profilesAsOf = (
  streams: Streams,
  query: Query,
  asOf: string,
  walker: Walker,
): List<'profileStandings'> => {
  const instant = comparableInstant(asOf);
  return {
    projection: users.name,
    collection: profileStandings.name,
    where: whereOf(query),
    period: [
      { field: 'since', is: 'atMost', value: instant },
      { field: 'until', is: 'above', value: instant },
    ],
    query,
    items: async (standings) => {
      const limited = pLimit(STREAMS_AT_ONCE);
      const asThen = async (userId: string) =>
        [userId, userOf((await streams.asOf(user, userId, asOf, walker)).state)] as const;
      const userIds = [...new Set(standings.map(({ userId }) => userId))];
      const found = new Map(await Promise.all(userIds.map((userId) => limited(asThen, userId))));
      return standings.flatMap(({ userId, profileId }) => {
        const fields = found.get(userId);
        return fields === undefined ? [] : [withName(profileOf(fields, profileId), fields)];
      });
    },
  };
};
