// The guarantees that every engine of the background work gives for jobs that fail.
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { Final, type Handler, Later } from '../../../src/infrastructure/work/work.js';
import { times } from '../../auth/support/auth-harness.js';
import { eventually } from '../../support/eventually.js';
import { AN_HOUR, newGate, newQueue, recorder, type Store, untilAborted } from './support/harness.js';

/** Declares the tests of failures for `workSuite`. */
export const failuresSuite = (store: Store): void => {
  describe('a job that fails', () => {
    it('is retried until it succeeds', async () => {
      const queue = newQueue();
      await store.work.enqueue({ queue, id: 'a', data: 'same' });
      const { jobs, handler } = recorder(async ({ attempt }) => {
        if (attempt < 3) throw new Error('not yet');
      });
      store.start(queue, handler);
      await store.emptied(queue);
      expect(jobs).toEqual([1, 2, 3].map((attempt) => ({ queue: queue.name, id: 'a', data: 'same', attempt })));
      expect(await store.work.deadLetters(queue)).toEqual([]);
    });

    it('is parked after its last attempt, with the reason', async () => {
      const queue = newQueue();
      await store.work.enqueue({ queue, id: 'a', data: { to: 'nobody' } });
      const { jobs, handler } = recorder(async ({ attempt }) => {
        throw new Error(`no luck at ${attempt}`);
      });
      store.start(queue, handler);
      await store.emptied(queue);
      expect(jobs).toHaveLength(3);
      expect(await store.beside.deadLetters(queue)).toEqual([
        { queue: queue.name, id: 'a', data: { to: 'nobody' }, attempt: 3, reason: 'no luck at 3' },
      ]);
      await store.work.enqueue({ queue, id: 'a', data: 'again' });
      expect(await store.work.pending(queue)).toBe(0);
    });

    it('counts as a dead letter of its own queue until it is retried', async () => {
      const [queue, other] = [newQueue({ pausesMs: [] }), newQueue()];
      const count = () => Promise.all([queue, other].map((each) => store.beside.countDeadLetters(each)));
      expect(await count()).toEqual([0, 0]);
      for (const id of ['a', 'b']) await store.work.enqueue({ queue, id, data: null });
      await store.work.enqueue({ queue: other, id: 'a', data: null, runAt: Date.now() + AN_HOUR });
      const worker = store.start(queue, () => Promise.reject(new Error('no luck')));
      await store.emptied(queue);
      expect(await count()).toEqual([2, 0]);
      await worker.close();
      await store.work.retry(queue, 'a');
      expect(await count()).toEqual([1, 0]);
    });

    it.each<[string, Handler]>([
      ['throws a value that is not an error', () => Promise.reject('a plain text')],
      [
        'throws synchronously',
        () => {
          throw new Error('a plain text');
        },
      ],
    ])('is parked even if its handler %s', async (_, handler) => {
      const queue = newQueue({ pausesMs: [] });
      await store.work.enqueue({ queue, id: 'a', data: null });
      store.start(queue, handler);
      await store.emptied(queue);
      expect(await store.work.deadLetters(queue)).toMatchObject([{ id: 'a', attempt: 1, reason: 'a plain text' }]);
    });

    it('does not delay other jobs while it waits for its next attempt', async () => {
      const queue = newQueue({ pausesMs: [AN_HOUR] });
      await store.work.enqueue({ queue, id: 'bad', data: null });
      await store.work.enqueue({ queue, id: 'good', data: null });
      const { jobs, handler } = recorder(async ({ id }) => {
        if (id === 'bad') throw new Error('no luck');
      });
      store.start(queue, handler);
      await eventually(async () => expect(await store.work.pending(queue)).toBe(1));
      expect(jobs.map(({ id }) => id)).toEqual(['bad', 'good']);
      expect(await store.work.deadLetters(queue)).toEqual([]);
    });
  });

  describe('the pause after a failure', () => {
    const failing = new Error('no luck');
    it.each<[string, readonly number[], Error, number]>([
      ['is the first of the queue after the first', [AN_HOUR, 5, 5], failing, 1],
      ['is the second of the queue after the second', [5, AN_HOUR, 5], failing, 2],
      ['is the third of the queue after the third', [1, 5, AN_HOUR], failing, 3],
      ['is what the handler says if that is longer', [5, 5, AN_HOUR], new Later('no luck', AN_HOUR), 1],
    ])('%s', async (_, pausesMs, error, attempts) => {
      const queue = newQueue({ pausesMs });
      const { jobs, handler } = recorder(async ({ id }) => {
        if (id === 'bad') throw error;
      });
      await store.work.enqueue({ queue, id: 'bad', data: null });
      store.start(queue, handler);
      await eventually(async () => expect(jobs).toHaveLength(attempts));
      // The queue has one worker, which takes a job only after it has stored the outcome of the one before.
      await store.work.enqueue({ queue, id: 'good', data: null });
      await eventually(async () => expect(await store.work.pending(queue)).toBe(1));
      expect(jobs.map(({ id, attempt }) => `${id} ${attempt}`)).toEqual([
        ...times(attempts).map((n) => `bad ${n + 1}`),
        'good 1',
      ]);
      expect(await store.work.deadLetters(queue)).toEqual([]);
    });

    it.each<[string, readonly number[], Error]>([
      ['what the handler says if that is shorter', [AN_HOUR, AN_HOUR], new Later('no luck', 1)],
      ['none if the handler says so', [AN_HOUR, AN_HOUR], new Later('no luck', 0)],
      ['the longest of the queue if the handler says a longer one', [5, 20], new Later('no luck', AN_HOUR)],
    ])('is %s, and the attempt counts', async (_, pausesMs, error) => {
      const queue = newQueue({ pausesMs });
      const { jobs, handler } = recorder(() => Promise.reject(error));
      await store.work.enqueue({ queue, id: 'a', data: null });
      store.start(queue, handler);
      await store.emptied(queue);
      expect(jobs.map(({ attempt }) => attempt)).toEqual([1, 2, 3]);
      expect(await store.work.deadLetters(queue)).toMatchObject([{ id: 'a', attempt: 3, reason: 'no luck' }]);
    });
  });

  describe('a job whose handler says that no attempt can succeed', () => {
    it.each([1, 2, 3])('is parked after attempt %i, and is a new job after a retry', async (last) => {
      const queue = newQueue({ pausesMs: [5, 5, 5] });
      const { jobs, handler } = recorder(async ({ attempt }) => {
        throw attempt === last ? new Final('550') : new Error('no luck');
      });
      await store.work.enqueue({ queue, id: 'a', data: 'same' });
      store.start(queue, handler);
      for (const repeated of [1, 2]) {
        await store.emptied(queue);
        expect(jobs).toHaveLength(last * repeated);
        expect(await store.work.deadLetters(queue)).toEqual([
          { queue: queue.name, id: 'a', data: 'same', attempt: last, reason: '550' },
        ]);
        if (repeated === 1) await store.work.retry(queue, 'a');
      }
    });
  });

  describe('retry', () => {
    it('puts a dead letter back as a new job', async () => {
      const queue = newQueue({ pausesMs: [5] });
      let cured = false;
      const { jobs, handler } = recorder(async () => {
        if (!cured) throw new Error('no luck');
      });
      await store.work.enqueue({ queue, id: 'a', data: 'same' });
      store.start(queue, handler);
      await store.emptied(queue);
      cured = true;
      expect(await store.beside.retry(queue, 'a')).toBe(true);
      await store.emptied(queue);
      expect(jobs.map(({ attempt }) => attempt)).toEqual([1, 2, 1]);
      expect(jobs.at(-1)).toEqual({ queue: queue.name, id: 'a', data: 'same', attempt: 1 });
      expect(await store.work.deadLetters(queue)).toEqual([]);
      expect(await store.work.retry(queue, 'a')).toBe(false);
    });

    it('does nothing to a job that is not a dead letter', async () => {
      const queue = newQueue();
      await store.work.enqueue({ queue, id: 'a', data: null, runAt: Date.now() + AN_HOUR });
      expect(await store.work.retry(queue, 'a')).toBe(false);
      expect(await store.work.retry(queue, 'unknown')).toBe(false);
      expect(await store.work.pending(queue)).toBe(1);
    });
  });

  describe('a job that exceeds its time limit', () => {
    it.each<[string, () => Promise<void>]>([
      ['success', () => Promise.resolve()],
      ['failure', () => Promise.reject(new Error('late'))],
    ])('is aborted and taken over, and its late %s changes nothing', async (_, late) => {
      const queue = newQueue({ pausesMs: times(99).map(() => 5), timeoutMs: 250 });
      const [aborted, gate] = [newGate(), newGate()];
      const pending: number[] = [];
      const { jobs, handler } = recorder(async ({ attempt }, signal) => {
        if (attempt === 1) {
          await once(signal, 'abort');
          aborted.open();
          await gate.opened;
          return late();
        }
        gate.open();
        await store.work.enqueue({ queue: newQueue(), id: 'written after it', data: null });
        pending.push(await store.work.pending(queue));
      });
      await store.work.enqueue({ queue, id: 'a', data: null });
      for (const on of [store.work, store.beside]) store.start(queue, handler, on);
      await aborted.opened;
      await store.emptied(queue);
      expect(jobs.slice(0, 2)).toMatchObject([{ attempt: 1 }, { attempt: 2 }]);
      expect(pending[0]).toBe(1);
      expect(await store.work.deadLetters(queue)).toEqual([]);
    });

    it('is parked after its last attempt', async () => {
      const queue = newQueue({ pausesMs: [], timeoutMs: 20 });
      await store.work.enqueue({ queue, id: 'a', data: null });
      store.start(queue, untilAborted);
      await store.emptied(queue);
      const reason = expect.stringMatching(/./);
      expect(await store.work.deadLetters(queue)).toMatchObject([{ id: 'a', attempt: 1, reason }]);
    });
  });
};
