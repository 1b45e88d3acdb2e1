// The read model of institutions, and of their unities for the list of an institution's unities.
import { comparableName } from '../domain/comparable.js';
import { evolveInstitutionFields, evolveUnity } from '../domain/institution.js';
import { collection, projection } from './projection.js';

export const institutions = projection({
  name: 'institutions',
  version: 2,
  aggregates: ['institution'],
  folded: [
    collection({
      name: 'unities',
      within: 'institutionId',
      indexes: { institutionId: 'equal', name: 'prefix' },
      idOf: ({ unityId }, institutionId) => `${institutionId}/${unityId}`,
      when: evolveUnity,
      index: ({ institutionId, name }) => ({ institutionId, name: comparableName(name) }),
    }),
    collection({
      name: 'institutions',
      indexes: { name: 'prefix' },
      idOf: (_, institutionId) => institutionId,
      when: evolveInstitutionFields,
      index: ({ name }) => ({ name: comparableName(name) }),
      followsRevision: true,
    }),
  ],
});
