// Holds the stand-in for EventStoreDB against what was measured of subscriptions on a real node.
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

/** What a subscription received, in order; each event as the number in it. */
const heard = (subscription: { on(event: string, listener: (...args: never[]) => void): unknown }) => {
  const told: unknown[] = [];
  const tell = (what: unknown) => () => void told.push(what);
  subscription.on('confirmation', tell('confirmation'));
  subscription.on('caughtUp', tell('caught up'));
  subscription.on('data', ({ event }: { event?: { data: { n: number } } }) => void told.push(event?.data.n));
  subscription.on('error', (error: Error) => void told.push(error));
  open.push(subscription as ReadableSubscription<unknown>);
  return told;
};

const errorIn = (told: readonly unknown[]) => told.find((each) => each instanceof Error);
const numbersIn = (told: readonly unknown[]) => told.filter((each) => typeof each === 'number');
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
    const told = heard(node.client.subscribeToAll({ filter: only(stream) }));
    await eventually(() => expect(told).toContain('caught up'));
    await node.ways.batch(stream, newEvents(20), 39n);
    await eventually(() => expect(numbersIn(told)).toHaveLength(60));
    expect(told.filter((each) => typeof each === 'string')).toEqual(['confirmation', 'caught up']);
    expect([told[0], told[41]]).toEqual(['confirmation', 'caught up']);
  });

  it('starts behind its position', async () => {
    const stream = newName();
    const { position } = await node.ways.batch(stream, newEvents(2), NO_STREAM);
    await node.ways.batch(stream, newEvents(3), 1n);
    const told = heard(node.client.subscribeToAll({ fromPosition: position ?? missing(), filter: only(stream) }));
    await eventually(() => expect(told).toContain('caught up'));
    expect(numbersIn(told)).toEqual([0, 1, 2]);
  });

  it('gives from the end on only what is new', async () => {
    const stream = newName();
    await node.ways.batch(stream, newEvents(2), NO_STREAM);
    const told = heard(node.client.subscribeToAll({ fromPosition: END, filter: only(stream) }));
    await eventually(() => expect(told).toContain('caught up'));
    await node.ways.batch(stream, [jsonEvent({ type: 'Late', data: { n: 7 } })], 1n);
    await eventually(() => expect(numbersIn(told)).toEqual([7]));
  });

  it('filters by type and by pattern', async () => {
    const stream = newName();
    const type = `T${stream}`;
    await node.ways.batch(stream, [...newEvents(1), jsonEvent({ type, data: { n: 5 } })], NO_STREAM);
    for (const filter of [eventTypeFilter({ prefixes: [type] }), eventTypeFilter({ regex: `^${type}$` })]) {
      const told = heard(node.client.subscribeToAll({ filter }));
      await eventually(() => expect(told).toContain('caught up'));
      expect(numbersIn(told)).toEqual([5]);
    }
    const all = heard(node.client.subscribeToAll({ filter: excludeSystemEvents(), fromPosition: await head() }));
    await eventually(() => expect(all).toContain('caught up'));
  });

  it.each([
    ['a position at no event', async () => ({ fromPosition: { commit: (await head()).commit - 1n, prepare: 0n } })],
    ['a pattern that is none', async () => ({ filter: streamNameFilter({ regex: '(' }) })],
  ])('from %s is an unknown error', async (_, options) => {
    const told = heard(node.client.subscribeToAll(await options()));
    await eventually(() => expect(errorIn(told)).toBeInstanceOf(UnknownError));
    expect(errorIn(told)).toMatchObject({ code: 2, message: expect.stringContaining('thrown by handler') });
  });

  it('hears every 32 x interval events how far it is, also where nothing matches, and while live', async () => {
    const after = await head();
    await node.ways.batch(newName(), newEvents(640), NO_STREAM);
    const count = async (options: object) => {
      const reached: Position[] = [];
      const checkpointReached = (_: AllStreamSubscription, position: Position) => void reached.push(position);
      const filter = only(newName(), { ...options, checkpointReached });
      const told = heard(node.client.subscribeToAll({ fromPosition: after, filter }));
      await eventually(() => expect(told).toContain('caught up'));
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

  it('may start behind a checkpoint', async () => {
    const stream = newName();
    const after = await head();
    await node.ways.batch(newName(), newEvents(100), NO_STREAM);
    await node.ways.batch(stream, newEvents(2), NO_STREAM);
    const reached: Position[] = [];
    const checkpointReached = (_: AllStreamSubscription, position: Position) => void reached.push(position);
    heard(node.client.subscribeToAll({ fromPosition: after, filter: only(stream, { checkpointReached }) }));
    await eventually(() => expect(reached.length).toBeGreaterThan(0));
    const told = heard(node.client.subscribeToAll({ fromPosition: reached[0] ?? missing(), filter: only(stream) }));
    await eventually(() => expect(numbersIn(told)).toEqual([0, 1]));
  });

  it('waits for a slow consumer while it catches up', async () => {
    const stream = newName();
    for (let n = 0; n < 5; n += 1)
      await node.ways.batch(stream, newEvents(1_000), n === 0 ? NO_STREAM : BigInt(n * 1_000 - 1));
    const subscription = node.client.subscribeToAll({ filter: only(stream) });
    const told = heard(subscription);
    subscription.pause();
    await eventually(() => expect(subscription.readableLength).toBeGreaterThan(0));
    subscription.resume();
    await eventually(() => expect(numbersIn(told)).toHaveLength(5_000));
    expect(errorIn(told)).toBeUndefined();
  });

  it('is dropped by a burst of 1,000 while live, not by one of 100', async () => {
    const stream = newName();
    const told = heard(node.client.subscribeToAll({ fromPosition: await head(), filter: only(stream) }));
    await eventually(() => expect(told).toContain('caught up'));
    await node.ways.batch(stream, newEvents(100), NO_STREAM);
    await eventually(() => expect(numbersIn(told)).toHaveLength(100));
    await node.ways.batch(stream, newEvents(1_000), 99n);
    await eventually(() => expect(errorIn(told)).toBeInstanceOf(TimeoutError));
    expect(errorIn(told)).toMatchObject({ code: 10, message: expect.stringContaining('Consumer too slow') });
    expect(numbersIn(told).length).toBeLessThan(1_100);
    expect(numbersIn(told).length).toBeGreaterThan(100);
  });

  it('bears many single events while live', async () => {
    const prefix = newName();
    const told = heard(node.client.subscribeToAll({ fromPosition: await head(), filter: only(prefix) }));
    await eventually(() => expect(told).toContain('caught up'));
    const write = async (stream: string) => {
      for (let n = 0; n < 20; n += 1) await node.ways.batch(stream, newEvents(1), n === 0 ? NO_STREAM : BigInt(n - 1));
    };
    await Promise.all(Array.from({ length: 50 }, (_, n) => write(`${prefix}${n}`)));
    await eventually(() => expect(numbersIn(told)).toHaveLength(1_000));
    expect(errorIn(told)).toBeUndefined();
  });
});

describe.skipIf(node.real)('the live buffer of a subscription', () => {
  const live = async (maxSearchWindow: number) => {
    const prefix = newName();
    const filter = only(prefix, { maxSearchWindow, checkpointReached: () => undefined });
    const told = heard(node.client.subscribeToAll({ fromPosition: await head(), filter }));
    await eventually(() => expect(told).toContain('caught up'));
    return { told, prefix };
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
  ])('has a place for each of $what and each checkpoint, by a window of $window', async (given) => {
    const { told, prefix } = await live(given.window);
    await burst(given.matches ? prefix : newName(), given.matches ? 200 : 400);
    await node.ways.batch(`${prefix}-last`, newEvents(1), NO_STREAM);
    const wanted = given.matches ? 201 : 1;
    await eventually(() => expect(errorIn(told) !== undefined || numbersIn(told).length === wanted).toBe(true));
    expect(errorIn(told) instanceof TimeoutError).toBe(given.isDropped);
  });

  it.each([
    [30, false],
    [40, true],
  ])('has 32 places until the subscription is live: %i events, dropped %s', async (count, isDropped) => {
    const release = node.server.holdSubscriptions();
    const prefix = newName();
    const told = heard(node.client.subscribeToAll({ fromPosition: await head(), filter: only(prefix) }));
    await eventually(() => expect(told).toContain('confirmation'));
    await burst(prefix, count);
    release();
    await eventually(() => expect(errorIn(told) !== undefined || numbersIn(told).length === count).toBe(true));
    expect(errorIn(told) instanceof TimeoutError).toBe(isDropped);
  });
});

describe('a subscription to a stream', () => {
  it('starts behind its revision', async () => {
    const stream = newName();
    await node.ways.batch(stream, newEvents(5), NO_STREAM);
    const told = heard(node.client.subscribeToStream(stream, { fromRevision: 2n }));
    await eventually(() => expect(numbersIn(told)).toEqual([3, 4]));
    const whole = heard(node.client.subscribeToStream(stream, { fromRevision: START }));
    await eventually(() => expect(numbersIn(whole)).toHaveLength(5));
  });

  it('waits for one that is missing, and is refused by a tombstone', async () => {
    const stream = newName();
    const told = heard(node.client.subscribeToStream(stream));
    await eventually(() => expect(told).toEqual(['confirmation']));
    await node.ways.batch(stream, newEvents(1), NO_STREAM);
    await eventually(() => expect(told).toEqual(['confirmation', 0, 'caught up']));
    await node.client.tombstoneStream(stream);
    await eventually(() => expect(errorIn(told)).toBeInstanceOf(StreamDeletedError));
    const again = heard(node.client.subscribeToStream(stream));
    await eventually(() => expect(errorIn(again)).toBeInstanceOf(StreamDeletedError));
  });
});

describe.skipIf(node.real)('a subscription when the server goes away', () => {
  const live = async () => {
    const told = heard(node.client.subscribeToAll({ fromPosition: END, filter: only(newName()) }));
    await eventually(() => expect(told).toContain('caught up'));
    return told;
  };

  it.each([
    ['stopped', () => node.server.stop(), UnknownError, 13],
    ['killed', () => node.server.kill(), UnavailableError, 14],
  ] as const)('is dropped when it is %s, and another can be made after it is back', async (_, leave, type, code) => {
    await node.client.readAll({ maxCount: 1 }).toArray();
    const told = await live();
    await leave();
    await eventually(() => expect(errorIn(told)).toBeInstanceOf(type));
    expect(errorIn(told)).toMatchObject({ code });
    const down = heard(node.client.subscribeToAll());
    await eventually(() => expect(errorIn(down)).toBeInstanceOf(UnavailableError));
    await node.server.start();
    await eventually(live);
  });
});
