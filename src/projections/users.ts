// The read model of users, of their profiles for the approval queue, and of the decisions on these.
import { comparableEmail, comparableName } from '../domain/comparable.js';
import { evolveUserFields, type UserFields } from '../domain/user/state.js';
import type { Views } from '../infrastructure/views/views.js';
import { profileDecisions } from './decisions.js';
import { evolveStoredProfile, profileStandings, standingIndexes } from './profile-standings.js';
import { collection, derivation, projection, type Working } from './projection.js';
import { unreadableUsersCollection } from './unreadable-users.js';

/** What lists show of the users that they refer to. Whole users may be large. */
export type UserName = Pick<UserFields, 'id' | 'firstName' | 'lastName'> & {
  readonly institutionIds: readonly string[];
};

/** Reads the present names of the users with these ids who exist, by id. */
export type ReadNames = (ids: readonly string[]) => Promise<ReadonlyMap<string, UserName>>;

const idsOf = (items: readonly { readonly id: string }[]) => items.map(({ id }) => id);

export const nameIn = ({ id, firstName, lastName, institutions }: UserFields): UserName => ({
  id,
  firstName,
  lastName,
  institutionIds: idsOf(institutions),
});

/** Returns the present names of the users with these ids who exist, by id. */
export const namesOf = async (
  views: Pick<Views, 'getAll'>,
  ids: readonly string[],
): Promise<ReadonlyMap<string, UserName>> => {
  const found = await views.getAll('userNames', [...new Set(ids)]);
  return new Map(found.map(({ id, body }) => [id, JSON.parse(body) as UserName]));
};

const userNames = derivation({
  name: 'userNames',
  documents: (_, { document, created }: Working<UserFields>) =>
    new Map([[document.id, { document: nameIn(document), created }]]),
  indexes: () => [],
});

export const users = projection({
  name: 'users',
  version: 10,
  aggregates: ['user'],
  root: collection({
    name: 'users',
    idOf: (_, userId) => userId,
    when: evolveUserFields,
    indexes: (index) => [
      index('prefix', 'name', ({ firstName, lastName }) =>
        comparableName([firstName, lastName].filter((part) => part !== null).join(' ')),
      ),
      index('contains', 'email', ({ email, auth }) => [
        ...new Set([email, ...auth.map((each) => each.email)].map((each) => comparableEmail(each ?? ''))),
      ]),
      index('contains', 'institutionId', ({ institutions }) => idsOf(institutions)),
      index('contains', 'unityId', ({ unities }) => idsOf(unities)),
    ],
    derived: [userNames, profileDecisions],
  }),
  parts: [
    collection({
      name: 'profiles',
      idOf: ({ profileId }) => profileId,
      when: evolveStoredProfile,
      indexes: standingIndexes,
      derived: [profileStandings],
    }),
    unreadableUsersCollection,
  ],
});
