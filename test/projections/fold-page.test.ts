import { describe, expect, it } from 'vitest';
import type { RecordedEvent } from '../../src/infrastructure/facts/facts.js';
import type { Views } from '../../src/infrastructure/views/views.js';
import { COMMIT_BYTES, foldPage } from '../../src/projections/fold-page.js';
import { protocols } from '../../src/projections/protocols.js';
import { created } from '../domain/support/protocol-samples.js';
import { at } from '../infrastructure/views/support/harness.js';
import { uuidOf } from '../support/specification.js';
import { FragileProjection } from './support/fragile.js';
import { recorded } from './support/recorded.js';

const happened = (n: number, name: unknown, of = 1) =>
  recorded(n, { type: 'Happened', data: { name } }, { aggregate: 'fragile', id: uuidOf(of) });

/** Returns a function that folds a page into a store of only these documents, and a record of what it loads. */
const folding = (stored: Record<string, string> = {}) => {
  const fragile = new FragileProjection('fragile');
  const loaded: string[] = [];
  const loads: number[] = [];
  const load: Views['load'] = async (_, collection, ids) => {
    loads.push(ids.length);
    loaded.push(...ids.map((id) => `${collection} ${id}`));
    return ids.flatMap((id) => {
      const body = stored[`${collection} ${id}`];
      return body === undefined ? [] : [{ id, body, revision: 7, position: at(7), created: at(3) }];
    });
  };
  const fold = (...events: RecordedEvent[]) =>
    foldPage({ load }, { projection: 'fragile', number: 1 }, fragile.projection, {
      events,
      position: at(99),
      atEnd: true,
    });
  return { fragile, loaded, loads, fold };
};

describe('a folded page', () => {
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

  it('reads each document once, and folds the events of the page into it', async () => {
    const { fold, loaded } = folding({ [`fragileCounts ${uuidOf(1)}`]: '{"count":7}' });
    const { writes } = await fold(happened(8, 'a'), happened(9, 'b'));
    expect(writes[0]).toMatchObject({ body: '{"count":9}', created: at(3), position: at(9) });
    expect(loaded.toSorted()).toEqual([`fragileCounts ${uuidOf(1)}`, `fragileNames ${uuidOf(1)}`]);
  });

  it('reads at most 32 documents at once', async () => {
    const { fold, loaded, loads } = folding();
    const numbers = Array.from({ length: 200 }, (_, n) => n + 1);
    await fold(...numbers.map((n) => happened(n, 'a', n)));
    expect(new Set(loaded).size).toBe(2 * numbers.length);
    expect([Math.max(...loads), loads.length]).toEqual([32, 14]);
  });

  it('lets other work of the process run while many events are folded', async () => {
    const { fold, fragile } = folding();
    fragile.takesMs = 1;
    let isFolding = true;
    let turns = 0;
    const countTurns = () => {
      turns += 1;
      if (isFolding) setImmediate(countTurns);
    };
    setImmediate(countTurns);
    await fold(...Array.from({ length: 50 }, (_, n) => happened(n + 1, 'a')));
    isFolding = false;
    expect(turns).toBeGreaterThan(1);
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

  it('ends when it has read the size of a commit, and leaves the rest of the page', async () => {
    const numbers = Array.from({ length: 40 }, (_, n) => n + 1);
    const large = JSON.stringify({ count: 7, text: 'x'.repeat(COMMIT_BYTES / 32) });
    const { fold } = folding(Object.fromEntries(numbers.map((n) => [`fragileCounts ${uuidOf(n)}`, large])));
    const { writes, position, rest } = await fold(...numbers.map((n) => happened(n + 10, 'a', n)));
    expect([writes.length, position, rest?.events.length, rest?.position]).toEqual([64, at(42), 8, at(99)]);
  });

  it('ends before an event that cannot be folded, which no collection contains', async () => {
    const { fold, fragile } = folding();
    fragile.failsOn = 'bad';
    const { writes, position, poison } = await fold(happened(1, 'a'), happened(2, 'bad'), happened(3, 'c'));
    expect(writes.map(({ body }) => body)).toEqual(['{"count":1}', '{"name":"a"}']);
    expect(position).toBe(at(1));
    expect(poison).toMatchObject({ position: at(2) });
  });

  it('ends before an event whose document cannot be named', async () => {
    const { load } = { load: async () => [] };
    const question = recorded(2, { type: 'ProtocolQuestionAdded', data: null });
    const events = [recorded(1, created), question];
    const page = { events, position: at(2), atEnd: true };
    const { writes, position, poison } = await foldPage(
      { load },
      { projection: 'protocols', number: 1 },
      protocols,
      page,
    );
    const written = writes.map(({ collection }) => collection);
    expect([written, position, poison?.position]).toEqual([['protocolNames', 'protocols'], at(1), at(2)]);
  });

  it('has no position if its first event cannot be folded', async () => {
    const { fold, fragile } = folding();
    fragile.failsOn = 'bad';
    const { writes, position, poison } = await fold(happened(1, 'bad'), happened(2, 'a'));
    expect({ writes, position }).toEqual({ writes: [], position: undefined });
    expect(poison?.reason).toContain('Happened');
  });
});
