// Compares subscriptions on the stand-in for EventStoreDB with measurements on a real node.
import {
  type AllStreamSubscription,
  END,
  jsonEvent,
  NO_STREAM,
  type Position,
  type ReadableSubscription,
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
describe('a subscription to the log', () => {
  it('from the end receives only new events', async () => {
    const stream = newName();
    await node.ways.batch(stream, newEvents(2), NO_STREAM);
    const received = receivedBy(node.client.subscribeToAll({ fromPosition: END, filter: only(stream) }));
    await eventually(() => expect(received).toContain('caught up'));
    await node.ways.batch(stream, [jsonEvent({ type: 'Late', data: { n: 7 } })], 1n);
    await eventually(() => expect(numbersIn(received)).toEqual([7]));
  });

  it('gets a checkpoint every 32 x interval events, even if nothing matches', async () => {
    const reached: Position[] = [];
    const checkpointReached = (_: AllStreamSubscription, position: Position) => void reached.push(position);
    const filter = only(newName(), { maxSearchWindow: 10, checkpointReached });
    const received = receivedBy(node.client.subscribeToAll({ fromPosition: END, filter }));
    await eventually(() => expect(received).toContain('caught up'));
    await node.ways.batch(newName(), newEvents(100), NO_STREAM);
    await eventually(() => expect(reached.length).toBeGreaterThanOrEqual(9));
  });

  it('is dropped by a burst of 1,000 events while live, but not by 100 events', async () => {
    const stream = newName();
    const received = receivedBy(node.client.subscribeToAll({ fromPosition: END, filter: only(stream) }));
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
    const received = receivedBy(node.client.subscribeToAll({ fromPosition: END, filter: only(prefix) }));
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
    const received = receivedBy(node.client.subscribeToAll({ fromPosition: END, filter }));
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
      const down = receivedBy(node.client.subscribeToAll({ fromPosition: END }));
      await eventually(() => expect(errorIn(down)).toBeInstanceOf(UnavailableError));
      await node.server.start();
      await eventually(live);
    },
  );
});
