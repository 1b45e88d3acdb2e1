// The guarantees that every engine of the facts gives.
import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { AppendTooLarge, MAX_APPEND_BYTES } from '../../../src/infrastructure/errors.js';
import type { Facts, NewEvent } from '../../../src/infrastructure/facts/facts.js';
import type { NewStore } from '../support/two-engines.js';
import { logSuite } from './log.suite.js';
import { subscribeSuite } from './subscribe.suite.js';
import { collect, dataOf, Log, newEvent, newEvents, newStream, written } from './support/harness.js';

/** Declares the contract of the facts for the engine that `open` opens. */
export const factsSuite = (name: string, newLog: NewStore<Facts>, maxBytes = MAX_APPEND_BYTES): void => {
  describe(`the facts on ${name}`, () => {
    const log = new Log(newLog);
    const read = (stream: string) => collect(log.facts.readStream(stream));

    logSuite(log);
    subscribeSuite(log);

    describe('append', () => {
      it('starts a stream, and continues after its last revision', async () => {
        const stream = newStream();
        const first = written(await log.facts.append(stream, 'no-stream', newEvents(2)));
        const second = written(await log.facts.append(stream, 1, newEvents(3, 2)));
        expect([first.revision, second.revision]).toEqual([1, 4]);
        expect(second.position > first.position).toBe(true);
        const events = await read(stream);
        expect(dataOf(events)).toEqual([0, 1, 2, 3, 4]);
        expect([events[1]?.position, events[4]?.position]).toEqual([first.position, second.position]);
      });

      it('stores an event unchanged', async () => {
        const stream = newStream();
        const event = newEvent({ 'a.b': [null, { $x: 'naïve 🩺 "quoted"\n' }], n: -0.1, no: false, none: null });
        const { position } = written(await log.facts.append(stream, 'no-stream', [event]));
        expect(await read(stream)).toStrictEqual([{ ...event, stream, revision: 0, position }]);
      });

      it('stores metadata without an origin', async () => {
        const stream = newStream();
        const { origin, ...metadata } = newEvent().metadata;
        await log.facts.append(stream, 'no-stream', [{ ...newEvent(), metadata }]);
        expect((await read(stream))[0]?.metadata).toStrictEqual(metadata);
      });

      it('is visible to other processes immediately', async () => {
        const stream = newStream();
        await log.facts.append(stream, 'no-stream', newEvents(2));
        expect(dataOf(await collect(log.beside.readStream(stream)))).toEqual([0, 1]);
      });

      it('conflicts if the stream has another revision, and then writes nothing', async () => {
        const stream = newStream();
        await log.facts.append(stream, 'no-stream', newEvents(3));
        for (const expected of ['no-stream', 0, 1, 3, 99] as const) {
          expect(await log.facts.append(stream, expected, newEvents(2, 100))).toEqual({ outcome: 'conflict' });
        }
        expect(dataOf(await read(stream))).toEqual([0, 1, 2]);
      });

      it('conflicts if it expects a revision of a stream that does not exist', async () => {
        const stream = newStream();
        expect(await log.facts.append(stream, 0, newEvents(1))).toEqual({ outcome: 'conflict' });
        expect(await read(stream)).toEqual([]);
      });

      it.each(['no-stream', 1] as const)('lets one of 50 concurrent writers win (%s)', async (expected) => {
        const stream = newStream();
        if (expected === 1) await log.facts.append(stream, 'no-stream', newEvents(2));
        const before = (await read(stream)).length;
        const outcomes = await Promise.all(
          Array.from({ length: 50 }, (_, writer) =>
            (writer % 2 ? log.facts : log.beside).append(stream, expected, [
              newEvent({ writer }),
              newEvent({ writer }),
            ]),
          ),
        );
        const winner = outcomes.findIndex(({ outcome }) => outcome === 'written');
        expect(outcomes.filter(({ outcome }) => outcome === 'conflict')).toHaveLength(49);
        expect(dataOf(await read(stream)).slice(before)).toEqual([{ writer: winner }, { writer: winner }]);
      });
    });

    describe('a repeated append', () => {
      it.each(['no-stream', 1] as const)('returns the first outcome and writes nothing (%s)', async (expected) => {
        const stream = newStream();
        if (expected === 1) await log.facts.append(stream, 'no-stream', newEvents(2));
        const events = newEvents(2);
        const first = written(await log.facts.append(stream, expected, events));
        expect(await log.facts.append(stream, expected, events)).toEqual(first);
        expect(await log.beside.append(stream, expected, events)).toEqual(first);
        await log.facts.append(stream, first.revision, newEvents(3));
        expect(await log.facts.append(stream, expected, events)).toEqual(first);
        expect(await read(stream)).toHaveLength(first.revision + 4);
      });

      it('is a different append if an id differs', async () => {
        const stream = newStream();
        const [first, second] = [newEvent(), newEvent()];
        await log.facts.append(stream, 'no-stream', [first, second]);
        for (const events of [
          [first, newEvent()],
          [newEvent(), second],
          [second, first],
        ]) {
          expect(await log.facts.append(stream, 'no-stream', events)).toEqual({ outcome: 'conflict' });
        }
      });
    });

    describe('an append that is too large', () => {
      const text = (bytes: number) => 'x'.repeat(bytes - 2);

      it('is rejected, and nothing is written', async () => {
        const stream = newStream();
        const half = Math.ceil(maxBytes / 2);
        for (const data of [[text(maxBytes + 1)], [text(half), text(half), 'one more']]) {
          const events = data.map((each) => newEvent(each));
          await expect(log.facts.append(stream, 'no-stream', events)).rejects.toBeInstanceOf(AppendTooLarge);
        }
        expect(await read(stream)).toEqual([]);
      });

      it('is rejected before its stream is read', async () => {
        const events = [newEvent(text(maxBytes + 1))];
        await expect(log.facts.append(newStream(), 7, events)).rejects.toBeInstanceOf(AppendTooLarge);
      });

      it('is measured in bytes, not in characters', async () => {
        const events = [newEvent('é'.repeat(Math.ceil(maxBytes / 2)))];
        await expect(log.facts.append(newStream(), 'no-stream', events)).rejects.toBeInstanceOf(AppendTooLarge);
      });

      it('is above the limit, not at the limit', async () => {
        const stream = newStream();
        const data = text(maxBytes);
        expect(await log.facts.append(stream, 'no-stream', [newEvent(data)])).toMatchObject({ outcome: 'written' });
        expect((await read(stream))[0]?.data).toBe(data);
      });
    });

    describe('a burst of appends', () => {
      it('fails only for its invalid appends', async () => {
        const taken = newStream();
        await log.facts.append(taken, 'no-stream', newEvents(1));
        const [good, rest] = [newStreams(30), newStreams(30)];
        const write = (stream: string) => log.facts.append(stream, 'no-stream', newEvents(2));
        const tooLarge = () => log.facts.append(newStream(), 'no-stream', [newEvent('x'.repeat(maxBytes))]);

        const settled = await Promise.allSettled([...good.map(write), tooLarge(), write(taken), ...rest.map(write)]);
        expect(settled[30]).toMatchObject({ status: 'rejected', reason: expect.any(AppendTooLarge) });
        expect(settled[31]).toEqual({ status: 'fulfilled', value: { outcome: 'conflict' } });
        const read = await Promise.all([...good, ...rest].map((stream) => collect(log.facts.readStream(stream))));
        expect(read.map(dataOf)).toEqual(read.map(() => [0, 1]));
        expect(await collect(log.facts.readStream(taken))).toHaveLength(1);
      });

      it('to one stream is applied in the order of its calls', async () => {
        const stream = newStream();
        const appends = Array.from({ length: 20 }, (_, n) =>
          log.facts.append(stream, n === 0 ? 'no-stream' : n - 1, [newEvent(n)]),
        );
        const outcomes = await Promise.all(appends);
        expect(outcomes).toMatchObject(outcomes.map((_, revision) => ({ outcome: 'written', revision })));
      });

      it('of 1,000 events each by two writers to one stream does not interleave', async () => {
        const stream = newStream();
        const batches = Array.from({ length: 6 }, () => newEvents(1_000));
        const lengthNow = async () => (await read(stream)).length;
        const writer = (facts: Facts, mine: readonly NewEvent[][]) => appendEach(facts, stream, mine, lengthNow);
        await Promise.all([writer(log.facts, batches.slice(0, 3)), writer(log.beside, batches.slice(3))]);

        const ids = (await read(stream)).map(({ id }) => id);
        const inOrder = batches.toSorted((a, b) => ids.indexOf(a[0]?.id ?? '') - ids.indexOf(b[0]?.id ?? ''));
        expect(ids).toEqual(inOrder.flat().map(({ id }) => id));
      });
    });

    describe('a log that is opened again', () => {
      it('has every event unchanged, and recognizes a repeated append', async () => {
        const open = newLog();
        const facts = open();
        const stream = newStream();
        const events = newEvents(3);
        const first = await facts.append(stream, 'no-stream', events);
        await facts.append(stream, 2, [newEvent({ id: randomUUID() })]);
        const before = await collect(facts.readStream(stream));
        expect(before).toHaveLength(4);

        await facts.close();
        const again = open();
        expect(await collect(again.readStream(stream))).toStrictEqual(before);
        expect(await again.append(stream, 'no-stream', events)).toEqual(first);
        const next = written(await again.append(stream, 3, newEvents(1)));
        expect(next.position > (before.at(-1)?.position ?? '')).toBe(true);
        await again.close();
      });
    });
  });
};

const newStreams = (count: number): string[] => Array.from({ length: count }, () => newStream());

/** Appends each batch at the current end of the stream. */
const appendEach = async (
  facts: Facts,
  stream: string,
  batches: readonly NewEvent[][],
  lengthNow: () => Promise<number>,
): Promise<void> => {
  for (let done = 0; done < batches.length; ) {
    const length = await lengthNow();
    const { outcome } = await facts.append(stream, length === 0 ? 'no-stream' : length - 1, batches[done] ?? []);
    if (outcome === 'written') done += 1;
  }
};
