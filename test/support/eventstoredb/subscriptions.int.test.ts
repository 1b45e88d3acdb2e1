// Compares subscriptions on the stand-in for EventStoreDB with measurements on a real node.
import {
  type AllStreamSubscription,
  END,
  eventTypeFilter,
  excludeSystemEvents,
  jsonEvent,
  NO_STREAM,
  type Position,
  type ReadableSubscription,
  START,
  StreamDeletedError,
  streamNameFilter,
  TimeoutError,
  UnavailableError,
  UnknownError,
} from '@eventstore/db-client';
import { afterEach, describe, expect, it } from 'vitest';
import { eventually } from '../eventually.js';
import { Node, newEvents, newName } from './harness.js';

const node = new Node();
const open: ReadableSubscription<unknown>[] = [];
afterEach(() => Promise.all(open.splice(0).map((subscription) => subscription.unsubscribe())));

/** Returns a growing list of what a subscription receives, in order. An event appears as the number in it. */
const receivedBy = (subscription: { on(event: string, listener: (...args: never[]) => void): unknown }) => {
  const received: unknown[] = [];
  const record = (what: unknown) => () => void received.push(what);
  subscription.on('confirmation', record('confirmation'));
  subscription.on('caughtUp', record('caught up'));
  subscription.on('data', ({ event }: { event?: { data: { n: number } } }) => void received.push(event?.data.n));
  subscription.on('error', (error: Error) => void received.push(error));
  open.push(subscription as ReadableSubscription<unknown>);
  return received;
};

const errorIn = (received: readonly unknown[]) => received.find((each) => each instanceof Error);
const numbersIn = (received: readonly unknown[]) => received.filter((each) => typeof each === 'number');
const only = (stream: string, more = {}) => streamNameFilter({ prefixes: [stream], ...more });
const head = async (): Promise<Position> =>
  (await node.ways.batch(newName(), newEvents(1), NO_STREAM)).position ?? missing();
const missing = (): never => {
  throw new Error('no position');
};

describe('a subscription to the log', () => {
  it('is confirmed, catches up, receives one caught-up message, and stays live', async () => {
    const stream = newName();
    await node.ways.batch(stream, newEvents(40), NO_STREAM);
    const received = receivedBy(node.client.subscribeToAll({ filter: only(stream) }));
    await eventually(() => expect(received).toContain('caught up'));
    await node.ways.batch(stream, newEvents(20), 39n);
    await eventually(() => expect(numbersIn(received)).toHaveLength(60));
    expect(received.filter((each) => typeof each === 'string')).toEqual(['confirmation', 'caught up']);
    expect([received[0], received[41]]).toEqual(['confirmation', 'caught up']);
  });

  it('starts after its position', async () => {
    const stream = newName();
    const { position } = await node.ways.batch(stream, newEvents(2), NO_STREAM);
    await node.ways.batch(stream, newEvents(3), 1n);
    const received = receivedBy(
      node.client.subscribeToAll({ fromPosition: position ?? missing(), filter: only(stream) }),
    );
    await eventually(() => expect(received).toContain('caught up'));
    expect(numbersIn(received)).toEqual([0, 1, 2]);
  });

  it('from the end receives only new events', async () => {
    const stream = newName();
    await node.ways.batch(stream, newEvents(2), NO_STREAM);
    const received = receivedBy(node.client.subscribeToAll({ fromPosition: END, filter: only(stream) }));
    await eventually(() => expect(received).toContain('caught up'));
    await node.ways.batch(stream, [jsonEvent({ type: 'Late', data: { n: 7 } })], 1n);
    await eventually(() => expect(numbersIn(received)).toEqual([7]));
  });

  it('filters by type and by pattern', async () => {
    const stream = newName();
    const type = `T${stream}`;
    await node.ways.batch(stream, [...newEvents(1), jsonEvent({ type, data: { n: 5 } })], NO_STREAM);
    for (const filter of [eventTypeFilter({ prefixes: [type] }), eventTypeFilter({ regex: `^${type}$` })]) {
      const received = receivedBy(node.client.subscribeToAll({ filter }));
      await eventually(() => expect(received).toContain('caught up'));
      expect(numbersIn(received)).toEqual([5]);
    }
    const all = receivedBy(node.client.subscribeToAll({ filter: excludeSystemEvents(), fromPosition: await head() }));
    await eventually(() => expect(all).toContain('caught up'));
  });

  it.each([
    ['a position between events', async () => ({ fromPosition: { commit: (await head()).commit - 1n, prepare: 0n } })],
    ['an invalid pattern', async () => ({ filter: streamNameFilter({ regex: '(' }) })],
  ])('from %s is an unknown error', async (_, options) => {
    const received = receivedBy(node.client.subscribeToAll(await options()));
    await eventually(() => expect(errorIn(received)).toBeInstanceOf(UnknownError));
    expect(errorIn(received)).toMatchObject({ code: 2, message: expect.stringContaining('thrown by handler') });
  });

  it('gets a checkpoint every 32 x interval events, even if nothing matches, and also while live', async () => {
    const after = await head();
    await node.ways.batch(newName(), newEvents(640), NO_STREAM);
    const count = async (options: object) => {
      const reached: Position[] = [];
      const checkpointReached = (_: AllStreamSubscription, position: Position) => void reached.push(position);
      const filter = only(newName(), { ...options, checkpointReached });
      const received = receivedBy(node.client.subscribeToAll({ fromPosition: after, filter }));
      await eventually(() => expect(received).toContain('caught up'));
      const before = reached.length;
      const { position } = await node.ways.batch(newName(), newEvents(100), NO_STREAM);
      await eventually(() =>
        expect(reached.length).toBeGreaterThanOrEqual(before + ('maxSearchWindow' in options ? 1 : 3)),
      );
      expect(reached.every(({ commit }) => commit <= (position?.commit ?? 0n))).toBe(true);
      return before;
    };
    expect(Math.abs((await count({})) - 20)).toBeLessThanOrEqual(1);
    expect(Math.abs((await count({ maxSearchWindow: 100 })) - 7)).toBeLessThanOrEqual(1);
  });

  it('may start after a checkpoint', async () => {
    const stream = newName();
    const after = await head();
    await node.ways.batch(newName(), newEvents(100), NO_STREAM);
    await node.ways.batch(stream, newEvents(2), NO_STREAM);
    const reached: Position[] = [];
    const checkpointReached = (_: AllStreamSubscription, position: Position) => void reached.push(position);
    receivedBy(node.client.subscribeToAll({ fromPosition: after, filter: only(stream, { checkpointReached }) }));
    await eventually(() => expect(reached.length).toBeGreaterThan(0));
    const received = receivedBy(
      node.client.subscribeToAll({ fromPosition: reached[0] ?? missing(), filter: only(stream) }),
    );
    await eventually(() => expect(numbersIn(received)).toEqual([0, 1]));
  });

  it('waits for a slow consumer while it catches up', async () => {
    const stream = newName();
    for (let n = 0; n < 5; n += 1)
      await node.ways.batch(stream, newEvents(1_000), n === 0 ? NO_STREAM : BigInt(n * 1_000 - 1));
    const subscription = node.client.subscribeToAll({ filter: only(stream) });
    const received = receivedBy(subscription);
    subscription.pause();
    await eventually(() => expect(subscription.readableLength).toBeGreaterThan(0));
    subscription.resume();
    await eventually(() => expect(numbersIn(received)).toHaveLength(5_000));
    expect(errorIn(received)).toBeUndefined();
  });

  it('is dropped by a burst of 1,000 events while live, but not by 100 events', async () => {
    const stream = newName();
    const received = receivedBy(node.client.subscribeToAll({ fromPosition: await head(), filter: only(stream) }));
    await eventually(() => expect(received).toContain('caught up'));
    await node.ways.batch(stream, newEvents(100), NO_STREAM);
    await eventually(() => expect(numbersIn(received)).toHaveLength(100));
    await node.ways.batch(stream, newEvents(1_000), 99n);
    await eventually(() => expect(errorIn(received)).toBeInstanceOf(TimeoutError));
    expect(errorIn(received)).toMatchObject({ code: 10, message: expect.stringContaining('Consumer too slow') });
    expect(numbersIn(received).length).toBeLessThan(1_100);
    expect(numbersIn(received).length).toBeGreaterThan(100);
  });

  it('keeps up with many single events while live', async () => {
    const prefix = newName();
    const received = receivedBy(node.client.subscribeToAll({ fromPosition: await head(), filter: only(prefix) }));
    await eventually(() => expect(received).toContain('caught up'));
    const write = async (stream: string) => {
      for (let n = 0; n < 20; n += 1) await node.ways.batch(stream, newEvents(1), n === 0 ? NO_STREAM : BigInt(n - 1));
    };
    await Promise.all(Array.from({ length: 50 }, (_, n) => write(`${prefix}${n}`)));
    await eventually(() => expect(numbersIn(received)).toHaveLength(1_000));
    expect(errorIn(received)).toBeUndefined();
  });
});

describe.skipIf(node.real)('the live buffer of a subscription', () => {
  const live = async (maxSearchWindow: number) => {
    const prefix = newName();
    const filter = only(prefix, { maxSearchWindow, checkpointReached: () => undefined });
    const received = receivedBy(node.client.subscribeToAll({ fromPosition: await head(), filter }));
    await eventually(() => expect(received).toContain('caught up'));
    return { received, prefix };
  };
  /** Commits `count` events of ten streams at once. */
  const burst = async (prefix: string, count: number) => {
    const release = node.server.store.hold();
    const writes = Array.from({ length: 10 }, (_, n) =>
      node.ways.batch(`${prefix}${n}`, newEvents(count / 10), NO_STREAM),
    );
    await eventually(() => expect(node.server.store.held).toBe(count));
    release();
    await Promise.all(writes);
  };

  it.each([
    { what: 'events that match', window: 1, matches: true, isDropped: true },
    { what: 'events that match', window: 32, matches: true, isDropped: false },
    { what: 'events of others', window: 1, matches: false, isDropped: true },
    { what: 'events of others', window: 32, matches: false, isDropped: false },
  ])('has a place for each of $what and each checkpoint, with a window of $window', async (given) => {
    const { received, prefix } = await live(given.window);
    await burst(given.matches ? prefix : newName(), given.matches ? 200 : 400);
    await node.ways.batch(`${prefix}-last`, newEvents(1), NO_STREAM);
    const wanted = given.matches ? 201 : 1;
    await eventually(() => expect(errorIn(received) !== undefined || numbersIn(received).length === wanted).toBe(true));
    expect(errorIn(received) instanceof TimeoutError).toBe(given.isDropped);
  });

  it.each([
    [30, false],
    [40, true],
  ])('has 32 places until the subscription is live: %i events, dropped: %s', async (count, isDropped) => {
    const release = node.server.holdSubscriptions();
    const prefix = newName();
    const received = receivedBy(node.client.subscribeToAll({ fromPosition: await head(), filter: only(prefix) }));
    await eventually(() => expect(received).toContain('confirmation'));
    await burst(prefix, count);
    release();
    await eventually(() => expect(errorIn(received) !== undefined || numbersIn(received).length === count).toBe(true));
    expect(errorIn(received) instanceof TimeoutError).toBe(isDropped);
  });
});

describe('a subscription to a stream', () => {
  it('starts after its revision', async () => {
    const stream = newName();
    await node.ways.batch(stream, newEvents(5), NO_STREAM);
    const received = receivedBy(node.client.subscribeToStream(stream, { fromRevision: 2n }));
    await eventually(() => expect(numbersIn(received)).toEqual([3, 4]));
    const whole = receivedBy(node.client.subscribeToStream(stream, { fromRevision: START }));
    await eventually(() => expect(numbersIn(whole)).toHaveLength(5));
  });

  it('waits for a missing stream and fails at a tombstone', async () => {
    const stream = newName();
    const received = receivedBy(node.client.subscribeToStream(stream));
    await eventually(() => expect(received).toEqual(['confirmation']));
    await node.ways.batch(stream, newEvents(1), NO_STREAM);
    await eventually(() => expect(received).toEqual(['confirmation', 0, 'caught up']));
    await node.client.tombstoneStream(stream);
    await eventually(() => expect(errorIn(received)).toBeInstanceOf(StreamDeletedError));
    const again = receivedBy(node.client.subscribeToStream(stream));
    await eventually(() => expect(errorIn(again)).toBeInstanceOf(StreamDeletedError));
  });
});

describe.skipIf(node.real)('a subscription whose server stops', () => {
  const live = async () => {
    const received = receivedBy(node.client.subscribeToAll({ fromPosition: END, filter: only(newName()) }));
    await eventually(() => expect(received).toContain('caught up'));
    return received;
  };

  it.each([
    ['stopped', () => node.server.stop(), UnknownError, 13],
    ['killed', () => node.server.kill(), UnavailableError, 14],
  ] as const)(
    'is dropped when the server is %s, and another subscription works after the server is back',
    async (_, leave, type, code) => {
      await node.client.readAll({ maxCount: 1 }).toArray();
      const received = await live();
      await leave();
      await eventually(() => expect(errorIn(received)).toBeInstanceOf(type));
      expect(errorIn(received)).toMatchObject({ code });
      const down = receivedBy(node.client.subscribeToAll());
      await eventually(() => expect(errorIn(down)).toBeInstanceOf(UnavailableError));
      await node.server.start();
      await eventually(live);
    },
  );
});
