// The guarantees that every engine of the facts gives for reads of streams and of the log.
import { beforeAll, describe, expect, it } from 'vitest';
import type { RecordedEvent, StreamRange } from '../../../src/infrastructure/facts/facts.js';
import {
  collect,
  dataOf,
  eventsOf,
  fill,
  type Log,
  newAggregate,
  newEvent,
  newEvents,
  newStream,
  pagesOf,
  written,
} from './support/harness.js';

const EVENTS = 1_200;

/** Declares the tests of reads for `factsSuite`. */
export const logSuite = (log: Log): void => {
  describe('a stream of more than 1,000 events', () => {
    const aggregate = newAggregate();
    const stream = newStream(aggregate);
    const numbers = Array.from({ length: EVENTS }, (_, n) => n);

    beforeAll(async () => {
      for (let from = 0; from < EVENTS; from += 100) {
        written(await log.facts.append(stream, from === 0 ? 'no-stream' : from - 1, newEvents(100, from)));
      }
    });

    it('is read completely and in order', async () => {
      const events = await collect(log.facts.readStream(stream));
      expect(dataOf(events)).toEqual(numbers);
      expect(events.map(({ revision }) => revision)).toEqual(numbers);
      expect(isAscending(events)).toBe(true);
    });

    it('is read from a revision on', async () => {
      expect(dataOf(await collect(log.facts.readStream(stream, { from: 0 })))).toEqual(numbers);
      expect(dataOf(await collect(log.facts.readStream(stream, { from: 1_000 })))).toEqual(numbers.slice(1_000));
      expect(dataOf(await collect(log.facts.readStream(stream, { from: EVENTS - 1 })))).toEqual([EVENTS - 1]);
      expect(await collect(log.facts.readStream(stream, { from: EVENTS }))).toEqual([]);
    });

    it('is read backwards with the same events', async () => {
      const forwards = await collect(log.facts.readStream(stream));
      expect(await collect(log.facts.readStream(stream, { backwards: true }))).toStrictEqual(forwards.reverse());
    });

    it.each<[StreamRange, readonly number[]]>([
      [{ to: 2 }, [0, 1, 2]],
      [{ to: -1 }, []],
      [{ from: 255, to: 258 }, [255, 256, 257, 258]],
      [{ from: 7, to: 7 }, [7]],
      [{ from: 8, to: 7 }, []],
      [{ from: 254, limit: 4 }, [254, 255, 256, 257]],
      [{ from: EVENTS - 2, to: EVENTS, limit: 10_000 }, [EVENTS - 2, EVENTS - 1]],
      [{ backwards: true, limit: 1 }, [EVENTS - 1]],
      [{ backwards: true, from: 2 }, [2, 1, 0]],
      [{ backwards: true, from: 257, to: 255 }, [257, 256, 255]],
      [{ backwards: true, from: 257, limit: 3 }, [257, 256, 255]],
      [{ backwards: true, to: EVENTS - 2 }, [EVENTS - 1, EVENTS - 2]],
      [{ backwards: true, to: EVENTS, limit: 1 }, []],
    ])('has these events in the range %j', async (range, numbers) =>
      expect(dataOf(await collect(log.facts.readStream(stream, range)))).toEqual(numbers),
    );

    it('may be read in part', async () => {
      expect(await readUntil(600, log.facts.readStream(stream))).toBe(601);
      expect(await readUntil(600, log.facts.readStream(stream, { backwards: true }))).toBe(EVENTS - 600);
      expect(await collect(log.facts.readStream(stream, { from: EVENTS - 1 }))).toHaveLength(1);
    });

    it('has the same events in the log, in pages of limited size', async () => {
      const pages = await pagesOf(log.facts, { aggregates: [aggregate], after: undefined }, 100);
      expect(Math.max(...pages.map(({ events }) => events.length))).toBeLessThanOrEqual(100);
      expect(eventsOf(pages)).toStrictEqual(await collect(log.facts.readStream(stream)));
    });

    it('is read from the log after a position, exclusively', async () => {
      const events = await collect(log.facts.readStream(stream));
      const pages = await pagesOf(log.beside, { aggregates: [aggregate], after: events[700]?.position }, 100);
      expect(eventsOf(pages)).toStrictEqual(events.slice(701));
    });
  });

  describe('a stream of large events', () => {
    it('is read completely in both directions', async () => {
      const stream = newStream();
      const large = (n: number) => newEvent({ n, text: 'x'.repeat(300_000) });
      for (let n = 0; n < 6; n += 1) await log.facts.append(stream, n === 0 ? 'no-stream' : n - 1, [large(n)]);
      const forwards = await collect(log.facts.readStream(stream));
      expect(forwards.map(({ revision }) => revision)).toEqual([0, 1, 2, 3, 4, 5]);
      expect(await collect(log.facts.readStream(stream, { backwards: true }))).toStrictEqual(forwards.reverse());
    });
  });

  describe('a stream that does not exist', () => {
    it('has no events', async () => {
      expect(await collect(log.facts.readStream(newStream()))).toEqual([]);
      expect(await collect(log.facts.readStream(newStream(), { from: 5 }))).toEqual([]);
      expect(await collect(log.facts.readStream(newStream(), { backwards: true }))).toEqual([]);
      expect(await collect(log.facts.readStream(newStream(), { from: 5, backwards: true }))).toEqual([]);
    });
  });

  describe('the log', () => {
    it('has the events of concurrently written streams in one order, and keeps the order of each stream', async () => {
      const aggregate = newAggregate();
      const streams = Array.from({ length: 8 }, () => newStream(aggregate));
      await Promise.all(streams.map((stream, n) => fill(n % 2 ? log.facts : log.beside, stream, 11)));

      const events = eventsOf(await pagesOf(log.facts, { aggregates: [aggregate], after: undefined }, 50));
      expect(events).toHaveLength(88);
      expect(isAscending(events)).toBe(true);
      for (const stream of streams) {
        const own = events.filter((event) => event.stream === stream);
        expect(own).toStrictEqual(await collect(log.facts.readStream(stream)));
      }
    });

    it('is filtered by aggregate', async () => {
      const [one, other] = [newAggregate(), newAggregate()];
      const longer = `${one}longer`;
      for (const [n, aggregate] of [one, other, longer, one, other].entries()) {
        await log.facts.append(newStream(aggregate), 'no-stream', [newEvent(n)]);
      }
      const of = async (...aggregates: string[]) =>
        dataOf(eventsOf(await pagesOf(log.facts, { aggregates, after: undefined }, 100)));
      expect(await of(one)).toEqual([0, 3]);
      expect(await of(longer)).toEqual([2]);
      expect(await of(other, one)).toEqual([0, 1, 3, 4]);
      expect(await of(newAggregate())).toEqual([]);
    });

    it('moves its position past foreign events', async () => {
      const aggregate = newAggregate();
      const { position: after } = written(await log.facts.append(newStream(aggregate), 'no-stream', newEvents(1)));
      const foreign = written(await log.facts.append(newStream(), 'no-stream', newEvents(300)));
      const pages = await pagesOf(log.facts, { aggregates: [aggregate], after }, 10);
      expect(eventsOf(pages)).toEqual([]);
      expect((pages.at(-1)?.position ?? '') >= foreign.position).toBe(true);
    });

    it('keeps its position at its end', async () => {
      const aggregate = newAggregate();
      const { position } = written(await log.facts.append(newStream(aggregate), 'no-stream', newEvents(3)));
      const last = (await pagesOf(log.facts, { aggregates: [aggregate], after: position }, 10)).at(-1);
      const range = { aggregates: [aggregate], after: last?.position };
      const [next] = await pagesOf(log.facts, range, 10);
      expect(next?.events).toEqual([]);
      expect((next?.position ?? '') >= position).toBe(true);
    });

    it('is not at its end when a page is full', async () => {
      const aggregate = newAggregate();
      await log.facts.append(newStream(aggregate), 'no-stream', newEvents(5));
      const pages = await pagesOf(log.facts, { aggregates: [aggregate], after: undefined }, 2);
      const full = pages.filter(({ events }) => events.length === 2);
      expect(full).toHaveLength(2);
      expect(full.map(({ atEnd }) => atEnd)).toEqual([false, false]);
      expect(dataOf(eventsOf(pages))).toEqual([0, 1, 2, 3, 4]);
    });
  });

  describe('the log read backwards', () => {
    const newestFirst = async (range: { aggregates: readonly string[]; after?: string | undefined }, limit: number) => {
      const events: RecordedEvent[] = [];
      for (let after = range.after; ; ) {
        const page = await log.facts.readLog({ ...range, after, direction: 'backwards' }, limit);
        expect(page.events.length).toBeLessThanOrEqual(limit);
        events.push(...page.events);
        if (page.atEnd) return events;
        expect(page.position).not.toBe(after);
        after = page.position;
      }
    };

    it('has the same events in reverse order, in pages of limited size', async () => {
      const [one, other] = [newAggregate(), newAggregate()];
      for (const aggregate of [one, other, one, one, other, one]) {
        written(await log.facts.append(newStream(aggregate), 'no-stream', newEvents(3)));
      }
      const forwards = eventsOf(await pagesOf(log.facts, { aggregates: [one], after: undefined }, 100));
      for (const limit of [2, 3, 100]) {
        expect(await newestFirst({ aggregates: [one] }, limit)).toStrictEqual(forwards.toReversed());
      }
      const both = eventsOf(await pagesOf(log.facts, { aggregates: [one, other], after: undefined }, 100));
      expect(await newestFirst({ aggregates: [one, other] }, 5)).toStrictEqual(both.toReversed());
    });

    it('continues before a position, exclusively, whatever was appended since', async () => {
      const aggregate = newAggregate();
      const stream = newStream(aggregate);
      written(await log.facts.append(stream, 'no-stream', newEvents(5)));
      const events = await collect(log.facts.readStream(stream));
      written(await log.beside.append(stream, 4, newEvents(2, 5)));
      const after = events[3]?.position;
      expect(dataOf(await newestFirst({ aggregates: [aggregate], after }, 2))).toEqual([2, 1, 0]);
      expect(await newestFirst({ aggregates: [aggregate], after: events[0]?.position }, 2)).toEqual([]);
    });
  });

  describe('the head', () => {
    it('is the position of the last append, also in other processes', async () => {
      const { position } = written(await log.facts.append(newStream(), 'no-stream', newEvents(2)));
      expect(((await log.facts.head()) ?? '') >= position).toBe(true);
      expect(((await log.beside.head()) ?? '') >= position).toBe(true);
    });
  });
};

const isAscending = (events: readonly RecordedEvent[]): boolean =>
  events.every(({ position }, n) => n === 0 || position > (events[n - 1]?.position ?? ''));

/** Returns how many events were read up to the event with this revision. */
const readUntil = async (wanted: number, events: AsyncIterable<RecordedEvent>): Promise<number> => {
  let read = 0;
  for await (const { revision } of events) {
    read += 1;
    if (revision === wanted) break;
  }
  return read;
};
