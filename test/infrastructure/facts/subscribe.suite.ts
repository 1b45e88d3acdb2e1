// The guarantees that every engine of the facts gives for subscriptions.
import { describe, expect, it } from 'vitest';
import { eventually } from '../../support/eventually.js';
import {
  collect,
  dataOf,
  eventsOf,
  fill,
  type Log,
  newAggregate,
  newEvents,
  newStream,
  Subscriber,
  written,
} from './support/harness.js';

const upTo = (count: number) => Array.from({ length: count }, (_, n) => n);

/** Declares the tests of subscriptions for `factsSuite`. */
export const subscribeSuite = (log: Log): void => {
  describe('subscribe', () => {
    it('delivers the existing events, and then each new event', async () => {
      const aggregate = newAggregate();
      const stream = newStream(aggregate);
      await log.facts.append(stream, 'no-stream', newEvents(700));
      const subscriber = new Subscriber(log.facts, { aggregates: [aggregate], after: undefined });
      await eventually(() => expect(subscriber.events).toHaveLength(700));
      await log.facts.append(stream, 699, newEvents(1, 700));
      await eventually(() => expect(subscriber.events).toHaveLength(701));
      await log.beside.append(stream, 700, newEvents(2, 701));
      await eventually(() => expect(subscriber.events).toHaveLength(703));
      await subscriber.end();
      expect(subscriber.events).toStrictEqual(await collect(log.facts.readStream(stream)));
    });

    it('delivers a first page immediately, even if there are no events', async () => {
      const aggregates = [newAggregate()];
      for (const after of [undefined, await log.facts.head()]) {
        const subscriber = new Subscriber(log.facts, { aggregates, after });
        await eventually(() => expect(subscriber.pages.length).toBeGreaterThan(0));
        await subscriber.end();
        expect(subscriber.events).toEqual([]);
      }
    });

    it('delivers only the events of its aggregates, and the position of foreign events', async () => {
      const [one, other] = [newAggregate(), newAggregate()];
      const after = await log.facts.head();
      const subscriber = new Subscriber(log.facts, { aggregates: [one, other], after });
      await log.facts.append(newStream(one), 'no-stream', newEvents(1));
      const foreign = written(await log.facts.append(newStream(), 'no-stream', newEvents(50, 100)));
      await eventually(() => expect((subscriber.pages.at(-1)?.position ?? '') >= foreign.position).toBe(true));
      await log.facts.append(newStream(other), 'no-stream', newEvents(1, 1));
      await eventually(() => expect(dataOf(subscriber.events)).toEqual([0, 1]));
      await subscriber.end();
      const positions = subscriber.pages.map(({ position }) => position ?? '');
      expect(positions).toEqual([...new Set(positions)].sort());
    });

    it('misses and repeats no event while many writers append', async () => {
      const aggregate = newAggregate();
      const subscriber = new Subscriber(log.facts, { aggregates: [aggregate], after: await log.facts.head() });
      const streams = upTo(10).map(() => newStream(aggregate));
      await Promise.all(streams.map((stream, n) => fill(n % 2 ? log.facts : log.beside, stream, 40)));
      await eventually(() => expect(subscriber.events.length).toBeGreaterThanOrEqual(400));
      await subscriber.end();
      const { events } = subscriber;
      for (const stream of streams) {
        expect(dataOf(events.filter((event) => event.stream === stream))).toEqual(upTo(40));
      }
      expect(new Set(events.map(({ position }) => position)).size).toBe(400);
    });

    it('survives a burst of 1,000 events', async () => {
      const aggregate = newAggregate();
      const subscriber = new Subscriber(log.facts, { aggregates: [aggregate], after: await log.facts.head() });
      const stream = newStream(aggregate);
      await log.facts.append(stream, 'no-stream', newEvents(1));
      await eventually(() => expect(subscriber.events).toHaveLength(1));
      await log.facts.append(stream, 0, newEvents(999, 1));
      await eventually(() => expect(subscriber.events.length).toBeGreaterThanOrEqual(1_000));
      await subscriber.end();
      expect(dataOf(subscriber.events)).toEqual(upTo(1_000));
    });

    it('resumes after the position of any of its pages', async () => {
      const aggregate = newAggregate();
      const stream = newStream(aggregate);
      await log.facts.append(stream, 'no-stream', newEvents(600));
      await log.facts.append(newStream(), 'no-stream', newEvents(10));
      const first = new Subscriber(log.facts, { aggregates: [aggregate], after: undefined });
      await eventually(() => expect(first.events).toHaveLength(600));
      await first.end();
      await log.facts.append(stream, 599, newEvents(10, 600));

      const before = [undefined, ...first.pages.map(({ position }) => position)];
      for (const [n, after] of before.entries()) {
        const resumed = new Subscriber(log.beside, { aggregates: [aggregate], after });
        const had = eventsOf(first.pages.slice(0, n));
        await eventually(() => expect(had.length + resumed.events.length).toBeGreaterThanOrEqual(610));
        await resumed.end();
        expect(dataOf([...had, ...resumed.events])).toEqual(upTo(610));
      }
    });

    it('serves several subscribers, each at its own pace', async () => {
      const aggregate = newAggregate();
      const stream = newStream(aggregate);
      const range = { aggregates: [aggregate], after: await log.facts.head() };
      const slow = log.facts.subscribe(range, AbortSignal.timeout(600_000))[Symbol.asyncIterator]();
      const quick = new Subscriber(log.facts, range);
      const another = new Subscriber(log.beside, range);
      await log.facts.append(stream, 'no-stream', newEvents(300));
      await eventually(() => expect(quick.events).toHaveLength(300));
      await eventually(() => expect(another.events).toHaveLength(300));
      const taken: unknown[] = [];
      while (taken.length < 300) {
        const { value } = await slow.next();
        taken.push(...dataOf(value.events));
      }
      await slow.return?.();
      await Promise.all([quick.end(), another.end()]);
      for (const got of [taken, dataOf(quick.events), dataOf(another.events)]) expect(got).toEqual(upTo(300));
    });
  });

  describe('a subscription that is aborted', () => {
    it('ends during a page, and delivers no further page', async () => {
      const aggregate = newAggregate();
      for (const part of upTo(3)) await log.facts.append(newStream(aggregate), 'no-stream', newEvents(600, part));
      const abort = new AbortController();
      let pages = 0;
      for await (const _ of log.facts.subscribe({ aggregates: [aggregate], after: undefined }, abort.signal)) {
        pages += 1;
        abort.abort();
      }
      expect(pages).toBe(1);
    });

    it('delivers nothing if it was aborted before', async () => {
      const pages = log.facts.subscribe({ aggregates: [newAggregate()], after: undefined }, AbortSignal.abort());
      for await (const page of pages) expect.unreachable(`a page at ${page.position}`);
    });

    it('may end with a break instead of an abort', async () => {
      const aggregate = newAggregate();
      await log.facts.append(newStream(aggregate), 'no-stream', newEvents(1));
      const range = { aggregates: [aggregate], after: undefined };
      for await (const { events } of log.facts.subscribe(range, AbortSignal.timeout(600_000)))
        if (events.length > 0) break;
    });
  });
};
