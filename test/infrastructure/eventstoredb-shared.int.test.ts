// Tests the one live subscription of a process: every subscriber gets its events once while others join, leave or are
// slow.
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { Bell } from '../../src/infrastructure/bell.js';
import { EventStoreDbFacts } from '../../src/infrastructure/facts/eventstoredb.js';
import { SharedSubscription } from '../../src/infrastructure/facts/eventstoredb-shared.js';
import type { LogPage, LogRange } from '../../src/infrastructure/facts/facts.js';
import { temporaryDirectory } from '../support/directory.js';
import { tooSlow } from '../support/eventstoredb/errors.js';
import { EventStoreDbServer } from '../support/eventstoredb/server.js';
import { eventually } from '../support/eventually.js';
import { dataOf, fill, newAggregate, newEvents, newStream, Subscriber, written } from './facts-harness.js';

const server = new EventStoreDbServer({ directory: temporaryDirectory() });
const opened: EventStoreDbFacts[] = [];
const subscribed: Subscriber[] = [];
const drops: string[] = [];
const upTo = (count: number) => Array.from({ length: count }, (_, n) => n);

beforeAll(() => server.start());
afterAll(() => server.stop());
afterEach(async () => {
  drops.length = 0;
  await Promise.all(subscribed.splice(0).map((subscriber) => subscriber.end()));
  await Promise.all(opened.splice(0).map((facts) => facts.close()));
});

const open = (aggregates: readonly string[] = []) => {
  const onDrop = ({ message }: Error) => void drops.push(message);
  const facts = new EventStoreDbFacts(server.url, { aggregates, deadlineMs: 20_000, pauseMs: 5, onDrop });
  opened.push(facts);
  return facts;
};
const subscribe = (facts: EventStoreDbFacts, ...aggregates: string[]) => {
  const subscriber = new Subscriber(facts, { aggregates, after: undefined });
  subscribed.push(subscriber);
  return subscriber;
};
/** Appends an event for each number to a new stream, in one append. */
const write = (facts: EventStoreDbFacts, aggregate: string, ...numbers: number[]) =>
  facts.append(
    newStream(aggregate),
    'no-stream',
    numbers.flatMap((n) => newEvents(1, n)),
  );
const expectReceived = (subscriber: Subscriber, numbers: readonly number[]) =>
  eventually(() => expect(dataOf(subscriber.events)).toEqual(numbers));
const expectShared = (count = 1) => eventually(() => expect(server.subscriptions).toBe(count));

describe('subscribers of one process', () => {
  it('share one subscription once they have caught up, each with the events of its aggregates', async () => {
    const facts = open();
    const [one, other] = [newAggregate(), newAggregate()];
    await write(facts, one, 0, 1);
    const subscribers = [subscribe(facts, one), subscribe(facts, other), subscribe(facts, one, other)];
    await eventually(() => expect(subscribers.every(({ pages }) => pages.at(-1)?.atEnd)).toBe(true));
    await expectShared();
    await write(facts, other, 2);
    await write(facts, one, 3);
    const taken = [[0, 1, 3], [2], [0, 1, 2, 3]];
    for (const [n, subscriber] of subscribers.entries()) await expectReceived(subscriber, taken[n] ?? []);
    expect(server.subscriptions).toBe(1);
  });

  it('learn the position of the log from events of aggregates that only the engine was given', async () => {
    const [one, other] = [newAggregate(), newAggregate()];
    const facts = open([one, other]);
    const before = server.calls.get('subscribe') ?? 0;
    const subscriber = subscribe(facts, one);
    await write(facts, one, 0);
    await expectReceived(subscriber, [0]);
    // One subscription catches up, and another is shared.
    const expectedCalls = before + 2;
    await eventually(() => expect(server.calls.get('subscribe')).toBe(expectedCalls));
    const { position } = written(await write(facts, other, 1));
    await eventually(() => expect(subscriber.pages.at(-1)?.position).toBe(position));
    expect(server.calls.get('subscribe')).toBe(expectedCalls);
    expect(dataOf(subscriber.events)).toEqual([0]);
  });

  it('miss and repeat no event when others join with known and new aggregates', async () => {
    const facts = open();
    const aggregates = upTo(5).map(() => newAggregate());
    const first = subscribe(facts, ...aggregates.slice(0, 1));
    const writing = Promise.all(aggregates.map((aggregate) => fill(facts, newStream(aggregate), 60)));
    const joining: Subscriber[] = [];
    for (const [n] of aggregates.entries()) {
      await eventually(() => expect(first.events.length).toBeGreaterThanOrEqual(n * 10));
      joining.push(subscribe(facts, ...aggregates.slice(0, n + 1)), subscribe(facts, ...aggregates.slice(n, n + 1)));
    }
    await writing;
    for (const [n, each] of joining.entries()) {
      const streams = n % 2 === 0 ? n / 2 + 1 : 1;
      await eventually(() => expect(each.events).toHaveLength(streams * 60));
      expect(new Set(each.events.map(({ id }) => id)).size).toBe(streams * 60);
    }
    await expectReceived(first, upTo(60));
    await expectShared();
  });

  it('continue when others leave, and the last one to leave ends the subscription', async () => {
    const facts = open();
    const aggregate = newAggregate();
    const [stays, leaves] = [subscribe(facts, aggregate), subscribe(facts, aggregate)];
    await write(facts, aggregate, 0);
    for (const each of [stays, leaves]) await expectReceived(each, [0]);
    await expectShared();
    await leaves.end();
    await write(facts, aggregate, 1);
    await expectReceived(stays, [0, 1]);
    expect(dataOf(leaves.events)).toEqual([0]);
    await stays.end();
    await expectShared(0);
    const again = subscribe(facts, aggregate);
    await expectReceived(again, [0, 1]);
  });

  it('all resume at their positions when the subscription is dropped', async () => {
    const facts = open();
    const aggregates = upTo(4).map(() => newAggregate());
    const subscribers = aggregates.map((aggregate) => subscribe(facts, aggregate));
    const writeToAll = (n: number) => Promise.all(aggregates.map((aggregate) => write(facts, aggregate, n)));
    const expectAll = (count: number) => Promise.all(subscribers.map((each) => expectReceived(each, upTo(count))));
    await writeToAll(0);
    await expectAll(1);
    await expectShared();
    server.failSubscriptions(tooSlow());
    await writeToAll(1);
    await expectAll(2);
    server.cut();
    await writeToAll(2);
    await expectAll(3);
    expect(drops.length).toBeGreaterThanOrEqual(2);
  });

  it('do not wait for a slow subscriber, which gets every event at its own pace', async () => {
    const facts = open();
    const aggregate = newAggregate();
    const stream = newStream(aggregate);
    const quick = subscribe(facts, aggregate);
    const slow = facts.subscribe({ aggregates: [aggregate], after: undefined }, AbortSignal.timeout(600_000));
    const taken: unknown[] = [];
    const take = async () => void taken.push(...dataOf((await slow.next()).value?.events ?? []));
    await take();
    const nextPage = take();
    await facts.append(stream, 'no-stream', newEvents(1));
    await nextPage;
    for (let n = 1; n < 4_000; n += 100) await facts.append(stream, n - 1, newEvents(Math.min(100, 4_000 - n), n));
    await expectReceived(quick, upTo(4_000));
    while (taken.length < 4_000) await take();
    expect(taken).toEqual(upTo(4_000));
    await slow.return(undefined);
  });
});

const at = (n: number) => String(n).padStart(8, '0');
const pageOf = (n: number): LogPage => {
  const [event] = newEvents(1, n);
  const events = event === undefined ? [] : [{ ...event, stream: 'a-1', revision: n, position: at(n) }];
  return { events, position: at(n), atEnd: true };
};

describe('the shared subscription', () => {
  it('keeps a bounded number of events for a subscriber that reads none', async () => {
    const opened: LogRange[] = [];
    let aborted = 0;
    const shared = new SharedSubscription(async function* (range, signal) {
      yield { events: [], position: range.after, atEnd: true };
      // Only the shared subscription comes this far. A subscription that catches up ends before this.
      opened.push(range);
      for (let n = 1; opened.length === 1 && n <= 5_000 && !signal.aborted; n += 1) yield pageOf(n);
      if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve));
      aborted += 1;
    }, []);
    const slow = shared.subscribe({ aggregates: ['a'], after: at(0) }, AbortSignal.timeout(600_000));
    await slow.next();
    const first = slow.next();
    await eventually(() => expect(aborted).toBe(1));
    const taken = [...(await first).value.events, ...(await slow.next()).value.events];
    expect(taken.length).toBeGreaterThan(1_000);
    expect(taken.length).toBeLessThan(1_100);
    expect(dataOf(taken)).toEqual(upTo(taken.length).map((n) => n + 1));
    void slow.next();
    await eventually(() => expect(opened).toHaveLength(2));
    expect(opened[1]?.after).toBe(at(taken.length));
  });

  it('wakes a subscriber immediately for its own events, and only at intervals for foreign events', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    const [arrived, bell]: [LogPage[], Bell] = [[], new Bell()];
    const give = async (...pages: readonly LogPage[]) => {
      arrived.push(...pages);
      bell.ring();
      await new Promise(setImmediate);
    };
    const shared = new SharedSubscription(async function* (range, signal) {
      yield { events: [], position: range.after, atEnd: true };
      for (; !signal.aborted; await bell.wait()) yield* arrived.splice(0);
    }, []);
    const subscriber = shared.subscribe({ aggregates: ['a'], after: at(0) }, AbortSignal.timeout(600_000));
    const foreign = (n: number): LogPage => ({ events: [], position: at(n), atEnd: true });
    await subscriber.next();
    const own = subscriber.next();
    await give(foreign(1), foreign(2), pageOf(3));
    expect((await own).value).toMatchObject({ events: [{ data: 3 }], position: at(3) });
    const nextPage = subscriber.next();
    await give(foreign(4));
    await give(foreign(5));
    vi.advanceTimersByTime(250);
    expect((await nextPage).value).toMatchObject({ events: [], position: at(5) });
    void subscriber.return(undefined);
  });

  it('reports a permanent failure to every subscriber', async () => {
    let times = 0;
    const shared = new SharedSubscription(async function* (range) {
      times += 1;
      yield { events: [], position: range.after, atEnd: true };
      if (times > 2) throw new Error('refused');
    }, []);
    const follow = async () => {
      for await (const _ of shared.subscribe({ aggregates: ['a'], after: at(0) }, AbortSignal.timeout(600_000)));
    };
    for (const each of await Promise.allSettled([follow(), follow()])) {
      expect(each).toMatchObject({ status: 'rejected', reason: { message: 'refused' } });
    }
  });
});
