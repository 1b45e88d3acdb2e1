// The read model of users, and of their profiles for the approval queue.
import { comparableDocument, comparableEmail } from '../domain/contact.js';
import { folded } from '../domain/fields.js';
import { evolveProfile, evolveUserFields } from '../domain/user-state.js';
import { collection, type Projection } from './projection.js';

const idsOf = (items: readonly { readonly id: string }[]) => items.map(({ id }) => id);

export const users: Projection = {
  name: 'users',
  version: 1,
  aggregates: ['user'],
  collections: [
    collection({
      name: 'profiles',
      indexes: { userId: 'equal', approvalStatus: 'equal', type: 'equal' },
      idOf: ({ profileId }) => profileId,
      when: evolveProfile,
      index: ({ userId, approvalStatus, type }) => ({ userId, approvalStatus, type }),
    }),
    collection({
      name: 'users',
      indexes: {
        email: 'equal',
        document: 'equal',
        name: 'prefix',
        institutionId: 'contains',
        unityId: 'contains',
      },
      idOf: (_, userId) => userId,
      when: evolveUserFields,
      index: ({ email, document, firstName, lastName, institutions, unities }) => ({
        email: comparableEmail(email ?? ''),
        document: comparableDocument(document ?? ''),
        name: folded([firstName, lastName].filter((part) => part !== null).join(' ')),
        institutionId: idsOf(institutions),
        unityId: idsOf(unities),
      }),
      followsRevision: true,
    }),
  ],
};
