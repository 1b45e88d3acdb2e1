// Reads one stream by revision: parts of it, and pages of bounded length and size.
import { beforeAll, describe, expect, it } from 'vitest';
import { historyOf, historyPage, historyPages, type Span } from '../../src/audit/history.js';
import type { NewEvent, RecordedEvent } from '../../src/infrastructure/facts/facts.js';
import { eventsOf } from '../../src/infrastructure/facts/revisions.js';
import { PAGE } from '../../src/infrastructure/pages.js';
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
  const revisionsOf = async (span?: Span) => {
    const revisions: number[] = [];
    for await (const { revision } of historyOf(facts, stream, span)) revisions.push(revision);
    return revisions;
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

  it.each<[Span | undefined, readonly number[]]>([
    [undefined, [0, 1, 2, 3, 4, 5]],
    [{ from: 4 }, [4, 5]],
    [{ from: 1, to: 3 }, [1, 2, 3]],
    [{ to: -1 }, []],
    [{ from: 6 }, []],
    [{ asOf: timeOf(2) }, [0, 1, 2]],
    [{ from: 2, asOf: timeOf(2) }, [2]],
    [{ asOf: '2026-01-05T09:59:00.000+02:00' }, []],
    [{ asOf: '-000001-12-31T23:00:00.000Z' }, []],
    [{ asOf: '+010000-01-01T00:00:00.000Z' }, [0, 1, 2, 3, 4, 5]],
  ])('is read in part: %j', async (span, expected) => expect(await revisionsOf(span)).toEqual(expected));

  it('has pages of at most as many events as asked, and names the revision of the next', async () => {
    const page = await historyPage(historyOf(facts, stream, { from: 1 }), 2);
    expect([page.items.map(({ revision }) => revision), page.next]).toEqual([[1, 2], 3]);
    const last = await historyPage(historyOf(facts, stream, { from: 4 }), 2);
    expect([last.items.map(({ revision }) => revision), last.next]).toEqual([[4, 5], undefined]);
  });

  it('has smaller pages of large events, and a page of its own for an event that is larger than a page', async () => {
    const { items, next } = await historyPage(historyOf(facts, large), 10);
    expect([items.length, next]).toEqual([2, 2]);
    const revision = 0;
    const huge = { revision, text: 'x'.repeat(3_000_000) };
    const page = await historyPage(asyncOf([huge, { revision: 1, text: '' }]), 10);
    expect([page.items.length, page.next]).toEqual([1, 1]);
  });

  it('has every event once in its pages, upwards and downwards', async () => {
    const pagesOf = async (read: (from?: number) => AsyncIterable<RecordedEvent>) => {
      const pages: (readonly number[])[] = [];
      for await (const { items } of historyPages(read, undefined, 4)) pages.push(items.map(({ revision }) => revision));
      return pages;
    };
    expect(await pagesOf((from) => historyOf(facts, stream, { from }))).toEqual([
      [0, 1, 2, 3],
      [4, 5],
    ]);
    expect(await pagesOf((from) => facts.readStreamBackwards(stream, from))).toEqual([
      [5, 4, 3, 2],
      [1, 0],
    ]);
  });

  it('reads each page of the store once', async () => {
    const all = Array.from({ length: 600 }, (_, revision) => ({ ...newEvent(), stream, revision, position: '' }));
    const begins: number[] = [];
    const read = (from = 0) =>
      eventsOf(stream, from, 1, async (begin = 0) => {
        begins.push(begin);
        const events = all.slice(begin, begin + PAGE.items);
        return { events, complete: events.length < PAGE.items };
      });
    const revisions: number[] = [];
    for await (const { items } of historyPages(read, undefined))
      revisions.push(...items.map(({ revision }) => revision));
    expect(revisions).toEqual(all.map(({ revision }) => revision));
    expect(begins).toEqual([0, 255, 510]);
  });
});

async function* asyncOf<T>(items: readonly T[]): AsyncGenerator<T> {
  yield* items;
}
