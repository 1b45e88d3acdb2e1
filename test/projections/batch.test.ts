import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { RecordedEvent } from '../../src/infrastructure/facts/facts.js';
import type { Indexes, Views } from '../../src/infrastructure/views/views.js';
import { BatchFolder } from '../../src/projections/batch.js';
import { collection, projection } from '../../src/projections/projection.js';
import { at } from '../infrastructure/views/harness.js';
import { uuidOf } from '../support/specification.js';
import { FragileProjection } from './fragile.js';
import { recorded } from './recorded.js';

const happened = (n: number, name: unknown, of = 1) =>
  recorded(n, { type: 'Happened', data: { name } }, { aggregate: 'fragile', id: uuidOf(of) });

/** Returns a store of only these documents, and a record of what is loaded from it. */
const store = (stored: Record<string, string> = {}) => {
  const loaded: string[] = [];
  const load: Views['load'] = async (_, collection, ids) => {
    loaded.push(...ids.map((id) => `${collection} ${id}`));
    return ids.flatMap((id) => {
      const body = stored[`${collection} ${id}`];
      return body === undefined ? [] : [{ id, body, revision: 7, position: at(7), created: at(3) }];
    });
  };
  return { loaded, load };
};

/** Returns a folder of a generation that stores only these documents, and a record of what the folder loads. */
const folding = (stored: Record<string, string> = {}) => {
  const fragile = new FragileProjection('fragile');
  const { loaded, load } = store(stored);
  const folder = new BatchFolder(fragile.projection, { projection: 'fragile', number: 1 }, { load } as Views);
  const fold = (...events: RecordedEvent[]) => folder.fold({ events, position: at(99), atEnd: true });
  return { fragile, loaded, folder, fold };
};

describe('a batch', () => {
  it('writes each document once, in its state after its last event', async () => {
    const { fold } = folding();
    const { writes, position, poison } = await fold(happened(1, 'a'), happened(2, 'b', 2), happened(3, 'c'));
    expect(writes.map(({ collection, id, body }) => [collection, id, body])).toEqual([
      ['fragileCounts', uuidOf(1), '{"count":2}'],
      ['fragileCounts', uuidOf(2), '{"count":1}'],
      ['fragileNames', uuidOf(1), '{"name":"c"}'],
      ['fragileNames', uuidOf(2), '{"name":"b"}'],
    ]);
    expect(writes[0]).toMatchObject({ revision: 2, position: at(3), created: at(1) });
    expect({ position, poison }).toEqual({ position: at(99), poison: undefined });
  });

  it('loads a document from the store only once, even after writing it', async () => {
    const { fold, loaded } = folding({ [`fragileCounts ${uuidOf(1)}`]: '{"count":7}' });
    await fold(happened(8, 'a'), happened(9, 'b'));
    const { writes } = await fold(happened(10, 'c'));
    expect(writes[0]).toMatchObject({ body: '{"count":10}', created: at(3), position: at(10) });
    expect(loaded.toSorted()).toEqual([`fragileCounts ${uuidOf(1)}`, `fragileNames ${uuidOf(1)}`]);
  });

  it('loads a document that does not exist only once', async () => {
    const { loaded, load } = store();
    const events = { Happened: z.object({ name: z.string() }), Marked: z.object({}) };
    const marks = collection<object, typeof events, Indexes>({
      name: 'marks',
      indexes: {},
      idOf: (_, id) => id,
      when: { Happened: (was) => was, Marked: () => ({ marked: true }) },
      index: () => ({}),
    });
    const marked = projection({ name: 'marked', version: 1, aggregates: ['fragile'], folded: [marks] });
    const folder = new BatchFolder(marked, { projection: 'marked', number: 1 }, { load } as Views);
    const fold = async (...events: RecordedEvent[]) =>
      (await folder.fold({ events, position: at(99), atEnd: true })).writes;
    const mark = recorded(10, { type: 'Marked', data: {} }, { aggregate: 'fragile', id: uuidOf(1) });
    expect([await fold(happened(8, 'a')), await fold(happened(9, 'b'))]).toEqual([[], []]);
    expect(await fold(mark)).toMatchObject([{ id: uuidOf(1), created: at(10) }]);
    expect(loaded).toEqual([`marks ${uuidOf(1)}`]);
  });

  it('loads no document of a stream that begins in the batch', async () => {
    const { fold, loaded } = folding();
    const first = recorded(
      1,
      { type: 'Happened', data: { name: 'a' } },
      { aggregate: 'fragile', id: uuidOf(1), revision: 0 },
    );
    await fold(first, happened(2, 'b'), happened(3, 'c', 2));
    expect(loaded).toEqual([`fragileCounts ${uuidOf(2)}`, `fragileNames ${uuidOf(2)}`]);
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

  it('knows a document of the previous batch that is not stored yet, however large it is', async () => {
    const { fold } = folding();
    const name = 'x'.repeat(20_000_000);
    await fold(happened(1, name));
    const { writes } = await fold(happened(2, 'b'));
    expect(writes.map(({ body, created }) => [body, created])).toEqual([
      ['{"count":2}', at(1)],
      ['{"name":"b"}', at(1)],
    ]);
  });

  it('loads nothing if it has no events', async () => {
    const { fold, loaded } = folding();
    expect(await fold()).toEqual({ writes: [], position: at(99), poison: undefined });
    expect(loaded).toEqual([]);
  });

  it('does not write what the stored document already contains', async () => {
    const { fold } = folding({ [`fragileCounts ${uuidOf(1)}`]: '{"count":7}' });
    const { writes } = await fold(happened(6, 'a'), happened(7, 'b'));
    expect(writes.map(({ collection }) => collection)).toEqual(['fragileNames']);
  });

  it('ends before an event that cannot be folded, which no collection contains', async () => {
    const { fold, fragile } = folding();
    fragile.failsOn = 'bad';
    const { writes, position, poison } = await fold(happened(1, 'a'), happened(2, 'bad'), happened(3, 'c'));
    expect(writes.map(({ body }) => body)).toEqual(['{"count":1}', '{"name":"a"}']);
    expect(position).toBe(at(1));
    expect(poison).toMatchObject({ position: at(2) });
  });

  it('has no position if its first event cannot be folded', async () => {
    const { fold, fragile } = folding();
    fragile.failsOn = 'bad';
    const { writes, position, poison } = await fold(happened(1, 'bad'), happened(2, 'a'));
    expect({ writes, position }).toEqual({ writes: [], position: undefined });
    expect(poison?.reason).toContain('Happened');
  });
});
