// The guarantees that every engine of the background work gives.
import { once } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { Handler, Queue, Work } from '../../../src/infrastructure/work/work.js';
import { eventually } from '../../support/eventually.js';
import type { NewStore } from '../support/two-engines.js';
import { failuresSuite } from './failures.suite.js';
import { AN_HOUR, newGate, newQueue, overlapOf, recorder, Store, untilAborted } from './support/harness.js';

/** Declares the contract of the background work for the engine that `open` opens. */
export const workSuite = (name: string, newStore: NewStore<Work>): void => {
  describe(`the work on ${name}`, () => {
    const store = new Store(newStore);

    failuresSuite(store);

    describe('enqueue', () => {
      it('stores a job once', async () => {
        const queue = newQueue();
        await store.work.enqueue({ queue, id: 'a', data: 'first' });
        await store.work.enqueue({ queue, id: 'a', data: 'second' });
        await store.beside.enqueue({ queue, id: 'a', data: 'third' });
        expect(await store.work.pending(queue)).toBe(1);
        const { jobs, handler } = recorder();
        store.start(queue, handler);
        await store.emptied(queue);
        expect(jobs).toEqual([{ queue: queue.name, id: 'a', data: 'first', attempt: 1 }]);
      });

      it('stores a job once for 50 concurrent calls', async () => {
        const queue = newQueue();
        await Promise.all(
          Array.from({ length: 50 }, (_, data) =>
            (data % 2 ? store.work : store.beside).enqueue({ queue, id: 'a', data }),
          ),
        );
        expect(await store.work.pending(queue)).toBe(1);
      });

      it('distinguishes queues', async () => {
        const [one, other] = [newQueue(), newQueue()];
        await store.work.enqueue({ queue: one, id: 'a', data: 1 });
        await store.work.enqueue({ queue: other, id: 'a', data: 2 });
        const { jobs, handler } = recorder();
        store.start(other, handler);
        await store.emptied(other);
        expect(jobs).toMatchObject([{ queue: other.name, data: 2 }]);
        expect(await store.work.pending(one)).toBe(1);
      });

      it('changes nothing while the job is running, and stores a new job after it', async () => {
        const queue = newQueue();
        const gate = newGate();
        const { jobs, handler } = recorder(() => gate.opened);
        await store.work.enqueue({ queue, id: 'a', data: 1 });
        store.start(queue, handler);
        await eventually(() => expect(jobs).toHaveLength(1));
        await store.work.enqueue({ queue, id: 'a', data: 2 });
        gate.open();
        await store.emptied(queue);
        await store.work.enqueue({ queue, id: 'a', data: 3 });
        await store.emptied(queue);
        expect(jobs).toMatchObject([
          { data: 1, attempt: 1 },
          { data: 3, attempt: 1 },
        ]);
      });

      it('stores the data unchanged', async () => {
        const queue = newQueue();
        const data = { 'a.b': [null, { $x: 'naïve 🩺' }], n: -0.5, no: false };
        await store.work.enqueue({ queue, id: 'a', data });
        const { jobs, handler } = recorder();
        store.start(queue, handler);
        await store.emptied(queue);
        expect(jobs[0]?.data).toStrictEqual(data);
      });
    });

    describe('process', () => {
      it('runs jobs that are enqueued later', async () => {
        const queue = newQueue();
        const { jobs, handler } = recorder();
        store.start(queue, handler);
        for (const id of ['a', 'b', 'c']) {
          await store.work.enqueue({ queue, id, data: null });
          await eventually(() => expect(jobs.at(-1)?.id).toBe(id));
        }
        await store.emptied(queue);
        expect(jobs).toHaveLength(3);
      });

      it('runs jobs that another process enqueued', async () => {
        const queue = newQueue();
        const { jobs, handler } = recorder();
        store.start(queue, handler);
        await store.work.enqueue({ queue, id: 'in an hour', data: null, runAt: Date.now() + AN_HOUR });
        await store.beside.enqueue({ queue, id: 'now', data: null });
        await eventually(async () => expect(await store.work.pending(queue)).toBe(1));
        expect(jobs.map(({ id }) => id)).toEqual(['now']);
      });

      it('runs the jobs in their order, one at a time', async () => {
        const queue = newQueue();
        const ids = Array.from({ length: 12 }, (_, n) => `job-${n}`);
        for (const id of ids) await store.work.enqueue({ queue, id, data: null });
        const watch = overlapOf(() => 'any');
        const { jobs, handler } = recorder(watch.during);
        store.start(queue, handler);
        await store.emptied(queue);
        expect(jobs.map(({ id }) => id)).toEqual(ids);
        expect(watch.most()).toBe(1);
      });

      it('runs as many jobs at the same time as the queue declares', async () => {
        const queue = newQueue({ concurrency: 3 });
        for (const id of ['a', 'b', 'c', 'd']) await store.work.enqueue({ queue, id, data: null });
        const gate = newGate();
        const { jobs, handler } = recorder(() => gate.opened);
        store.start(queue, handler);
        await eventually(() => expect(jobs).toHaveLength(3));
        gate.open();
        await store.emptied(queue);
        expect(jobs).toHaveLength(4);
      });

      it('runs no job before its time', async () => {
        const queue = newQueue();
        const runAt = Date.now() + 100;
        const begun = new Map<string, number>();
        store.start(queue, async ({ id }) => void begun.set(id, Date.now()));
        await store.work.enqueue({ queue, id: 'in an hour', data: null, runAt: Date.now() + AN_HOUR });
        await store.work.enqueue({ queue, id: 'soon', data: null, runAt });
        await store.work.enqueue({ queue, id: 'long ago', data: null, runAt: 1 });
        await eventually(async () => expect(await store.work.pending(queue)).toBe(1));
        expect([...begun.keys()].sort()).toEqual(['long ago', 'soon']);
        expect(begun.get('soon')).toBeGreaterThanOrEqual(runAt);
      });

      it('runs each job on one of many workers', async () => {
        const queue = newQueue();
        const ids = Array.from({ length: 60 }, (_, n) => `job-${n}`);
        const watch = overlapOf(({ id }) => id);
        const { jobs, handler } = recorder(watch.during);
        for (const on of [store.work, store.beside, store.work, store.beside]) store.start(queue, handler, on);
        await Promise.all(ids.map((id, n) => (n % 2 ? store.work : store.beside).enqueue({ queue, id, data: null })));
        await store.emptied(queue);
        expect(jobs.map(({ id }) => id).sort()).toEqual([...ids].sort());
        expect(watch.most()).toBe(1);
      });
    });

    describe('close', () => {
      const workerWithRunningJob = async (on: Work, queue: Queue, during: Handler) => {
        const { jobs, handler } = recorder(during);
        const worker = on.process(queue, handler);
        await eventually(() => expect(jobs).toHaveLength(1));
        return worker;
      };

      it('aborts the running job and waits for it', async () => {
        const queue = newQueue({ pausesMs: [] });
        const happened: string[] = [];
        await store.work.enqueue({ queue, id: 'a', data: null });
        const worker = await workerWithRunningJob(store.work, queue, async (_, signal) => {
          await once(signal, 'abort');
          happened.push('aborted');
          await nextTurn();
          happened.push('done');
        });
        await worker.close();
        expect(happened).toEqual(['aborted', 'done']);
        expect(await store.work.pending(queue)).toBe(0);
      });

      it('puts an interrupted job back, and does not count the attempt', async () => {
        const queue = newQueue({ pausesMs: [] });
        await store.work.enqueue({ queue, id: 'a', data: 'same' });
        const worker = await workerWithRunningJob(store.work, queue, untilAborted);
        await worker.close();
        expect(await store.work.deadLetters(queue)).toEqual([]);
        const { jobs, handler } = recorder();
        store.start(queue, handler, store.beside);
        await store.emptied(queue);
        expect(jobs).toEqual([{ queue: queue.name, id: 'a', data: 'same', attempt: 1 }]);
      });

      it('puts a job back that ignores its signal, and does not count the attempt', async () => {
        const queue = newQueue({ pausesMs: [] });
        await store.work.enqueue({ queue, id: 'a', data: null });
        const worker = await workerWithRunningJob(store.work, queue, () => new Promise(() => {}));
        await worker.close();
        const { jobs, handler } = recorder();
        store.start(queue, handler, store.beside);
        await store.emptied(queue);
        expect(jobs).toMatchObject([{ id: 'a', attempt: 1 }]);
        expect(await store.work.deadLetters(queue)).toEqual([]);
      });

      it('starts no further job', async () => {
        const queue = newQueue({ pausesMs: [] });
        for (const id of ['a', 'b']) await store.work.enqueue({ queue, id, data: null });
        const worker = await workerWithRunningJob(store.work, queue, (_, signal) =>
          once(signal, 'abort').then(() => {}),
        );
        await worker.close();
        expect(await store.work.pending(queue)).toBe(1);
      });

      it('ends an idle worker, and may be repeated', async () => {
        const worker = store.start(newQueue(), async () => {});
        await Promise.all([worker.close(), worker.close()]);
        await worker.close();
      });

      it('of the engine closes its workers', async () => {
        const open = newStore();
        const work = open();
        const happened: string[] = [];
        const queue = newQueue();
        await work.enqueue({ queue, id: 'a', data: null });
        await workerWithRunningJob(work, queue, async (_, signal) => {
          await once(signal, 'abort');
          await nextTurn();
          happened.push('done');
        });
        await work.close();
        const again = open();
        expect(happened).toEqual(['done']);
        expect(await again.pending(queue)).toBe(0);
        await again.close();
      });
    });

    describe('work that is opened again', () => {
      it('has every job and every dead letter unchanged', async () => {
        const open = newStore();
        const work = open();
        const [bad, good] = [newQueue({ pausesMs: [] }), newQueue()];
        await work.enqueue({ queue: bad, id: 'a', data: 1 });
        work.process(bad, () => Promise.reject(new Error('no luck')));
        await eventually(async () => expect(await work.deadLetters(bad)).toHaveLength(1));
        for (const id of ['a', 'b']) await work.enqueue({ queue: good, id, data: id });
        await work.enqueue({ queue: good, id: 'later', data: null, runAt: Date.now() + AN_HOUR });

        await work.close();
        const again = open();
        expect(await again.deadLetters(bad)).toEqual([
          { queue: bad.name, id: 'a', data: 1, attempt: 1, reason: 'no luck' },
        ]);
        await again.enqueue({ queue: good, id: 'a', data: 'again' });
        expect(await again.pending(good)).toBe(3);
        const { jobs, handler } = recorder();
        again.process(good, handler);
        await eventually(async () => expect(await again.pending(good)).toBe(1));
        expect(jobs.map(({ data }) => data)).toEqual(['a', 'b']);
        await again.close();
      });
    });
  });
};
