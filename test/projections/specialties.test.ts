import { describe, expect, it } from 'vitest';
import { specialtyEvents } from '../../src/domain/specialty.js';
import { specialties } from '../../src/projections/specialties.js';
import { at } from '../infrastructure/views/support/harness.js';
import { AGGREGATE_ID } from '../support/specification.js';
import { instant, log } from './recorded.js';
import { folded } from './replay.js';

const content = { name: 'Cardiología', description: null, enabled: true };
const created = { type: 'SpecialtyCreated', data: content };
const revised = { type: 'SpecialtyRevised', data: { ...content, name: 'ÓPTICA', enabled: false } };
const documentAfter = (...events: Parameters<typeof log>[1][]) =>
  folded(specialties, log('specialty', ...events))
    .get('specialties')
    ?.get(AGGREGATE_ID);
const indexOf = (document: unknown) => specialties.folded[0]?.index(document as never);

describe('the read model of specialties', () => {
  it('handles every event of a specialty', () => {
    const handled = specialties.folded.flatMap(({ when }) => Object.keys(when));
    expect(handled.toSorted()).toEqual(Object.keys(specialtyEvents).toSorted());
    expect(specialties.aggregates).toEqual(['specialty']);
  });

  it('holds a specialty as responses show it, indexed by comparable name and by enabled', () => {
    const found = documentAfter(created);
    expect(found).toMatchObject({ revision: 0, position: at(1), created: at(1) });
    expect(found?.document).toEqual({ id: AGGREGATE_ID, ...content, createdAt: instant(1), updatedAt: instant(1) });
    expect(indexOf(found?.document)).toEqual({ name: 'cardiologia', enabled: 'true' });
  });

  it('revises a specialty', () => {
    const found = documentAfter(created, revised);
    expect(found).toMatchObject({ revision: 1, created: at(1) });
    expect(found?.document).toMatchObject({ name: 'ÓPTICA', createdAt: instant(1), updatedAt: instant(2) });
    expect(indexOf(found?.document)).toEqual({ name: 'optica', enabled: 'false' });
  });
});
