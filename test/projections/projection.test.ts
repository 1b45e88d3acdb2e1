import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { allDeciders } from '../../src/domain/all.js';
import { allProjections } from '../../src/projections/all.js';
import {
  applied,
  collection,
  documentIdOf,
  type ProjectedCollection,
  projection,
} from '../../src/projections/projection.js';
import { at } from '../infrastructure/views/support/harness.js';
import { log, recorded } from './support/recorded.js';

const events = { Said: z.object({ text: z.string() }) };
const sayings = collection<{ texts: string }, typeof events>({
  name: 'sayings',
  indexes: () => [],
  idOf: (_, id) => `doc/${id}`,
  when: { Said: (was, { text }, { at }) => ({ texts: `${was?.texts ?? ''}${text}@${at.slice(17, 19)} ` }) },
});

const spoken = (text: string) => ({ type: 'Said', data: { text } });
const unhandled = { type: 'Unhandled', data: {} };

const foldedAggregates = [...new Set(allProjections.flatMap(({ aggregates }) => aggregates))].toSorted();

it('the read models fold all aggregates but the logs of reads and sign-ins', () =>
  expect(foldedAggregates).toEqual(['institution', 'protocol', 'specialty', 'user']));

it.each(foldedAggregates)('a read model of %s handles every event of the aggregate', (of) => {
  const models = allProjections.filter(({ aggregates }) => aggregates.includes(of));
  const handled = models.map(({ folded }) => new Set(folded.flatMap(({ when }) => Object.keys(when))));
  const { events = {} } = allDeciders.find(({ aggregate }) => aggregate === of) ?? {};
  expect(handled).toContainEqual(new Set(Object.keys(events)));
});

describe('a document', () => {
  const handled = sayings;
  const [followed = sayings] = projection({ name: 'sayings', version: 1, aggregates: ['thing'], root: sayings }).folded;
  /** Returns the document after a log of these events. Each event is applied if it concerns the document. */
  const foldOf = (definition: ProjectedCollection, ...happened: Parameters<typeof recorded>[1][]) =>
    log('thing', ...happened)
      .filter((event) => documentIdOf(definition, event, 'one') !== undefined)
      .reduce((was: ReturnType<typeof applied>, event) => applied(definition, was, event, 'one'), undefined);

  it('begins with its first event and keeps the position of that event', () => {
    expect(foldOf(handled, spoken('a'))).toEqual({
      document: { texts: 'a@01 ' },
      revision: 0,
      position: at(1),
      created: at(1),
    });
    expect(foldOf(handled, spoken('a'), spoken('b'))).toEqual({
      document: { texts: 'a@01 b@02 ' },
      revision: 1,
      position: at(2),
      created: at(1),
    });
  });

  it('does not exist before an event that it handles', () => {
    expect(foldOf(handled, unhandled)).toBeUndefined();
    expect(foldOf(followed, unhandled)).toBeUndefined();
    expect(foldOf(followed, unhandled, spoken('a'))).toMatchObject({ revision: 1, created: at(2) });
  });

  it('stays the same object after an event at or before its position', () => {
    const was = foldOf(handled, spoken('a'), spoken('b'));
    for (const n of [1, 2]) expect(applied(handled, was, recorded(n, spoken('again')), 'one')).toBe(was);
  });

  it('follows the revision of its stream through events that it does not handle, if it is the root', () => {
    expect(foldOf(handled, spoken('a'), unhandled)).toMatchObject({
      document: { texts: 'a@01 ' },
      revision: 0,
      position: at(1),
    });
    expect(foldOf(followed, spoken('a'), unhandled)).toMatchObject({
      document: { texts: 'a@01 ' },
      revision: 1,
      position: at(2),
    });
  });

  it('has the id that its collection derives from the events that concern it', () => {
    expect(documentIdOf(handled, recorded(1, spoken('a')), 'one')).toBe('doc/one');
    expect(documentIdOf(handled, recorded(1, unhandled), 'one')).toBeUndefined();
    expect(documentIdOf(followed, recorded(1, unhandled), 'one')).toBe('doc/one');
  });

  it.each(['toString', 'constructor', '__proto__'])('does not treat %s as an event type that it handles', (type) => {
    expect(documentIdOf(handled, recorded(1, { type, data: {} }), 'one')).toBeUndefined();
    expect(applied(followed, undefined, recorded(1, { type, data: {} }), 'one')).toBeUndefined();
  });
});
