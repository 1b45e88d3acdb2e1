import { expect, it } from 'vitest';
import { specialties } from '../../src/projections/specialties.js';
import { at } from '../infrastructure/views/support/harness.js';
import { AGGREGATE_ID } from '../support/specification.js';
import { documentsOf } from './support/documents.js';
import { instant } from './support/recorded.js';

const content = { name: 'Cardiología', description: null, enabled: true };
const created = { type: 'SpecialtyCreated', data: content };
const revised = { type: 'SpecialtyRevised', data: { ...content, name: 'ÓPTICA', enabled: false } };
const documentAfter = (...events: Parameters<ReturnType<typeof documentsOf>>) =>
  documentsOf(specialties)(...events)('specialties', AGGREGATE_ID);

it('the read model of specialties holds a specialty as responses show it, indexed by comparable name and enabled', () => {
  expect(documentAfter(created)).toEqual({
    document: { id: AGGREGATE_ID, ...content, createdAt: instant(1), updatedAt: instant(1) },
    index: { name: 'cardiologia', enabled: 'true' },
    ...{ revision: 0, position: at(1), created: at(1) },
  });
  expect(documentAfter(created, revised)).toEqual({
    document: { id: AGGREGATE_ID, ...revised.data, createdAt: instant(1), updatedAt: instant(2) },
    index: { name: 'optica', enabled: 'false' },
    ...{ revision: 1, position: at(2), created: at(1) },
  });
});
