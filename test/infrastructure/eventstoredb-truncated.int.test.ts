// Reads streams whose metadata hide events. No read returns the visible events as if they were the whole stream.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { StoreUnavailable, StreamTruncated } from '../../src/infrastructure/errors.js';
import { EventStoreDbFacts } from '../../src/infrastructure/facts/eventstoredb.js';
import { temporaryDirectory } from '../support/directory.js';
import { EventStoreDbServer } from '../support/eventstoredb/server.js';
import { eventually } from '../support/eventually.js';
import { collect, dataOf, newAggregate, newEvents, newStream, written } from './facts-harness.js';

const server = new EventStoreDbServer({ directory: temporaryDirectory() });
let facts: EventStoreDbFacts;

beforeAll(async () => {
  await server.start();
  facts = new EventStoreDbFacts(server.url, { deadlineMs: 20_000 });
});
afterAll(async () => {
  await facts.close();
  await server.stop();
});

const setMetadata = (stream: string, metadata: object) =>
  server.store.append(`$$${stream}`, 'any', [
    {
      id: randomUUID(),
      type: '$metadata',
      contentType: 'application/json',
      data: Buffer.from(JSON.stringify(metadata)),
      metadata: Buffer.alloc(0),
    },
  ]);
const filledStream = async (count = 10, aggregate = newAggregate()) => {
  const stream = newStream(aggregate);
  written(await facts.append(stream, 'no-stream', newEvents(count)));
  return stream;
};
const numbers = Array.from({ length: 10 }, (_, n) => n);
const expectTruncated = async (read: AsyncIterable<unknown>, stream: string, key: string) => {
  const failure = await collect(read as never).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(StreamTruncated);
  expect(failure).toMatchObject({ stream, message: expect.stringContaining(key) });
  expect((failure as Error).message).toContain(stream);
};

describe('a stream whose metadata hide events', () => {
  it.each([
    ['$maxCount', { $maxCount: 3 }],
    ['$tb', { $tb: 4 }],
    ['$tb', { $tb: 10_000 }],
  ])('cannot be read in either direction: %s %j', async (key, metadata) => {
    const stream = await filledStream();
    await setMetadata(stream, metadata);
    await expectTruncated(facts.readStream(stream), stream, key);
    await expectTruncated(facts.readStreamBackwards(stream), stream, key);
    await setMetadata(stream, { $cacheControl: 5 });
    expect(dataOf(await collect(facts.readStream(stream)))).toEqual(numbers);
    expect(dataOf(await collect(facts.readStreamBackwards(stream)))).toEqual(numbers.toReversed());
  });

  it('cannot be read once its events are too old', async () => {
    const stream = await filledStream();
    await setMetadata(stream, { $maxAge: 1 });
    await eventually(() => expectTruncated(facts.readStream(stream), stream, '$maxAge'));
    await expectTruncated(facts.readStreamBackwards(stream), stream, '$maxAge');
  });

  it('can be read only from the first visible event on', async () => {
    const stream = await filledStream();
    await setMetadata(stream, { $maxCount: 2 });
    expect(await collect(facts.readStream(stream, 10))).toEqual([]);
    expect(dataOf(await collect(facts.readStream(stream, 8)))).toEqual([8, 9]);
    await expectTruncated(facts.readStream(stream, 7), stream, '$maxCount');
  });

  it('cannot be read even if a page ends with the first visible event', async () => {
    const stream = await filledStream(1_024);
    await setMetadata(stream, { $tb: 512 });
    await expectTruncated(facts.readStreamBackwards(stream), stream, '$tb');
  });

  it('reports no conflict with events that cannot be read', async () => {
    const stream = await filledStream(3);
    await setMetadata(stream, { $tb: 10 });
    expect(await facts.append(stream, 2, newEvents(1))).toMatchObject({ outcome: 'written', revision: 3 });
    await expect(facts.append(stream, 2, newEvents(1))).rejects.toBeInstanceOf(StreamTruncated);
    await expect(facts.append(stream, 'no-stream', newEvents(1))).rejects.toBeInstanceOf(StreamTruncated);
    await setMetadata(stream, {});
    expect(await facts.append(stream, 2, newEvents(1))).toEqual({ outcome: 'conflict' });
  });

  it('is not confused with a read that is cut short, which rejects as unavailable', async () => {
    const stream = await filledStream();
    server.faults.inject('read', { kind: 'half-close' });
    await expect(collect(facts.readStream(stream))).rejects.toBeInstanceOf(StoreUnavailable);
    expect(dataOf(await collect(facts.readStream(stream)))).toEqual(numbers);
  });

  it('is complete in the log', async () => {
    const aggregate = newAggregate();
    await setMetadata(await filledStream(10, aggregate), { $maxCount: 1 });
    const { events } = await facts.readLog({ aggregates: [aggregate], after: undefined }, 100);
    expect(dataOf(events)).toEqual(numbers);
  });
});

describe('the streams whose metadata hide events', () => {
  it('are listed with the latest metadata that hide their events', async () => {
    const aggregate = newAggregate();
    const [counted, aged, cut, mended] = [
      await filledStream(2, aggregate),
      await filledStream(),
      newStream(aggregate),
      await filledStream(2, aggregate),
    ];
    for (const stream of [counted, mended]) await setMetadata(stream, { $maxCount: 3, custom: 1 });
    await setMetadata(aged, { $maxAge: 600 });
    await setMetadata(cut, { $tb: 1, $maxAge: 60, $acl: {} });
    await setMetadata(mended, { $maxCount: 0, $tb: 0, $maxAge: 'x', custom: 1 });
    await filledStream(600, aggregate);
    expect(await facts.truncations([aggregate])).toEqual([
      { stream: counted, metadata: '{"$maxCount":3}' },
      { stream: cut, metadata: '{"$tb":1,"$maxAge":60}' },
    ]);
    expect(await facts.truncations([newAggregate()])).toEqual([]);
  });
});
