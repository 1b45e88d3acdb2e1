import { describe, expect, it } from 'vitest';
import { StoreUnavailable } from '../../../src/infrastructure/errors.js';
import type { LogPage } from '../../../src/infrastructure/facts/facts.js';
import { SqliteFacts } from '../../../src/infrastructure/facts/sqlite.js';
import { temporaryDirectory } from '../../support/directory.js';
import { eventually } from '../../support/eventually.js';
import { factsSuite } from './facts.suite.js';
import {
  collect,
  eventsOf,
  fill,
  newAggregate,
  newEvent,
  newEvents,
  newStream,
  pagesOf,
  Subscriber,
  written,
} from './support/harness.js';

factsSuite('SQLite', () => {
  const directory = temporaryDirectory();
  return () => new SqliteFacts(directory);
});

// Aborts during a page, while the next page is read, and while the subscription waits for a commit.
const ABORTS: readonly ((abort: () => void) => unknown)[] = [
  (abort) => abort(),
  (abort) => queueMicrotask(abort),
  (abort) => setImmediate(abort),
  (abort) => setTimeout(abort, 3),
];

describe('a log on SQLite', () => {
  it('has no head while it is empty, and then exactly the last position', async () => {
    const facts = new SqliteFacts(temporaryDirectory());
    expect(await facts.head()).toBeUndefined();
    const range = { aggregates: ['protocol'], after: undefined };
    expect(await facts.readLog(range, 10)).toEqual({ events: [], position: undefined, atEnd: true });
    const { position } = written(await facts.append(newStream(), 'no-stream', newEvents(2)));
    expect(await facts.head()).toBe(position);
    await facts.close();
  });

  it('gives concurrent identical appends one outcome', async () => {
    const facts = new SqliteFacts(temporaryDirectory());
    const [stream, events] = [newStream(), newEvents(2)];
    const outcomes = await Promise.all(Array.from({ length: 20 }, () => facts.append(stream, 'no-stream', events)));
    expect(new Set(outcomes.map((outcome) => written(outcome).position)).size).toBe(1);
    expect(await collect(facts.readStream(stream))).toHaveLength(2);
    await facts.close();
  });

  it('rejects only the append that it cannot store, not those that share its commit', async () => {
    const facts = new SqliteFacts(temporaryDirectory());
    const streams = Array.from({ length: 20 }, () => newStream());
    const before = streams.slice(0, 10).map((stream) => facts.append(stream, 'no-stream', newEvents(2)));
    const bad = facts.append(newStream(), 'no-stream', [newEvent(), { ...newEvent(), type: null as never }]);
    const after = streams.slice(10).map((stream) => facts.append(stream, 'no-stream', newEvents(2)));
    await expect(bad).rejects.toThrow(/events\.type/);
    const outcomes = await Promise.all([...before, ...after]);
    expect(outcomes.map((outcome) => written(outcome).revision)).toEqual(streams.map(() => 1));
    expect(await facts.head()).toBe(
      outcomes
        .map((outcome) => written(outcome).position)
        .sort()
        .at(-1),
    );
    await facts.close();
  });

  it('finds an event after more foreign events than one read scans', async () => {
    const facts = new SqliteFacts(temporaryDirectory());
    const aggregate = newAggregate();
    await Promise.all(Array.from({ length: 9 }, () => facts.append(newStream(), 'no-stream', newEvents(1_000))));
    await facts.append(newStream(aggregate), 'no-stream', newEvents(1));
    const range = { aggregates: [aggregate], after: undefined };
    const pages = await pagesOf(facts, range, 10);
    expect(pages.map(({ atEnd }) => atEnd)).toEqual([false, true]);
    expect(eventsOf(pages)).toHaveLength(1);
    const subscriber = new Subscriber(facts, range);
    await eventually(() => expect(subscriber.events).toHaveLength(1));
    await subscriber.end();
    await facts.close();
  });

  it('delivers every event to a subscriber that aborts and resumes at any moment', async () => {
    const directory = temporaryDirectory();
    const engines = [new SqliteFacts(directory), new SqliteFacts(directory)];
    const aggregates = [newAggregate()];
    const writing = Promise.all(engines.map((facts) => fill(facts, newStream(aggregates[0]), 60)));
    const pages: LogPage[] = [];
    for (let turn = 0; eventsOf(pages).length < 120; turn += 1) {
      const abort = new AbortController();
      const subscribed = engines[turn % 2]?.subscribe({ aggregates, after: pages.at(-1)?.position }, abort.signal);
      for await (const page of subscribed ?? []) {
        pages.push(page);
        ABORTS[turn % ABORTS.length]?.(() => abort.abort());
      }
    }
    await writing;
    const all = await pagesOf(engines[0] as SqliteFacts, { aggregates, after: undefined }, 256);
    expect(eventsOf(pages)).toStrictEqual(eventsOf(all));
    for (const facts of engines) await facts.close();
  });

  it('wakes a subscriber only after the callers of the append have continued', async () => {
    const facts = new SqliteFacts(temporaryDirectory());
    const aggregate = newAggregate();
    const order: string[] = [];
    const abort = new AbortController();
    const pages = facts.subscribe({ aggregates: [aggregate], after: undefined }, abort.signal);
    const following = (async () => {
      for await (const { events } of pages) if (events.length > 0) order.push('projection');
    })();
    await facts.head();
    await facts.append(newStream(aggregate), 'no-stream', newEvents(1));
    for (let step = 0; step < 50; step += 1) await undefined;
    order.push('response');
    await eventually(() => expect(order).toEqual(['response', 'projection']));
    abort.abort();
    await following;
    await facts.close();
  });

  it('rejects every call and every subscription once it is closed', async () => {
    const facts = new SqliteFacts(temporaryDirectory());
    const range = { aggregates: ['protocol'], after: undefined };
    const live = facts.subscribe(range, AbortSignal.timeout(600_000))[Symbol.asyncIterator]();
    await live.next();
    const next = live.next();
    await facts.close();
    const calls = [
      next,
      facts.append(newStream(), 'no-stream', newEvents(1)),
      facts.readLog(range, 10),
      facts.head(),
      collect(facts.readStream(newStream())),
      collect(facts.readStream(newStream(), { backwards: true })),
    ];
    for (const settled of await Promise.allSettled<unknown>(calls)) {
      expect(settled).toMatchObject({ status: 'rejected', reason: expect.any(StoreUnavailable) });
    }
  });
});
