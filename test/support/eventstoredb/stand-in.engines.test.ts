// Compares the stand-in for EventStoreDB with measurements on a real node. With EVENTSTORE_URL the same tests run against
// a real node. Appends are those of the service; the client of EventStoreDB reads and subscribes.
import {
  type AllStreamSubscription,
  BACKWARDS,
  END,
  EventStoreDBClient,
  FORWARDS,
  type Position,
  type ReadRevision,
  START,
  StreamNotFoundError,
  streamNameFilter,
  TimeoutError,
} from '@eventstore/db-client';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { EventStoreDbConnection } from '../../../src/infrastructure/facts/eventstoredb/connection.js';
import type { Expected, NewEvent } from '../../../src/infrastructure/facts/facts.js';
import { newEvent, newEvents, newStream } from '../../infrastructure/facts/support/harness.js';
import { temporaryDirectory } from '../directory.js';
import { eventually } from '../eventually.js';
import { EventStoreDbServer } from './server.js';

const real = process.env['EVENTSTORE_URL'];
const server = new EventStoreDbServer({ directory: temporaryDirectory(), duplicateTimeoutMs: 200 });
let connection: EventStoreDbConnection;
let client: EventStoreDBClient;
const open: { unsubscribe(): Promise<void> }[] = [];

beforeAll(async () => {
  await server.start();
  connection = new EventStoreDbConnection(real ?? server.url);
  client = EventStoreDBClient.connectionString(real ?? server.url);
});
afterEach(() => Promise.all(open.splice(0).map((subscription) => subscription.unsubscribe())));
afterAll(async () => {
  connection.close();
  await server.stop();
});

const append = (stream: string, expected: Expected, events: readonly NewEvent[]) =>
  connection.append(stream, expected, events, 20_000);
const filled = async (count: number): Promise<string> => {
  const stream = newStream();
  await append(stream, 'no-stream', newEvents(count));
  return stream;
};
const read = async (stream: string, options: Parameters<typeof client.readStream>[1] = {}) => {
  const events = [];
  for await (const { event } of client.readStream(stream, options)) if (event !== undefined) events.push(event);
  return events;
};
const idsOf = async (stream: string) => (await read(stream)).map(({ id }) => id);
const revisionsOf = async (...args: Parameters<typeof read>) =>
  (await read(...args)).map(({ revision }) => Number(revision));

describe('a write', () => {
  it('at another version than the expected one writes nothing', async () => {
    const stream = await filled(2);
    for (const expected of ['no-stream', 0, 7] as const) {
      expect(await append(stream, expected, newEvents(1))).toBeUndefined();
    }
    expect(await append(newStream(), 0, newEvents(1))).toBeUndefined();
    expect(await revisionsOf(stream)).toEqual([0, 1]);
  });

  it('may have at most 1 MiB of data', async () => {
    const text = (bytes: number) => newEvent('x'.repeat(bytes - 2));
    await append(newStream(), 'no-stream', [text(1_048_576)]);
    const tooLarge = append(newStream(), 'no-stream', [text(1_000_000), text(48_577)]);
    await expect(tooLarge).rejects.toMatchObject({ type: 'maximum-append-size-exceeded' });
  });

  it('to a stream with a tombstone is rejected, and the stream cannot be read', async () => {
    if (real !== undefined) return;
    const stream = await filled(1);
    await server.store.tombstone(stream);
    await expect(append(stream, 'no-stream', newEvents(1))).rejects.toMatchObject({ type: 'stream-deleted' });
    await expect(read(stream)).rejects.toMatchObject({ type: 'stream-deleted', code: 9, streamName: stream });
  });

  it.skipIf(real)('is rejected while the server is not ready', async () => {
    server.isReady = false;
    const refused = append(newStream(), 'no-stream', newEvents(1)).finally(() => {
      server.isReady = true;
    });
    await expect(refused).rejects.toMatchObject({ type: 'unavailable', message: 'Server Is Not Ready' });
  });
});

describe('a repeated write', () => {
  it('is recognised as a whole, in part and across two appends', async () => {
    const stream = newStream();
    const [e1, e2, e3] = [newEvent(), newEvent(), newEvent()];
    const first = await append(stream, 'no-stream', [e1, e2]);
    await append(stream, 1, [e3]);
    expect(await append(stream, 'no-stream', [e1, e2])).toEqual(first);
    expect(await append(stream, 'no-stream', [e1])).toMatchObject({ revision: 0 });
    expect(await append(stream, 0, [e2, e3])).toMatchObject({ revision: 2 });
    expect(await idsOf(stream)).toEqual([e1.id, e2.id, e3.id]);
  });

  it('has a wrong version if it overlaps only in part, or at other revisions', async () => {
    const stream = newStream();
    const [e1, e2, e3] = [newEvent(), newEvent(), newEvent()];
    await append(stream, 'no-stream', [e1, e2]);
    expect(await append(stream, 'no-stream', [e2])).toBeUndefined();
    expect(await append(stream, 5, [e1, e2])).toBeUndefined();
    expect(await append(stream, 0, [e2, e3])).toBeUndefined();
  });

  it('is written again if it expects the last revision', async () => {
    const stream = newStream();
    const event = newEvent();
    await append(stream, 'no-stream', [event]);
    await append(stream, 0, [event]);
    expect(await idsOf(stream)).toEqual([event.id, event.id]);
  });

  it('keeps its first payload', async () => {
    const stream = newStream();
    const event = newEvent({ n: 1 });
    await append(stream, 'no-stream', [event]);
    await append(stream, 'no-stream', [{ ...event, data: { n: 2 } }]);
    expect((await read(stream)).map(({ data }) => data)).toEqual([{ n: 1 }]);
  });

  it.skipIf(real)('is recognised after a restart', async () => {
    const [stream, events] = [newStream(), newEvents(1)];
    const first = await append(stream, 'no-stream', events);
    await server.restart();
    expect(await eventually(() => append(stream, 'no-stream', events))).toEqual(first);
  });

  it.skipIf(real)('gets no response while the first write is in progress', async () => {
    const [stream, events] = [newStream(), newEvents(1)];
    const release = server.store.hold();
    const calls = Array.from({ length: 20 }, () => append(stream, 'no-stream', events).catch(() => 'late'));
    await Promise.race(calls);
    release();
    expect((await Promise.all(calls)).filter((outcome) => outcome === 'late')).toHaveLength(19);
    expect(await append(stream, 'no-stream', events)).toMatchObject({ revision: 0 });
    expect(await idsOf(stream)).toHaveLength(1);
  });
});

describe('reading a stream', () => {
  it('includes the start revision', async () => {
    const stream = await filled(5);
    expect(await revisionsOf(stream, { fromRevision: 2n })).toEqual([2, 3, 4]);
    expect(await revisionsOf(stream, { fromRevision: 2n, direction: BACKWARDS })).toEqual([2, 1, 0]);
    expect(await revisionsOf(stream, { fromRevision: END, direction: BACKWARDS, maxCount: 2 })).toEqual([4, 3]);
  });

  it('past the end returns nothing forwards, and starts at the last event backwards', async () => {
    const stream = await filled(3);
    expect(await revisionsOf(stream, { fromRevision: 9n })).toEqual([]);
    expect(await revisionsOf(stream, { fromRevision: 9n, direction: BACKWARDS })).toEqual([2, 1, 0]);
  });

  it('that was never written does not find it', async () => {
    for (const direction of [FORWARDS, BACKWARDS] as const) {
      const fromRevision: ReadRevision = direction === FORWARDS ? START : END;
      await expect(read(newStream(), { direction, fromRevision })).rejects.toBeInstanceOf(StreamNotFoundError);
    }
  });

  it.skipIf(real)('honours the metadata of the stream', async () => {
    const stream = await filled(10);
    await server.store.setMetadata(stream, { $maxCount: 3 });
    expect(await revisionsOf(stream)).toEqual([7, 8, 9]);
    expect(await revisionsOf(stream, { maxCount: 2 })).toEqual([7, 8]);
    await server.store.setMetadata(stream, { $tb: 8 });
    expect(await revisionsOf(stream)).toEqual([8, 9]);
    await server.store.setMetadata(stream, { $tb: 99 });
    expect(await revisionsOf(stream)).toEqual([]);
    expect(await append(stream, 9, newEvents(1))).toMatchObject({ revision: 10 });
  });
});

describe('reading the log', () => {
  const revisionsIn = async (stream: string, options: Parameters<typeof client.readAll>[0]) => {
    const revisions = [];
    for await (const { event } of client.readAll(options))
      if (event?.streamId === stream) revisions.push(Number(event.revision));
    return revisions;
  };

  it('includes the start position forwards and excludes it backwards', async () => {
    const stream = await filled(3);
    const [, second, third] = (await read(stream)).map(({ position }) => position ?? START);
    expect(await revisionsIn(stream, { fromPosition: second ?? START })).toEqual([1, 2]);
    const before = { fromPosition: third ?? START, direction: BACKWARDS, maxCount: 2 } as const;
    expect(await revisionsIn(stream, before)).toEqual([1, 0]);
  });

  it('rejects positions between events, and returns nothing past the end', async () => {
    const stream = await filled(1);
    const commit = (await read(stream))[0]?.position?.commit ?? 0n;
    const from = (at: bigint) => revisionsIn(stream, { fromPosition: { commit: at, prepare: at } });
    await expect(from(commit - 1n)).rejects.toThrow('Unexpected ReadAllResult: Error');
    expect(await from(commit * 9n)).toEqual([]);
  });
});

type From = typeof START | typeof END | Position;

const subscribe = (stream: string, fromPosition: From, more = {}) => {
  const subscription = client.subscribeToAll({
    fromPosition,
    filter: streamNameFilter({ prefixes: [stream], ...more }),
  });
  open.push(subscription);
  return subscription;
};

/** Subscribes to the events of a stream. Resolves once the subscription is live, with what it receives from then on. */
const subscribed = async (stream: string, more = {}) => {
  const received: { readonly numbers: unknown[]; error?: Error } = { numbers: [] };
  const subscription = subscribe(stream, END, more);
  let isLive = false;
  subscription.on('caughtUp', () => {
    isLive = true;
  });
  subscription.on('data', ({ event }) => void received.numbers.push(event?.data));
  subscription.on('error', (error) => {
    received.error = error;
  });
  await eventually(() => expect(isLive || received.error).toBe(true));
  return received;
};

describe('a subscription to the log', () => {
  it('from the end receives only new events', async () => {
    const stream = await filled(2);
    const received = await subscribed(stream);
    await append(stream, 1, newEvents(1, 7));
    await eventually(() => expect(received.numbers).toEqual([7]));
  });

  it('from the start reports that it has caught up behind the backlog, with checkpoints for what does not match', async () => {
    const stream = await filled(3);
    await filled(100);
    const seen: unknown[] = [];
    const checkpointReached = () => void seen.push('checkpoint');
    const subscription = subscribe(stream, START, { maxSearchWindow: 10, checkpointReached });
    subscription.on('data', ({ event }) => void seen.push(event?.data));
    subscription.on('caughtUp', () => void seen.push('caught up'));
    await eventually(() => expect(seen).toContain('caught up'));
    await append(stream, 2, newEvents(1, 3));
    await eventually(() => expect(seen.at(-1)).toBe(3));
    expect(seen.filter((each) => each !== 'checkpoint')).toEqual([0, 1, 2, 'caught up', 3]);
    expect(seen.slice(seen.indexOf(2), seen.indexOf('caught up')).length).toBeGreaterThan(9);
  });

  it('starts behind its position, which must be that of an event', async () => {
    const stream = await filled(3);
    const { commit = 0n } = (await read(stream))[1]?.position ?? {};
    const from = (at: bigint) => subscribe(stream, { commit: at, prepare: at });
    const numbers: unknown[] = [];
    from(commit).on('data', ({ event }) => void numbers.push(event?.data));
    await eventually(() => expect(numbers).toEqual([2]));
    const refused = new Promise((resolve) => from(commit - 1n).on('error', resolve));
    expect(await refused).toMatchObject({ code: 2 });
  });

  it('gets a checkpoint every 32 x interval events, even if nothing matches', async () => {
    const reached: Position[] = [];
    const checkpointReached = (_: AllStreamSubscription, position: Position) => void reached.push(position);
    await subscribed(newStream(), { maxSearchWindow: 10, checkpointReached });
    await filled(100);
    await eventually(() => expect(reached.length).toBeGreaterThanOrEqual(9));
  });

  it('is dropped by a burst of 1,000 events while live, but not by 100 events', async () => {
    const stream = newStream();
    const received = await subscribed(stream);
    await append(stream, 'no-stream', newEvents(100));
    await eventually(() => expect(received.numbers).toHaveLength(100));
    await append(stream, 99, newEvents(1_000));
    await eventually(() => expect(received.error).toBeInstanceOf(TimeoutError));
    expect(received.error).toMatchObject({ code: 10, message: expect.stringContaining('Consumer too slow') });
    expect(received.numbers.length).toBeLessThan(1_100);
  });

  it.skipIf(real).each([
    ['window of 1 and 200 events that match', 1, true],
    ['window of 32 and 200 events that match', 32, false],
  ])('needs a place for each event and each checkpoint: a %s', async (_, maxSearchWindow, isDropped) => {
    const stream = newStream();
    const received = await subscribed(stream, { maxSearchWindow, checkpointReached: () => undefined });
    await append(stream, 'no-stream', newEvents(200));
    if (isDropped) await eventually(() => expect(received.error).toBeInstanceOf(TimeoutError));
    else await eventually(() => expect(received.numbers).toHaveLength(200));
  });

  it.skipIf(real).each([
    // The HTTP/2 of Node.js 24 reports the end of a connection before the end of its streams.
    ['stopped', () => server.stop(), [13, 14]],
    ['killed', () => server.kill(), [14]],
  ] as const)('ends when the server is %s', async (_, leave, codes) => {
    const received = await eventually(() => subscribed(newStream()));
    await leave();
    await eventually(() => expect(received.error).toBeInstanceOf(Error));
    await server.start();
    expect(codes).toContain((received.error as { code?: unknown }).code);
  });
});
