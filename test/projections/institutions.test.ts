import { describe, expect, it } from 'vitest';
import { institutions } from '../../src/projections/institutions.js';
import { at } from '../infrastructure/views/support/harness.js';
import { AGGREGATE_ID, uuidOf } from '../support/specification.js';
import { documentsOf } from './support/documents.js';
import { instant } from './support/recorded.js';

const content = { name: 'Hospital São Lucas', document: null, email: null, phone: null, address: 'Rua das Flores' };
const created = { type: 'InstitutionCreated', data: content };
const unityAdded = (n: number) => ({
  type: 'UnityAdded',
  data: { unityId: uuidOf(n), name: `Área ${n}`, address: null },
});
const unityRevised = { type: 'UnityRevised', data: { unityId: uuidOf(1), name: 'Renamed', address: 'Ground floor' } };
const revised = { type: 'InstitutionRevised', data: { ...content, name: 'Renamed', address: null } };
const documentsAfter = documentsOf(institutions);
const idOfUnity = (n: number) => `${AGGREGATE_ID}/${uuidOf(n)}`;

describe('the read model of institutions', () => {
  it('holds an institution as responses show it, indexed by its comparable name', () => {
    const dates = { createdAt: instant(2), updatedAt: instant(2) };
    const unity = { id: uuidOf(1), institutionId: AGGREGATE_ID, name: 'Área 1', address: null, ...dates };
    expect(documentsAfter(created, unityAdded(1))('institutions', AGGREGATE_ID)).toEqual({
      document: { id: AGGREGATE_ID, ...content, createdAt: instant(1), updatedAt: instant(2), unities: [unity] },
      index: { name: 'hospital sao lucas' },
      ...{ revision: 1, position: at(2), created: at(1) },
    });
  });

  it('also holds each unity separately, as the institution shows it', () => {
    const find = documentsAfter(created, unityAdded(1), unityAdded(2), unityRevised);
    const unities = [1, 2].map((n) => find('unities', idOfUnity(n)));
    expect(unities).toMatchObject([
      { created: at(2), position: at(4), document: { name: 'Renamed', updatedAt: instant(4) } },
      { created: at(3), document: { name: 'Área 2' }, index: { institutionId: AGGREGATE_ID, name: 'area 2' } },
    ]);
    expect(find('institutions', AGGREGATE_ID)?.document).toMatchObject({
      unities: unities.map((unity) => unity?.document),
    });
  });

  it('holds the present names of the institution and of each unity, as a User shows them', () => {
    const find = documentsAfter(created, unityAdded(1), unityAdded(2), unityRevised, revised);
    const names = [AGGREGATE_ID, uuidOf(1), uuidOf(2)].map((id) => find('attachmentNames', id)?.document);
    expect(names).toEqual([
      { id: AGGREGATE_ID, name: 'Renamed' },
      { id: uuidOf(1), name: 'Renamed' },
      { id: uuidOf(2), name: 'Área 2' },
    ]);
  });

  it('revises an institution and keeps its unities', () => {
    const find = documentsAfter(created, unityAdded(1), revised);
    expect(find('institutions', AGGREGATE_ID)).toMatchObject({
      revision: 2,
      document: { ...revised.data, createdAt: instant(1), updatedAt: instant(3), unities: [{}] },
    });
    expect(find('unities', idOfUnity(1))).toMatchObject({ position: at(2) });
  });
});
