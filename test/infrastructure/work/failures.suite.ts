// The guarantees that every engine of the background work gives for jobs that fail.
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import type { Handler } from '../../../src/infrastructure/work/work.js';
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
      const [queue, other] = [newQueue({ attempts: 1 }), newQueue()];
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
      const queue = newQueue({ attempts: 1 });
      await store.work.enqueue({ queue, id: 'a', data: null });
      store.start(queue, handler);
      await store.emptied(queue);
      expect(await store.work.deadLetters(queue)).toMatchObject([{ id: 'a', attempt: 1, reason: 'a plain text' }]);
    });

    it('does not delay other jobs while it waits for its next attempt', async () => {
      const queue = newQueue({ backoffMs: AN_HOUR });
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

  describe('retry', () => {
    it('puts a dead letter back as a new job', async () => {
      const queue = newQueue({ attempts: 2 });
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
      const queue = newQueue({ attempts: 100, timeoutMs: 250 });
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
      const queue = newQueue({ attempts: 1, timeoutMs: 20 });
      await store.work.enqueue({ queue, id: 'a', data: null });
      store.start(queue, untilAborted);
      await store.emptied(queue);
      const reason = expect.stringMatching(/./);
      expect(await store.work.deadLetters(queue)).toMatchObject([{ id: 'a', attempt: 1, reason }]);
    });
  });
};
