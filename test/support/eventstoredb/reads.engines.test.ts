// Compares reads and deletes on the stand-in for EventStoreDB with measurements on a real node.
import {
  BACKWARDS,
  binaryEvent,
  END,
  FORWARDS,
  jsonEvent,
  NO_STREAM,
  type ReadPosition,
  type ReadRevision,
  START,
  StreamDeletedError,
  StreamNotFoundError,
  UnavailableError,
  UnknownError,
  WrongExpectedVersionError,
} from '@eventstore/db-client';
import { describe, expect, it } from 'vitest';
import { Node, newEvent, newEvents, newName } from './harness.js';

const node = new Node();

const read = async (stream: string, options: Parameters<typeof node.client.readStream>[1] = {}) => {
  const events = [];
  for await (const { event } of node.client.readStream(stream, options)) if (event !== undefined) events.push(event);
  return events;
};

const revisions = async (...args: Parameters<typeof read>) =>
  (await read(...args)).map(({ revision }) => Number(revision));

const readAll = async (options: Parameters<typeof node.client.readAll>[0]) => {
  const events = [];
  for await (const { event } of node.client.readAll(options)) if (event !== undefined) events.push(event);
  return events;
};

const written = async (count: number): Promise<string> => {
  const stream = newName();
  await node.ways.batch(stream, newEvents(count), NO_STREAM);
  return stream;
};

describe('reading a stream', () => {
  it('includes the start revision', async () => {
    const stream = await written(5);
    expect(await revisions(stream, { fromRevision: 2n })).toEqual([2, 3, 4]);
    expect(await revisions(stream, { fromRevision: 2n, direction: BACKWARDS })).toEqual([2, 1, 0]);
    expect(await revisions(stream, { fromRevision: END, direction: BACKWARDS, maxCount: 2 })).toEqual([4, 3]);
    expect(await revisions(stream, { fromRevision: START, direction: BACKWARDS })).toEqual([0]);
  });

  it('past the end returns nothing forwards, and starts at the last event backwards', async () => {
    const stream = await written(3);
    expect(await revisions(stream, { fromRevision: 9n })).toEqual([]);
    expect(await revisions(stream, { fromRevision: 9n, direction: BACKWARDS })).toEqual([2, 1, 0]);
  });

  it('with invalid options fails with an unknown error', async () => {
    const stream = await written(1);
    const unexpected = 'Unexpected ReadStreamResult: Error';
    await expect(read(stream, { fromRevision: END, direction: FORWARDS })).rejects.toThrow(unexpected);
    await expect(read(stream, { maxCount: 0 })).rejects.toThrow(unexpected);
    for (const call of [read(stream, { fromRevision: 2n ** 63n }), read('')]) {
      await expect(call).rejects.toBeInstanceOf(UnknownError);
      await expect(call).rejects.toMatchObject({ code: 2, message: expect.stringContaining('thrown by handler') });
    }
  });

  it('returns events as they were written', async () => {
    const stream = newName();
    const bytes = binaryEvent({ type: 'Bytes', data: Buffer.from([1, 2]), metadata: Buffer.from([3]) });
    const json = jsonEvent({ type: 'Json', data: { n: 1 }, metadata: { m: 2 } });
    await node.ways.batch(stream, [json, bytes, newEvent()], NO_STREAM);
    const [first, second, third] = await read(stream);
    expect(first).toMatchObject({ ...{ id: json.id, type: 'Json', data: { n: 1 }, metadata: { m: 2 } }, isJson: true });
    expect(first?.created).toBeInstanceOf(Date);
    expect(second).toMatchObject({ isJson: false, data: new Uint8Array([1, 2]), metadata: new Uint8Array([3]) });
    expect(third?.metadata).toBeUndefined();
  });

  it.each([
    ['never written', () => newName()],
    ['with metadata only', () => named((stream) => node.client.setStreamMetadata(stream, { maxCount: 1 }))],
    [
      'soft-deleted',
      () =>
        named((stream) =>
          node.ways.batch(stream, newEvents(1), NO_STREAM).then(() => node.client.deleteStream(stream)),
        ),
    ],
  ])('%s is not found', async (_, make) => {
    const stream = await make();
    for (const direction of [FORWARDS, BACKWARDS] as const) {
      const fromRevision: ReadRevision = direction === FORWARDS ? START : END;
      await expect(read(stream, { direction, fromRevision })).rejects.toBeInstanceOf(StreamNotFoundError);
    }
  });

  it('with a tombstone is rejected', async () => {
    const stream = await named((name) => node.client.tombstoneStream(name));
    await expect(read(stream)).rejects.toMatchObject({ type: 'stream-deleted', code: 9, streamName: stream });
    await expect(node.client.setStreamMetadata(stream, {})).rejects.toBeInstanceOf(StreamDeletedError);
  });

  it('honours the metadata of the stream', async () => {
    const stream = await written(10);
    await node.client.setStreamMetadata(stream, { maxCount: 3 });
    expect(await revisions(stream)).toEqual([7, 8, 9]);
    expect(await revisions(stream, { maxCount: 2 })).toEqual([7, 8]);
    await node.client.setStreamMetadata(stream, { truncateBefore: 8 });
    expect(await revisions(stream)).toEqual([8, 9]);
    await node.client.setStreamMetadata(stream, { truncateBefore: 99 });
    expect(await revisions(stream)).toEqual([]);
    expect(await node.ways.batch(stream, newEvents(1), 9n)).toMatchObject({ nextExpectedRevision: 10n });
  });

  it.skipIf(node.real)('is unavailable while the server is not ready or down', async () => {
    const stream = await written(1);
    node.server.isReady = false;
    await expect(read(stream)).rejects.toThrow('Server Is Not Ready');
    node.server.isReady = true;
    await node.server.kill();
    await expect(read(stream)).rejects.toBeInstanceOf(UnavailableError);
    await node.server.start();
    await read(stream).catch(() => read(stream));
  });
});

describe('reading the log', () => {
  it('includes the start position forwards and excludes it backwards', async () => {
    const stream = await written(3);
    const [first, second, third] = await read(stream);
    const of = (events: readonly { readonly streamId: string; readonly revision: bigint }[]) =>
      events.filter(({ streamId }) => streamId === stream).map(({ revision }) => Number(revision));
    const from = (event: typeof first): { fromPosition: ReadPosition } => ({ fromPosition: event?.position ?? START });
    expect(of(await readAll(from(second)))).toEqual([1, 2]);
    expect(of(await readAll({ ...from(third), direction: BACKWARDS, maxCount: 2 }))).toEqual([1, 0]);
    expect(first?.position?.commit).toBe(first?.position?.prepare);
  });

  it('rejects positions between events, and returns nothing past the end', async () => {
    const [event] = await read(await written(1));
    const { commit, prepare } = event?.position ?? { commit: 0n, prepare: 0n };
    const between = readAll({ fromPosition: { commit: commit - 1n, prepare: prepare - 1n } });
    await expect(between).rejects.toThrow('Unexpected ReadAllResult: Error');
    await expect(readAll({ fromPosition: { commit, prepare: prepare + 1n } })).rejects.toThrow('thrown by handler');
    expect(await readAll({ fromPosition: { commit: commit * 9n, prepare: prepare * 9n } })).toEqual([]);
    expect(await readAll({ fromPosition: END })).toEqual([]);
  });

  it('returns deleted events and the tombstone', async () => {
    const stream = await written(2);
    await node.client.deleteStream(stream);
    await node.client.tombstoneStream(stream);
    const its = (await readAll({})).filter(({ streamId }) => streamId === stream);
    expect(its.map(({ type }) => type)).toEqual(['Happened', 'Happened', '$streamDeleted']);
    expect(its[2]?.revision).toBe(2n ** 63n - 1n);
  });
});

describe('deleting', () => {
  it('a stream that was never written fails with a wrong version, but a tombstone succeeds', async () => {
    const stream = newName();
    const refused = node.client.deleteStream(stream);
    await expect(refused).rejects.toBeInstanceOf(WrongExpectedVersionError);
    await expect(refused).rejects.toMatchObject({ code: 9, expectedVersion: -2n, actualVersion: -1n });
    expect(await node.client.tombstoneStream(stream)).toMatchObject({ position: { commit: expect.any(BigInt) } });
  });

  it('again succeeds, but a second tombstone fails', async () => {
    const stream = await written(1);
    await node.client.deleteStream(stream);
    await node.client.deleteStream(stream);
    await node.client.tombstoneStream(stream);
    await expect(node.client.tombstoneStream(stream)).rejects.toBeInstanceOf(StreamDeletedError);
    await expect(node.client.deleteStream(stream)).rejects.toBeInstanceOf(StreamDeletedError);
  });
});

const named = async (prepare: (stream: string) => Promise<unknown>): Promise<string> => {
  const stream = newName();
  await prepare(stream);
  return stream;
};
