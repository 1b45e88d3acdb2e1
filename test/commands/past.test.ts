// The past of aggregates: each time has the state of a plain fold, and many reads cost few folds.
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { operatorContext } from '../../src/cli/operator.js';
import { Streams } from '../../src/commands/streams.js';
import { type Walker, Walks, WalksBusy } from '../../src/commands/walks.js';
import type { Facts, RecordedEvent } from '../../src/infrastructure/facts/facts.js';
import { eventsOf } from '../../src/infrastructure/facts/revisions.js';
import { expectTurns } from '../support/event-loop.js';
import { someone } from './support/walker.js';

const START = Date.UTC(2026, 0, 5);
const instant = (ms: number) => new Date(START + ms).toISOString();

/** Counts its events. Each event takes as long as the decryption of a large one. */
const counted = (aggregate = 'counter', busyMs = 0) => ({
  aggregate,
  initialState: 0,
  evolve: {
    Counted: (count: number) => {
      for (const end = performance.now() + busyMs; performance.now() < end; );
      return count + 1;
    },
  },
});

const PAGE = 256;

/** Returns facts in memory with a stream of events at these times for each id. `reads` lists the streams that were read. */
const factsAt = (times: readonly number[]) => {
  const all = [...times];
  const reads: string[] = [];
  const recorded = (stream: string, ms: number, revision: number): RecordedEvent => {
    const metadata = { ...operatorContext(), at: instant(ms), schemaVersion: 1 };
    return { stream, revision, id: `${revision}`, type: 'Counted', data: null, metadata, position: `${revision}` };
  };
  const facts: Pick<Facts, 'readStream'> = {
    async *readStream(stream, range = {}) {
      if ((range.from ?? 0) < all.length) reads.push(stream);
      yield* eventsOf(stream, range, async ({ from = 0 }) => ({
        events: all.slice(from, from + PAGE).map((ms, index) => recorded(stream, ms, from + index)),
        complete: from + PAGE >= all.length,
      }));
    },
  };
  return { facts: facts as Facts, reads, add: (ms: number) => all.push(ms) };
};

const upTo = (count: number) => Array.from({ length: count }, (_, index) => index);

/** Returns facts whose reads wait until they are released, and the streams that are being read. */
const heldFacts = () => {
  const held: { readonly stream: string; readonly release: () => void }[] = [];
  const facts: Pick<Facts, 'readStream'> = {
    async *readStream(stream) {
      await new Promise<void>((release) => held.push({ stream, release }));
    },
  };
  return { facts: facts as Facts, held };
};

describe('an aggregate as of a time', () => {
  it('is the fold of all events up to the time, at every time, however many are read together', async () => {
    const times = [0, 0, 5, 7, 7, 7, 20, 300, 300, 301];
    const { facts } = factsAt(times);
    const expected = (ms: number) => times.filter((time) => time <= ms).length;
    const probes = [-1, ...times, ...times.map((ms) => ms + 1), 1_000_000];
    const streams = new Streams(facts);
    for (let round = 0; round < 2; round += 1) {
      const read = await Promise.all(probes.map((ms) => streams.asOf(counted(), 'a', instant(ms), someone())));
      expect(read.map(({ state }) => state)).toEqual(probes.map(expected));
      expect(read.map(({ revision }) => revision)).toEqual(probes.map((ms) => expected(ms) - 1));
    }
    const beyond = await streams.asOf(counted(), 'a', '+010000-01-01T00:00:00.000Z', someone());
    expect(beyond.state).toBe(times.length);
  });

  it('contains what was recorded before the read, also while an earlier fold is running', async () => {
    const { facts, add } = factsAt(upTo(3_000));
    const streams = new Streams(facts);
    const early = streams.asOf(counted(), 'a', instant(100_000), someone());
    await pause(1);
    add(50_000);
    expect((await streams.asOf(counted(), 'a', instant(100_000), someone())).state).toBe(3_001);
    expect((await early).state).toBeGreaterThanOrEqual(3_000);
  });
});

describe('many reads of the past', () => {
  it('of one stream share one fold, whatever their times are', async () => {
    const { facts, reads } = factsAt(upTo(600));
    const streams = new Streams(facts);
    const read = await Promise.all(upTo(600).map((ms) => streams.asOf(counted(), 'a', instant(ms % 300), someone())));
    expect(read.map(({ state }) => state)).toEqual(upTo(600).map((ms) => (ms % 300) + 1));
    expect(reads).toHaveLength(1);
  });

  it('of the present read the stream once, even one after another', async () => {
    const { facts, reads } = factsAt(upTo(600));
    const streams = new Streams(facts);
    for (const ms of [600, 700, 1_000_000]) {
      expect((await streams.asOf(counted(), 'a', instant(ms), someone())).state).toBe(600);
    }
    expect(reads).toHaveLength(1);
  });

  it('count the events that they fold for their caller, and begin only if the caller may read the past', async () => {
    const { facts, reads } = factsAt(upTo(600));
    const counts: number[] = [];
    const walker = (): Walker => ({
      ...someone(),
      checkPast: async () => {
        if (counts.length === 2) throw new Error('too many events');
      },
      countPast: (events) => counts.push(events),
    });
    const streams = new Streams(facts);
    await Promise.all([0, 299].map((ms) => streams.asOf(counted(), 'a', instant(ms), walker())));
    await streams.asOf(counted(), 'a', instant(9), walker());
    expect(counts).toEqual([301, 11]);
    await expect(streams.asOf(counted(), 'a', instant(9), walker())).rejects.toThrow('too many events');
    expect(reads).toHaveLength(2);
  });

  it('reject after they have waited too long, and leave their place to the next', async () => {
    const { facts, held } = heldFacts();
    const streams = new Streams(facts, undefined, new Walks(20));
    const read = (id: string) => streams.asOf(counted(), id, instant(0), { caller: id, isOverseer: false });
    const running = ['a', 'b'].map(read);
    const late = ['c', 'd'].map(read);
    for (const each of late) await expect(each).rejects.toThrow(WalksBusy);
    expect(held.map(({ stream }) => stream)).toEqual(['counter-a', 'counter-b']);
    for (const { release } of held.splice(0)) release();
    expect((await Promise.all(running)).map(({ revision }) => revision)).toEqual([-1, -1]);
    const next = read('c');
    await pause(1);
    for (const { release } of held) release();
    expect((await next).revision).toBe(-1);
  });

  it.each([
    { count: 600, busyMs: 0.1 },
    { count: 6_000, busyMs: 0.02 },
  ])('of streams of $count events leave the event loop to others', async ({ count, busyMs }) => {
    const { facts } = factsAt(upTo(count));
    await expectTurns(async () => {
      const streams = new Streams(facts);
      const slow = counted('counter', busyMs);
      const reads = upTo(60).map((n) => streams.asOf(slow, `${n % 2}`, instant(count - 2 - n), someone()));
      await Promise.all(reads);
    });
  });
});
