// The read model of the catalogue of specialties.
import { comparableName } from '../domain/comparable.js';
import { evolveSpecialtyFields } from '../domain/specialty.js';
import { collection, type Projection } from './projection.js';

export const specialties: Projection = {
  name: 'specialties',
  version: 1,
  aggregates: ['specialty'],
  collections: [
    collection({
      name: 'specialties',
      indexes: { name: 'prefix', enabled: 'equal' },
      idOf: (_, specialtyId) => specialtyId,
      when: evolveSpecialtyFields,
      index: ({ name, enabled }) => ({ name: comparableName(name), enabled: String(enabled) }),
      followsRevision: true,
    }),
  ],
};
