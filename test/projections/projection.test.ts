import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Indexes } from '../../src/infrastructure/views/views.js';
import { applied, collection, documentIdOf, type ProjectedCollection } from '../../src/projections/projection.js';
import { at } from '../infrastructure/views-harness.js';
import { log, recorded } from './recorded.js';

const events = { Said: z.object({ text: z.string() }) };
const saying = (followsRevision: boolean): ProjectedCollection =>
  collection<{ texts: string }, typeof events, Indexes>({
    name: 'sayings',
    indexes: {},
    idOf: (_, id) => `doc/${id}`,
    when: { Said: (was, { text }, { at }) => ({ texts: `${was?.texts ?? ''}${text}@${at.slice(17, 19)} ` }) },
    index: () => ({}),
    followsRevision,
  });

const said = (text: string) => ({ type: 'Said', data: { text } });
const unheard = { type: 'Unheard', data: {} };

describe('a document', () => {
  const handled = saying(false);
  const followed = saying(true);
  /** The document after a log of these events, each handed to it if it concerns it. */
  const foldOf = (definition: ProjectedCollection, ...happened: Parameters<typeof recorded>[1][]) =>
    log('thing', ...happened)
      .filter((event) => documentIdOf(definition, event, 'one') !== undefined)
      .reduce((was: ReturnType<typeof applied>, event) => applied(definition, was, event, 'one'), undefined);

  it('begins with its first event and remembers where that was', () => {
    expect(foldOf(handled, said('a'))).toEqual({
      document: { texts: 'a@01 ' },
      revision: 0,
      position: at(1),
      created: at(1),
    });
    expect(foldOf(handled, said('a'), said('b'))).toEqual({
      document: { texts: 'a@01 b@02 ' },
      revision: 1,
      position: at(2),
      created: at(1),
    });
  });

  it('is not there before an event that it handles', () => {
    expect(foldOf(handled, unheard)).toBeUndefined();
    expect(foldOf(followed, unheard)).toBeUndefined();
    expect(foldOf(followed, unheard, said('a'))).toMatchObject({ revision: 1, created: at(2) });
  });

  it('stays the very same by an event at or before its position', () => {
    const was = foldOf(handled, said('a'), said('b'));
    for (const n of [1, 2]) expect(applied(handled, was, recorded(n, said('again')), 'one')).toBe(was);
  });

  it('follows the revision of its stream through events that it does not handle, where it says so', () => {
    expect(foldOf(handled, said('a'), unheard)).toMatchObject({
      document: { texts: 'a@01 ' },
      revision: 0,
      position: at(1),
    });
    expect(foldOf(followed, said('a'), unheard)).toMatchObject({
      document: { texts: 'a@01 ' },
      revision: 1,
      position: at(2),
    });
  });

  it('has the id that the collection gives it, for the events that concern it', () => {
    expect(documentIdOf(handled, recorded(1, said('a')), 'one')).toBe('doc/one');
    expect(documentIdOf(handled, recorded(1, unheard), 'one')).toBeUndefined();
    expect(documentIdOf(followed, recorded(1, unheard), 'one')).toBe('doc/one');
  });

  it.each(['toString', 'constructor', '__proto__'])('does not take %s for an event type that it handles', (type) => {
    expect(documentIdOf(handled, recorded(1, { type, data: {} }), 'one')).toBeUndefined();
    expect(applied(followed, undefined, recorded(1, { type, data: {} }), 'one')).toBeUndefined();
  });
});
