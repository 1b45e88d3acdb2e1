// Compares the stand-in for EventStoreDB with measurements on a real node: writes and reads.
import {
  BACKWARDS,
  END,
  type EventStoreDBClient,
  FORWARDS,
  type ReadRevision,
  START,
  StreamNotFoundError,
} from '@eventstore/db-client';
import { describe, expect, it } from 'vitest';
import { newEvent, newEvents, newStream } from '../../infrastructure/facts/support/harness.js';
import { eventually } from '../eventually.js';
import { compared, standInOnly } from './compared.js';

const { server, client, append, filled, read, otherVersion } = compared();
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

  // KurrentDB 26.1.0 takes a batch of 5 MB.
  it('may have at most 1 MiB of data, in 23.10', async ({ skip }) => {
    const reason = await otherVersion();
    skip(reason !== undefined, reason);
    const text = (bytes: number) => newEvent('x'.repeat(bytes - 2));
    await append(newStream(), 'no-stream', [text(1_048_576)]);
    const tooLarge = append(newStream(), 'no-stream', [text(1_000_000), text(48_577)]);
    await expect(tooLarge).rejects.toMatchObject({ type: 'maximum-append-size-exceeded' });
  });

  it('to a stream with a tombstone is rejected, and the stream cannot be read', async ({ skip }) => {
    skip(standInOnly !== undefined, standInOnly);
    const stream = await filled(1);
    await server.store.tombstone(stream);
    await expect(append(stream, 'no-stream', newEvents(1))).rejects.toMatchObject({ type: 'stream-deleted' });
    await expect(read(stream)).rejects.toMatchObject({ type: 'stream-deleted', code: 9, streamName: stream });
  });

  it('is rejected while the server is not ready', async ({ skip }) => {
    skip(standInOnly !== undefined, standInOnly);
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

  it('is recognised after a restart', async ({ skip }) => {
    skip(standInOnly !== undefined, standInOnly);
    const [stream, events] = [newStream(), newEvents(1)];
    const first = await append(stream, 'no-stream', events);
    await server.restart();
    expect(await eventually(() => append(stream, 'no-stream', events))).toEqual(first);
  });

  it('gets no response while the first write is in progress', async ({ skip }) => {
    skip(standInOnly !== undefined, standInOnly);
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

  it('honours the metadata of the stream', async ({ skip }) => {
    skip(standInOnly !== undefined, standInOnly);
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
  const revisionsIn = async (stream: string, options: Parameters<EventStoreDBClient['readAll']>[0]) => {
    const revisions = [];
    for await (const { event } of client().readAll(options))
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
    // The first text was measured on 23.10.6, the second on KurrentDB 26.1.0.
    const text = (await otherVersion()) === undefined ? 'Unexpected ReadAllResult: Error' : 'InvalidPosition';
    await expect(from(commit - 1n)).rejects.toThrow(text);
    expect(await from(commit * 9n)).toEqual([]);
  });
});
