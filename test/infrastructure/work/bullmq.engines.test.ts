import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { Queue as BullQueue } from 'bullmq';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { BullMqWork } from '../../../src/infrastructure/work/bullmq.js';
import type { BullMqSettings } from '../../../src/infrastructure/work/bullmq-worker.js';
import { Final, type Queue } from '../../../src/infrastructure/work/work.js';
import { eventually } from '../../support/eventually.js';
import { type SharedRedis, withRedis } from '../../support/redis.js';
import { CLOSE, newQueue, recorder } from './support/harness.js';
import { workSuite } from './work.suite.js';

// How long a job stays locked whose process ended.
const LOCK = { lockMs: 150 };
const Q = newQueue({ name: 'q' });

const emptied = (work: BullMqWork, queue = Q) => eventually(async () => expect(await work.pending(queue)).toBe(0));

const program = fileURLToPath(new URL('./support/process.ts', import.meta.url));

/** Lets another process take the job `a` of the queue `q`, and then kills that process. */
const abandonJob = async (url: string, prefix: string, queue: Queue, attempt = 1): Promise<void> => {
  const args = ['--import', 'tsx', program, url, prefix, JSON.stringify({ queue, ...LOCK })];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [output] = await once(child.stdout, 'data');
  expect(`${output}`).toBe(`a ${attempt}\n`);
  const exit = once(child, 'exit');
  child.kill('SIGKILL');
  await exit;
};

withRedis('the work on BullMQ', (redis: SharedRedis) => {
  workSuite('BullMQ', () => {
    const prefix = redis.newPrefix();
    return () => new BullMqWork(redis.url, { prefix, ...CLOSE });
  });

  /** Opens an engine that is closed at the end of the test. */
  const openWork = (options: Partial<BullMqSettings> = {}): BullMqWork => {
    const work = new BullMqWork(redis.url, { prefix: redis.newPrefix(), ...options });
    onTestFinished(() => work.close());
    return work;
  };

  describe('a job on BullMQ', () => {
    it.each([3_600_000, 86_400_000, 400 * 86_400_000])(
      'is retried if the clock is set back by %i ms, and a planned job waits',
      async (ms) => {
        const { now } = Date;
        const clock = vi.spyOn(Date, 'now').mockImplementation(() => now() + ms);
        onTestFinished(() => clock.mockRestore());
        const work = openWork();
        const { jobs, handler } = recorder(async ({ attempt }) => {
          if (attempt === 1) throw new Error('not yet');
        });
        await work.enqueue({ queue: Q, id: 'planned', data: null, runAt: Date.now() + 3_600_000 });
        await work.enqueue({ queue: Q, id: 'a', data: null });
        work.process({ ...Q, pausesMs: [60_000] }, handler);
        await eventually(async () => expect(jobs).not.toHaveLength(0));
        clock.mockRestore();
        await eventually(async () => expect(jobs.map(({ attempt }) => attempt)).toEqual([1, 2]));
        // The job has ended a moment after its handler.
        await eventually(async () => expect(await work.pending(Q)).toBe(1));
      },
    );

    it.each(['1', '0', '0:0', 'a:b', '%3A', 'naïve 🩺', '-', '_', ''])('may have the id %j', async (id) => {
      const work = openWork();
      const queue = newQueue({ name: 'with:colon', pausesMs: [] });
      await work.enqueue({ queue, id, data: null });
      await work.enqueue({ queue, id, data: null });
      expect(await work.pending(queue)).toBe(1);
      work.process(queue, () => Promise.reject(new Error('')));
      await emptied(work, queue);
      expect(await work.deadLetters(queue)).toEqual([{ queue: queue.name, id, data: null, attempt: 1, reason: '' }]);
    });

    it('is stored once even after the scripts were flushed from Redis', async () => {
      const work = openWork();
      await work.enqueue({ queue: Q, id: 'a', data: null });
      await redis.client().script('FLUSH');
      for (const id of ['b', 'b']) await work.enqueue({ queue: Q, id, data: null });
      expect(await work.pending(Q)).toBe(2);
    });

    it('that fails leaves its message in Redis, but no stack', async () => {
      const prefix = redis.newPrefix();
      const work = openWork({ prefix });
      const queue = newQueue({ pausesMs: [5] });
      await work.enqueue({ queue, id: 'a', data: null });
      const stack = 'at of(a person)';
      work.process(queue, () => Promise.reject(Object.assign(new Error('no luck'), { stack })));
      await emptied(work, queue);
      const stored = JSON.stringify(await redis.client().hgetall(`${prefix}:_${queue.name}:_a`));
      expect(stored).toContain('no luck');
      expect(stored).not.toContain(stack);
    });

    it.each([2, 4, 5])('of an earlier version keeps its %i attempts and its pauses', async (attempts) => {
      const prefix = redis.newPrefix();
      const queue = newQueue({ pausesMs: [3_600_000, 3_600_000] });
      const [connection, backoff] = [{ url: redis.url }, { type: 'exponential', delay: 2, jitter: 0.1 }];
      const earlier = new BullQueue(`_${queue.name}`, { connection, prefix });
      onTestFinished(() => earlier.close());
      const work = openWork({ prefix });
      for (const id of ['a', 'b']) await earlier.add('job', null, { jobId: `_${id}`, attempts, backoff });
      const { jobs, handler } = recorder(async ({ id }) => {
        throw id === 'b' ? new Final('550') : new Error('no luck');
      });
      work.process(queue, handler);
      await emptied(work, queue);
      expect(jobs.filter(({ id }) => id === 'a')).toHaveLength(attempts);
      const letters = (await work.deadLetters(queue)).toSorted((a, b) => a.id.localeCompare(b.id));
      expect(letters).toMatchObject([
        { id: 'a', attempt: attempts, reason: 'no luck' },
        { id: 'b', attempt: 1, reason: '550' },
      ]);
    });

    it('that is taken over is not settled by its former worker', async () => {
      const prefix = redis.newPrefix();
      const work = openWork({ prefix, ...LOCK });
      const client = redis.client();
      const { jobs, handler } = recorder(async ({ attempt }) => {
        if (attempt > 1) return;
        const locks = await client.keys(`${prefix}:*:lock`);
        expect(locks).toHaveLength(1);
        await client.unlink(locks);
      });
      await work.enqueue({ queue: Q, id: 'a', data: null });
      work.process(Q, handler);
      await emptied(work);
      expect(jobs).toMatchObject([{ attempt: 1 }, { attempt: 2 }]);
      expect(await work.deadLetters(Q)).toEqual([]);
    });
  });

  describe('a job on BullMQ whose process was killed', () => {
    const abandoned = async (queue: Queue) => {
      const prefix = redis.newPrefix();
      const work = openWork({ prefix, ...LOCK });
      await work.enqueue({ queue, id: 'a', data: 'same' });
      await abandonJob(redis.url, prefix, queue);
      expect(await work.pending(queue)).toBe(1);
      return work;
    };

    it('is taken over, and the attempt counts', async () => {
      const work = await abandoned(Q);
      const { jobs, handler } = recorder();
      work.process(Q, handler);
      await emptied(work);
      expect(jobs).toEqual([{ queue: 'q', id: 'a', data: 'same', attempt: 2 }]);
    });

    it('is parked if that was its last attempt, and runs again when it is retried', async () => {
      const once = { ...Q, pausesMs: [] };
      const work = await abandoned(once);
      const { jobs, handler } = recorder();
      work.process(once, handler);
      await emptied(work);
      const reason = expect.stringMatching(/./);
      expect(await work.deadLetters(once)).toEqual([{ queue: 'q', id: 'a', data: 'same', attempt: 1, reason }]);
      expect(jobs).toEqual([]);
      expect(await work.retry(once, 'a')).toBe(true);
      await emptied(work);
      expect(jobs).toMatchObject([{ attempt: 1 }]);
    });

    it('is parked when it fails after the queue has counted failures and losses up to its limit', async () => {
      const thrice = { ...Q, pausesMs: [1_000, 1_000] };
      const prefix = redis.newPrefix();
      const work = openWork({ prefix, ...LOCK });
      await work.enqueue({ queue: thrice, id: 'a', data: 'same' });
      const failing = recorder(() => Promise.reject(new Error('no luck')));
      const worker = work.process(thrice, failing.handler);
      await eventually(() => expect(failing.jobs).toHaveLength(1));
      await worker.close();
      await abandonJob(redis.url, prefix, thrice, 2);
      work.process(thrice, failing.handler);
      await emptied(work);
      expect(await work.deadLetters(thrice)).toMatchObject([{ id: 'a', attempt: 3, reason: 'no luck' }]);
      expect(failing.jobs.map(({ attempt }) => attempt)).toEqual([1, 3]);
    });
  });
});
