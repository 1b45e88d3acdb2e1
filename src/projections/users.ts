// The read model of users, and of their profiles for the approval queue.
import { comparableEmail, comparableName } from '../domain/comparable.js';
import { evolveProfile, evolveUserFields } from '../domain/user/state.js';
import { profileStandings } from './profile-standings.js';
import { collection, projection } from './projection.js';
import { unreadableUsersCollection } from './unreadable-users.js';

const idsOf = (items: readonly { readonly id: string }[]) => items.map(({ id }) => id);

export const users = projection({
  name: 'users',
  version: 5,
  aggregates: ['user'],
  folded: [
    collection({
      name: 'profiles',
      indexes: { approvalStatus: 'equal', type: 'equal', changedSinceApproval: 'equal' },
      idOf: ({ profileId }) => profileId,
      when: evolveProfile,
      index: ({ approvalStatus, type, changedSinceApproval }) => ({
        approvalStatus,
        type,
        changedSinceApproval: `${changedSinceApproval}`,
      }),
      timeline: profileStandings,
    }),
    collection({
      name: 'users',
      indexes: {
        email: 'contains',
        name: 'prefix',
        institutionId: 'contains',
        unityId: 'contains',
      },
      idOf: (_, userId) => userId,
      when: evolveUserFields,
      index: ({ email, auth, firstName, lastName, institutions, unities }) => ({
        email: [...new Set([email, ...auth.map((each) => each.email)].map((each) => comparableEmail(each ?? '')))],
        name: comparableName([firstName, lastName].filter((part) => part !== null).join(' ')),
        institutionId: idsOf(institutions),
        unityId: idsOf(unities),
      }),
      followsRevision: true,
    }),
    unreadableUsersCollection,
  ],
});
