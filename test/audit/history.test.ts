// Reads one stream by revision: parts of it, and pages of bounded length and size.
import { beforeAll, describe, expect, it } from 'vitest';
import { historyPage, historyPages, isAfter } from '../../src/audit/history.js';
import type { Facts, NewEvent, StreamRange } from '../../src/infrastructure/facts/facts.js';
import { eventsOf } from '../../src/infrastructure/facts/revisions.js';
import { newEvent, newStream, written } from '../infrastructure/facts/support/harness.js';
import { MemoryFacts } from '../support/memory-facts.js';

const timeOf = (n: number) => new Date(Date.UTC(2026, 0, 5, 8, n)).toISOString();

describe('the history of a stream', () => {
  const facts = new MemoryFacts();
  const [stream, large] = [newStream('protocol'), newStream('protocol')];
  const eventAt = (n: number, data: unknown): NewEvent => {
    const event = newEvent();
    return { ...event, data, metadata: { ...event.metadata, at: timeOf(n) } };
  };

  beforeAll(async () => {
    written(
      await facts.append(
        stream,
        'no-stream',
        Array.from({ length: 6 }, (_, n) => eventAt(n, { n })),
      ),
    );
    for (let n = 0; n < 3; n += 1) {
      written(await facts.append(large, n === 0 ? 'no-stream' : n - 1, [eventAt(n, { text: 'x'.repeat(900_000) })]));
    }
  });

  it.each<[string | undefined, boolean]>([
    [undefined, false],
    [timeOf(2), false],
    [timeOf(1), true],
    ['2026-01-05T09:59:00.000+02:00', true],
    ['-000001-12-31T23:00:00.000Z', true],
    ['+010000-01-01T00:00:00.000Z', false],
  ])('has an event after a time only if it was recorded later: %s', (asOf, expected) =>
    expect(isAfter({ ...eventAt(2, {}), stream, revision: 2, position: '' }, asOf)).toBe(expected),
  );

  it('has pages of at most as many events as asked, and names the revision of the next', async () => {
    const page = await historyPage(facts.readStream(stream, { from: 1 }), 2);
    expect([page.items.map(({ revision }) => revision), page.next]).toEqual([[1, 2], 3]);
    const last = await historyPage(facts.readStream(stream, { from: 4 }), 2);
    expect([last.items.map(({ revision }) => revision), last.next]).toEqual([[4, 5], undefined]);
  });

  it('has smaller pages of large events, and a page of its own for an event that is larger than a page', async () => {
    const { items, next } = await historyPage(facts.readStream(large), 10);
    expect([items.length, next]).toEqual([2, 2]);
    const revision = 0;
    const huge = { revision, text: 'x'.repeat(3_000_000) };
    const page = await historyPage(asyncOf([huge, { revision: 1, text: '' }]), 10);
    expect([page.items.length, page.next]).toEqual([1, 1]);
  });

  it('has every event once in its pages, upwards and downwards', async () => {
    const pagesOf = async (range: StreamRange) => {
      const pages: (readonly number[])[] = [];
      for await (const { items } of historyPages(facts, stream, range, 4)) {
        pages.push(items.map(({ revision }) => revision));
      }
      return pages;
    };
    expect(await pagesOf({})).toEqual([
      [0, 1, 2, 3],
      [4, 5],
    ]);
    expect(await pagesOf({ backwards: true })).toEqual([
      [5, 4, 3, 2],
      [1, 0],
    ]);
  });

  it('reads each page of the store once', async () => {
    const all = Array.from({ length: 600 }, (_, revision) => ({ ...newEvent(), stream, revision, position: '' }));
    const begins: number[] = [];
    const readStream: Facts['readStream'] = (name, range = {}) =>
      eventsOf(name, range, async ({ from = 0, limit }) => {
        begins.push(from);
        const events = all.slice(from, from + limit);
        return { events, complete: events.length < limit };
      });
    const revisions: number[] = [];
    for await (const { items } of historyPages({ readStream }, stream, {}))
      revisions.push(...items.map(({ revision }) => revision));
    expect(revisions).toEqual(all.map(({ revision }) => revision));
    expect(begins).toEqual([0, 255, 510]);
  });
});

async function* asyncOf<T>(items: readonly T[]): AsyncGenerator<T> {
  yield* items;
}
