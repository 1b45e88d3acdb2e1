import { describe, expect, it } from 'vitest';
import { institutionEvents } from '../../src/domain/institution.js';
import { institutions } from '../../src/projections/institutions.js';
import { at } from '../infrastructure/views/support/harness.js';
import { AGGREGATE_ID, uuidOf } from '../support/specification.js';
import { instant, log } from './recorded.js';
import { folded } from './replay.js';

const content = { name: 'Hospital São Lucas', document: null, email: null, phone: null, address: 'Rua das Flores' };
const created = { type: 'InstitutionCreated', data: content };
const unityAdded = (n: number) => ({
  type: 'UnityAdded',
  data: { unityId: uuidOf(n), name: `Área ${n}`, address: null },
});
const unityRevised = { type: 'UnityRevised', data: { unityId: uuidOf(1), name: 'Renamed', address: 'Ground floor' } };

const documentsAfter = (...events: Parameters<typeof log>[1][]) => folded(institutions, log('institution', ...events));
const indexOf = (name: string, document: unknown) =>
  institutions.folded.find((collection) => collection.name === name)?.index(document as never);

describe('the read model of institutions', () => {
  it('handles every event of an institution', () => {
    const handled = new Set(institutions.folded.flatMap(({ when }) => Object.keys(when)));
    expect(handled).toEqual(new Set(Object.keys(institutionEvents)));
    expect(institutions.aggregates).toEqual(['institution']);
  });

  it('holds an institution as responses show it, indexed by its comparable name', () => {
    const document = documentsAfter(created, unityAdded(1)).get('institutions')?.get(AGGREGATE_ID);
    expect(document).toMatchObject({ revision: 1, position: at(2), created: at(1) });
    expect(document?.document).toEqual({
      id: AGGREGATE_ID,
      ...content,
      createdAt: instant(1),
      updatedAt: instant(2),
      unities: [
        {
          id: uuidOf(1),
          institutionId: AGGREGATE_ID,
          name: 'Área 1',
          address: null,
          createdAt: instant(2),
          updatedAt: instant(2),
        },
      ],
    });
    expect(indexOf('institutions', document?.document)).toEqual({ name: 'hospital sao lucas' });
  });

  it('also holds each unity separately, as the institution shows it', () => {
    const after = documentsAfter(created, unityAdded(1), unityAdded(2), unityRevised);
    const unities = [1, 2].map((n) => after.get('unities')?.get(`${AGGREGATE_ID}/${uuidOf(n)}`));
    expect(unities).toMatchObject([
      { created: at(2), position: at(4), document: { name: 'Renamed', updatedAt: instant(4) } },
      { created: at(3), position: at(3), document: { name: 'Área 2' } },
    ]);
    expect(after.get('institutions')?.get(AGGREGATE_ID)?.document).toMatchObject({
      unities: unities.map((unity) => unity?.document),
    });
    expect(indexOf('unities', unities[1]?.document)).toEqual({ institutionId: AGGREGATE_ID, name: 'area 2' });
  });

  it('revises an institution and keeps its unities', () => {
    const revised = { type: 'InstitutionRevised', data: { ...content, name: 'Renamed', address: null } };
    const after = documentsAfter(created, unityAdded(1), revised);
    expect(after.get('institutions')?.get(AGGREGATE_ID)).toMatchObject({
      revision: 2,
      document: { name: 'Renamed', address: null, createdAt: instant(1), updatedAt: instant(3), unities: [{}] },
    });
    expect(after.get('unities')?.get(`${AGGREGATE_ID}/${uuidOf(1)}`)).toMatchObject({ position: at(2) });
  });
});
