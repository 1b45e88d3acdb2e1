// The read model of the catalogue of specialties.
import { comparableName } from '../domain/comparable.js';
import { evolveSpecialtyFields } from '../domain/specialty.js';
import { collection, projection } from './projection.js';

export const specialties = projection({
  name: 'specialties',
  version: 3,
  aggregates: ['specialty'],
  root: collection({
    name: 'specialties',
    idOf: (_, specialtyId) => specialtyId,
    when: evolveSpecialtyFields,
    indexes: (index) => [
      index('prefix', 'name', ({ name }) => comparableName(name)),
      index('equal', 'enabled', ({ enabled }) => String(enabled)),
    ],
  }),
});
