import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { RecordedEvent } from '../../src/infrastructure/facts/facts.js';
import type { Indexes, Views } from '../../src/infrastructure/views/views.js';
import { BatchFolder } from '../../src/projections/batch.js';
import { collection, projection } from '../../src/projections/projection.js';
import { at } from '../infrastructure/views-harness.js';
import { uuidOf } from '../support/specification.js';
import { nothingSkipped, recorded } from './recorded.js';
import { Touchy } from './touchy.js';

const happened = (n: number, name: unknown, of = 1) =>
  recorded(n, { type: 'Happened', data: { name } }, { aggregate: 'touchy', id: uuidOf(of) });

/** A store of nothing but these documents, and what it was asked for. */
const store = (stored: Record<string, string> = {}) => {
  const asked: string[] = [];
  const load: Views['load'] = async (_, collection, ids) => {
    asked.push(...ids.map((id) => `${collection} ${id}`));
    return ids.flatMap((id) => {
      const body = stored[`${collection} ${id}`];
      return body === undefined ? [] : [{ id, body, revision: 7, position: at(7), created: at(3) }];
    });
  };
  return { asked, load };
};

/** A folder of a generation in which nothing is stored but these documents, and what it asked the store for. */
const folding = (stored: Record<string, string> = {}) => {
  const touchy = new Touchy('touchy');
  const { asked, load } = store(stored);
  const folder = new BatchFolder(
    touchy.projection,
    { projection: 'touchy', number: 1 },
    { load } as Views,
    nothingSkipped,
  );
  const fold = (...events: RecordedEvent[]) => folder.fold({ events, position: at(99), atEnd: true });
  return { touchy, asked, folder, fold };
};

describe('a batch', () => {
  it('writes each document once, as its last event leaves it', async () => {
    const { fold } = folding();
    const { writes, position, poison } = await fold(happened(1, 'a'), happened(2, 'b', 2), happened(3, 'c'));
    expect(writes.map(({ collection, id, body }) => [collection, id, body])).toEqual([
      ['touchyCounts', uuidOf(1), '{"count":2}'],
      ['touchyCounts', uuidOf(2), '{"count":1}'],
      ['touchyNames', uuidOf(1), '{"name":"c"}'],
      ['touchyNames', uuidOf(2), '{"name":"b"}'],
    ]);
    expect(writes[0]).toMatchObject({ revision: 2, position: at(3), created: at(1) });
    expect({ position, poison }).toEqual({ position: at(99), poison: undefined });
  });

  it('reads a document of the store once, and what it wrote not again', async () => {
    const { fold, asked } = folding({ [`touchyCounts ${uuidOf(1)}`]: '{"count":7}' });
    await fold(happened(8, 'a'), happened(9, 'b'));
    const { writes } = await fold(happened(10, 'c'));
    expect(writes[0]).toMatchObject({ body: '{"count":10}', created: at(3), position: at(10) });
    expect(asked.toSorted()).toEqual([`touchyCounts ${uuidOf(1)}`, `touchyNames ${uuidOf(1)}`]);
  });

  it('asks the store once for a document that is not there', async () => {
    const { asked, load } = store();
    const events = { Happened: z.object({ name: z.string() }), Marked: z.object({}) };
    const marks = collection<object, typeof events, Indexes>({
      name: 'marks',
      indexes: {},
      idOf: (_, id) => id,
      when: { Happened: (was) => was, Marked: () => ({ marked: true }) },
      index: () => ({}),
    });
    const marked = projection({ name: 'marked', version: 1, aggregates: ['touchy'], folded: [marks] });
    const folder = new BatchFolder(marked, { projection: 'marked', number: 1 }, { load } as Views, nothingSkipped);
    const fold = async (...events: RecordedEvent[]) =>
      (await folder.fold({ events, position: at(99), atEnd: true })).writes;
    const mark = recorded(10, { type: 'Marked', data: {} }, { aggregate: 'touchy', id: uuidOf(1) });
    expect([await fold(happened(8, 'a')), await fold(happened(9, 'b'))]).toEqual([[], []]);
    expect(await fold(mark)).toMatchObject([{ id: uuidOf(1), created: at(10) }]);
    expect(asked).toEqual([`marks ${uuidOf(1)}`]);
  });

  it('asks the store for no document of a stream that begins in it', async () => {
    const { fold, asked } = folding();
    const begun = recorded(
      1,
      { type: 'Happened', data: { name: 'a' } },
      { aggregate: 'touchy', id: uuidOf(1), revision: 0 },
    );
    await fold(begun, happened(2, 'b'), happened(3, 'c', 2));
    expect(asked).toEqual([`touchyCounts ${uuidOf(2)}`, `touchyNames ${uuidOf(2)}`]);
  });

  it('may have several pages, and starts empty after it is closed', async () => {
    const { folder } = folding();
    const page = (...events: RecordedEvent[]) =>
      folder.add({ events, position: events.at(-1)?.position, atEnd: false });
    await page(happened(1, 'a'));
    await page(happened(2, 'b'));
    const first = folder.close();
    expect(first.writes.map(({ body }) => body)).toEqual(['{"count":2}', '{"name":"b"}']);
    expect([first.position, folder.close()]).toEqual([at(2), { writes: [], position: undefined }]);
  });

  it('knows a document of the batch before that is not stored yet, however large it is', async () => {
    const { fold } = folding();
    const name = 'x'.repeat(20_000_000);
    await fold(happened(1, name));
    const { writes } = await fold(happened(2, 'b'));
    expect(writes.map(({ body, created }) => [body, created])).toEqual([
      ['{"count":2}', at(1)],
      ['{"name":"b"}', at(1)],
    ]);
  });

  it('asks the store for nothing where it holds no event', async () => {
    const { fold, asked } = folding();
    expect(await fold()).toEqual({ writes: [], position: at(99), poison: undefined });
    expect(asked).toEqual([]);
  });

  it('writes nothing of what the stored document has already', async () => {
    const { fold } = folding({ [`touchyCounts ${uuidOf(1)}`]: '{"count":7}' });
    const { writes } = await fold(happened(6, 'a'), happened(7, 'b'));
    expect(writes.map(({ collection }) => collection)).toEqual(['touchyNames']);
  });

  it('ends before an event that cannot be folded, of which no collection has anything', async () => {
    const { fold, touchy } = folding();
    touchy.unbearable = 'bad';
    const { writes, position, poison } = await fold(happened(1, 'a'), happened(2, 'bad'), happened(3, 'c'));
    expect(writes.map(({ body }) => body)).toEqual(['{"count":1}', '{"name":"a"}']);
    expect(position).toBe(at(1));
    expect(poison).toMatchObject({ position: at(2) });
  });

  it('has no position where its first event cannot be folded', async () => {
    const { fold, touchy } = folding();
    touchy.unbearable = 'bad';
    const { writes, position, poison } = await fold(happened(1, 'bad'), happened(2, 'a'));
    expect({ writes, position }).toEqual({ writes: [], position: undefined });
    expect(poison?.reason).toContain('Happened');
  });
});
