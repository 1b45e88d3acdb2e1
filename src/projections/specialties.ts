// The read model of the catalogue of specialties.
import { comparableName } from '../domain/comparable.js';
import { evolveSpecialtyFields } from '../domain/specialty.js';
import { collection, projection } from './projection.js';

export const specialties = projection({
  name: 'specialties',
  version: 2,
  aggregates: ['specialty'],
  folded: [
    collection({
      name: 'specialties',
      indexes: { name: 'prefix', enabled: 'equal' },
      idOf: (_, specialtyId) => specialtyId,
      when: evolveSpecialtyFields,
      index: ({ name, enabled }) => ({ name: comparableName(name), enabled: String(enabled) }),
      followsRevision: true,
    }),
  ],
});
