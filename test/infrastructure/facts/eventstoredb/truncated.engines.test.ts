// Reads streams whose metadata hide events. No read returns the visible events as if they were the whole stream.
import { beforeEach, describe, expect, it } from 'vitest';
import { StoreUnavailable, StreamTruncated } from '../../../../src/infrastructure/errors.js';
import type { EventStoreDbFacts } from '../../../../src/infrastructure/facts/eventstoredb.js';
import { eventually } from '../../../support/eventually.js';
import { collect, dataOf, newAggregate, newEvents, newStream, written } from '../support/harness.js';
import { sharedNode } from './support/node.js';

const { server, open } = sharedNode();
let facts: EventStoreDbFacts;
beforeEach(() => {
  facts = open();
});

const setMetadata = (stream: string, metadata: object) => server.store.setMetadata(stream, metadata);
const filledStream = async (count = 10, aggregate = newAggregate()) => {
  const stream = newStream(aggregate);
  written(await facts.append(stream, 'no-stream', newEvents(count)));
  return stream;
};
const numbers = Array.from({ length: 10 }, (_, n) => n);
const expectTruncated = async (read: AsyncIterable<unknown>, stream: string) => {
  const failure = await collect(read as never).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(StreamTruncated);
  expect(failure).toMatchObject({ stream, message: expect.stringContaining(stream) });
};

describe('a stream whose metadata hide events', () => {
  it.each([{ $maxCount: 3 }, { $tb: 4 }, { $tb: 10_000 }])(
    'cannot be read in either direction: %j',
    async (metadata) => {
      const stream = await filledStream();
      await setMetadata(stream, metadata);
      await expectTruncated(facts.readStream(stream), stream);
      await expectTruncated(facts.readStream(stream, { backwards: true }), stream);
      await setMetadata(stream, { $cacheControl: 5 });
      expect(dataOf(await collect(facts.readStream(stream)))).toEqual(numbers);
      expect(dataOf(await collect(facts.readStream(stream, { backwards: true })))).toEqual(numbers.toReversed());
    },
  );

  it('cannot be read once its events are too old', async () => {
    const stream = await filledStream();
    await setMetadata(stream, { $maxAge: 1 });
    await eventually(() => expectTruncated(facts.readStream(stream), stream));
    await expectTruncated(facts.readStream(stream, { backwards: true }), stream);
  });

  it('can be read only from the first visible event on', async () => {
    const stream = await filledStream();
    await setMetadata(stream, { $maxCount: 2 });
    expect(await collect(facts.readStream(stream, { from: 10 }))).toEqual([]);
    expect(dataOf(await collect(facts.readStream(stream, { from: 8 })))).toEqual([8, 9]);
    await expectTruncated(facts.readStream(stream, { from: 7 }), stream);
  });

  it('cannot be read even if a page ends with the first visible event', async () => {
    const stream = await filledStream(1_024);
    await setMetadata(stream, { $tb: 512 });
    await expectTruncated(facts.readStream(stream, { backwards: true }), stream);
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

  it.each([1, 99])('is not confused with %i reads that are cut short', async (times) => {
    const stream = await filledStream();
    server.faults.inject('read', { kind: 'half-close' }, { times });
    const read = collect(facts.readStream(stream));
    if (times === 1) expect(dataOf(await read)).toEqual(numbers);
    else await expect(read).rejects.toBeInstanceOf(StoreUnavailable);
    server.faults.clear();
    expect(dataOf(await collect(facts.readStream(stream)))).toEqual(numbers);
  });

  it('is complete in the log', async () => {
    const aggregate = newAggregate();
    await setMetadata(await filledStream(10, aggregate), { $maxCount: 1 });
    const { events } = await facts.readLog({ aggregates: [aggregate], after: undefined }, 100);
    expect(dataOf(events)).toEqual(numbers);
  });
});
