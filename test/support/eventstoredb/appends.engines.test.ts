// Compares appends on the stand-in for EventStoreDB with measurements on a real node.
import {
  ANY,
  DeadlineExceededError,
  MaxAppendSizeExceededError,
  NO_STREAM,
  STREAM_EXISTS,
  StreamDeletedError,
  TimeoutError,
  UnavailableError,
  UnknownError,
  WrongExpectedVersionError,
} from '@eventstore/db-client';
import { describe, expect, it } from 'vitest';
import { Node, newEvent, newEvents, newName } from './harness.js';

const node = new Node();

describe.each(['batch', 'append'] as const)('appending by %s', (way) => {
  const append: (typeof node.ways)['batch'] = (...args) => node.ways[way](...args);
  const wrongVersion = (call: Promise<unknown>) => expect(call).rejects.toBeInstanceOf(WrongExpectedVersionError);

  describe('a write', () => {
    it('returns the last revision, and one position for commit and prepare', async () => {
      const { success, nextExpectedRevision, position } = await append(newName(), newEvents(3), NO_STREAM);
      expect([success, nextExpectedRevision]).toEqual([true, 2n]);
      expect(position?.commit).toBe(position?.prepare);
    });

    it('with a wrong version is rejected with both versions and no message', async () => {
      const stream = newName();
      await append(stream, newEvents(2), NO_STREAM);
      const error = await append(stream, newEvents(1), 7n).catch((refusal: unknown) => refusal);
      expect(error).toBeInstanceOf(WrongExpectedVersionError);
      expect(error).toMatchObject({
        type: 'wrong-expected-version',
        message: '',
        streamName: stream,
        expectedVersion: 7n,
        actualVersion: 1n,
      });
    });

    it('that expects another state of the stream is rejected', async () => {
      const stream = newName();
      await append(stream, newEvents(1), NO_STREAM);
      await wrongVersion(append(stream, newEvents(1), NO_STREAM));
      await wrongVersion(append(newName(), newEvents(1), STREAM_EXISTS));
      const missing = append(newName(), newEvents(1), 0n);
      await expect(missing).rejects.toMatchObject({ expectedVersion: 0n, actualVersion: 'no_stream' });
    });

    it('without events only checks the version', async () => {
      const stream = newName();
      await append(stream, newEvents(2), NO_STREAM);
      expect(await append(stream, [], 1n)).toMatchObject({ success: true, nextExpectedRevision: 1n });
      await wrongVersion(append(stream, [], 0n));
    });

    it('may have at most 1 MiB of data', async () => {
      const text = (bytes: number) => newEvent('x'.repeat(bytes - 2));
      await append(newName(), [text(1_048_576)], NO_STREAM);
      const tooLarge = append(newName(), [text(1_000_000), text(48_577)], NO_STREAM);
      await expect(tooLarge).rejects.toBeInstanceOf(MaxAppendSizeExceededError);
      await expect(tooLarge).rejects.toMatchObject({ maxAppendSize: 1_048_576 });
    });
  });

  describe('a repeated write', () => {
    it.each([NO_STREAM, ANY, STREAM_EXISTS] as const)('is recognised as a whole (%s)', async (expected) => {
      const stream = newName();
      const events = newEvents(2);
      const first = await append(stream, events, NO_STREAM);
      await append(stream, newEvents(1), 1n);
      expect(await append(stream, events, expected)).toEqual(first);
      expect(await node.idsOf(stream)).toHaveLength(3);
    });

    it('is recognised in part and across two appends', async () => {
      const stream = newName();
      const [e1, e2, e3] = [newEvent(), newEvent(), newEvent()];
      await append(stream, [e1, e2], NO_STREAM);
      await append(stream, [e3], 1n);
      expect(await append(stream, [e1], NO_STREAM)).toMatchObject({ nextExpectedRevision: 0n });
      expect(await append(stream, [e1], ANY)).toMatchObject({ nextExpectedRevision: 0n });
      expect(await append(stream, [e2], 0n)).toMatchObject({ nextExpectedRevision: 1n });
      expect(await append(stream, [e2, e3], 0n)).toMatchObject({ nextExpectedRevision: 2n });
      expect(await node.idsOf(stream)).toEqual([e1.id, e2.id, e3.id]);
    });

    it('has a wrong version if it overlaps only in part, or at other revisions', async () => {
      const stream = newName();
      const [e1, e2, e3, e4] = [newEvent(), newEvent(), newEvent(), newEvent()];
      await append(stream, [e1, e2], NO_STREAM);
      await append(stream, [e3], 1n);
      await wrongVersion(append(stream, [e2], NO_STREAM));
      await wrongVersion(append(stream, [e1, e2], 5n));
      await wrongVersion(append(stream, [e3, e4], 1n));
      await expect(append(stream, [e3, e4], ANY)).rejects.toMatchObject({ expectedVersion: 'any' });
    });

    it('is written again if it expects the last revision, or begins with a new id under ANY', async () => {
      const stream = newName();
      const [e1, e2] = [newEvent(), newEvent()];
      await append(stream, [e1], NO_STREAM);
      await append(stream, [e1], 0n);
      expect(await node.idsOf(stream)).toEqual([e1.id, e1.id]);
      await append(stream, [e2, e1], ANY);
      expect(await node.idsOf(stream)).toEqual([e1.id, e1.id, e2.id, e1.id]);
    });

    it('keeps its first payload', async () => {
      const stream = newName();
      const event = newEvent({ n: 1 });
      await append(stream, [event], NO_STREAM);
      await append(stream, [{ ...event, data: { n: 2 } } as typeof event], NO_STREAM);
      for await (const { event: read } of node.client.readStream(stream)) expect(read?.data).toEqual({ n: 1 });
    });

    it('is recognised in one stream only under ANY, in every stream under NO_STREAM', async () => {
      const [one, two, three] = [newName(), newName(), newName()];
      const event = newEvent();
      await append(one, [event], NO_STREAM);
      await append(two, [event], ANY);
      await append(two, [event], ANY);
      expect(await node.idsOf(two)).toEqual([event.id, event.id]);
      await append(three, [event], NO_STREAM);
      await append(three, [event], NO_STREAM);
      expect(await node.idsOf(three)).toEqual([event.id]);
    });

    it.skipIf(node.real)('is not recognised after a restart under ANY, but is under an exact version', async () => {
      const [any, exact] = [newName(), newName()];
      const event = newEvent();
      await append(any, [event], ANY);
      const first = await append(exact, [event], NO_STREAM);
      await node.server.restart();
      await reachable();
      await append(any, [event], ANY);
      expect(await node.idsOf(any)).toEqual([event.id, event.id]);
      expect(await append(exact, [event], NO_STREAM)).toEqual(first);
    });

    it.skipIf(node.real)('gets no response while the first write is in progress', async () => {
      const stream = newName();
      const events = newEvents(1);
      const release = node.server.store.hold();
      const calls = Array.from({ length: 20 }, () =>
        append(stream, events, NO_STREAM).catch((error: unknown) => error),
      );
      await Promise.race(calls);
      release();
      const outcomes = await Promise.all(calls);
      expect(outcomes.filter((outcome) => !(outcome instanceof Error))).toHaveLength(1);
      const late = way === 'batch' ? DeadlineExceededError : TimeoutError;
      expect(outcomes.filter((outcome) => outcome instanceof late)).toHaveLength(19);
      expect(await append(stream, events, NO_STREAM)).toMatchObject({ nextExpectedRevision: 0n });
      expect(await node.idsOf(stream)).toHaveLength(1);
    });
  });

  describe('a stream', () => {
    it('accepts one of 100 concurrent writes at the same version', async () => {
      const stream = newName();
      const calls = Array.from({ length: 100 }, () => append(stream, newEvents(1), NO_STREAM));
      const outcomes = await Promise.allSettled(calls);
      const lost = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []));
      expect(lost).toHaveLength(99);
      for (const error of lost) expect(error).toMatchObject({ type: 'wrong-expected-version', actualVersion: 0n });
    });

    it('continues its revisions after a soft delete', async () => {
      const stream = newName();
      await append(stream, newEvents(5), NO_STREAM);
      await node.client.deleteStream(stream);
      await expect(append(stream, newEvents(1), STREAM_EXISTS)).rejects.toBeInstanceOf(StreamDeletedError);
      await expect(append(stream, newEvents(1), 3n)).rejects.toMatchObject({ actualVersion: 4n });
      expect(await append(stream, newEvents(1), NO_STREAM)).toMatchObject({ nextExpectedRevision: 5n });
      expect(await node.idsOf(stream)).toHaveLength(1);
      expect((await node.client.getStreamMetadata(stream)).metadata).toMatchObject({ truncateBefore: 5 });
    });

    it('with metadata only counts as existing for STREAM_EXISTS', async () => {
      const stream = newName();
      await node.client.setStreamMetadata(stream, { maxCount: 3 });
      expect(await append(stream, newEvents(1), STREAM_EXISTS)).toMatchObject({ nextExpectedRevision: 0n });
    });

    it('with a tombstone rejects every write', async () => {
      const stream = newName();
      await node.client.tombstoneStream(stream);
      for (const expected of [ANY, NO_STREAM, 0n] as const) {
        const refused = append(stream, newEvents(1), expected);
        await expect(refused).rejects.toBeInstanceOf(StreamDeletedError);
        await expect(refused).rejects.toMatchObject({ streamName: stream });
      }
    });
  });

  it.skipIf(node.real)('is rejected while the server is not ready', async () => {
    node.server.isReady = false;
    const refused = append(newName(), newEvents(1), NO_STREAM).finally(() => {
      node.server.isReady = true;
    });
    await expect(refused).rejects.toBeInstanceOf(way === 'batch' ? UnknownError : UnavailableError);
    await expect(refused).rejects.toThrow('Server Is Not Ready');
    await reachable();
  });
});

// The first call after a restart may find that its connection is closed.
const reachable = () => node.idsOf(newName()).catch(() => node.idsOf(newName()).catch(() => []));
