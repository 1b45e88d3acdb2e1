import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { BullMqWork, type BullMqWorkOptions } from '../../src/infrastructure/work/bullmq.js';
import type { WorkerOptions } from '../../src/infrastructure/work/work.js';
import { eventually } from '../support/eventually.js';
import { type SharedRedis, withRedis } from '../support/redis.js';
import { workSuite } from './work.suite.js';
import { newGate, OPTIONS, recorder } from './work-harness.js';

const emptied = (work: BullMqWork, queue = 'q') => eventually(async () => expect(await work.pending(queue)).toBe(0));

const program = fileURLToPath(new URL('work-process.ts', import.meta.url));

/** Lets another process take the job `a` of the queue `q`, and then kills that process. */
const abandonJob = async (url: string, prefix: string, options: WorkerOptions): Promise<void> => {
  const args = ['--import', 'tsx', program, url, prefix, 'q', JSON.stringify(options)];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [output] = await once(child.stdout, 'data');
  expect(`${output}`).toBe('a 1\n');
  const exit = once(child, 'exit');
  child.kill('SIGKILL');
  await exit;
};

withRedis('the work on BullMQ', (redis: SharedRedis) => {
  workSuite('BullMQ', async () => {
    const prefix = redis.newPrefix();
    const open = () => new BullMqWork(redis.url, { prefix });
    const work = open();
    return {
      work,
      beside: async () => open(),
      reopen: async () => {
        await work.close();
        return open();
      },
    };
  });

  /** Opens an engine that is closed at the end of the test. */
  const openWork = (options: BullMqWorkOptions = {}): BullMqWork => {
    const work = new BullMqWork(redis.url, { prefix: redis.newPrefix(), ...options });
    onTestFinished(() => work.close());
    return work;
  };

  describe('a job on BullMQ', () => {
    it.each(['1', '0', '0:0', 'a:b', '%3A', 'naïve 🩺', '-', '_', ''])('may have the id %j', async (id) => {
      const work = openWork();
      const queue = 'with:colon';
      expect(await work.enqueue({ queue, id, data: null })).toBe(true);
      expect(await work.enqueue({ queue, id, data: null })).toBe(false);
      work.process(queue, () => Promise.reject(new Error('')), { ...OPTIONS, attempts: 1 });
      await emptied(work, queue);
      expect(await work.deadLetters(queue)).toEqual([{ queue, id, data: null, attempt: 1, reason: '' }]);
    });

    it('is stored once even after the scripts were flushed from Redis', async () => {
      const work = openWork();
      await work.enqueue({ queue: 'q', id: 'a', data: null });
      await redis.client().script('FLUSH');
      expect(await work.enqueue({ queue: 'q', id: 'b', data: null })).toBe(true);
      expect(await work.enqueue({ queue: 'q', id: 'b', data: null })).toBe(false);
      expect(await work.pending('q')).toBe(2);
    });

    it('that is taken over is not settled by its former worker', async () => {
      const prefix = redis.newPrefix();
      const work = openWork({ prefix });
      const client = redis.client();
      const { jobs, handler } = recorder(async ({ attempt }) => {
        if (attempt > 1) return;
        const locks = await client.keys(`${prefix}:*:lock`);
        expect(locks).toHaveLength(1);
        await client.unlink(locks);
      });
      await work.enqueue({ queue: 'q', id: 'a', data: null });
      work.process('q', handler, { ...OPTIONS, timeoutMs: 300 });
      await emptied(work);
      expect(jobs).toMatchObject([{ attempt: 1 }, { attempt: 2 }]);
      expect(await work.deadLetters('q')).toEqual([]);
    });

    it('that does not end when its worker closes is taken over, and the attempt counts', async () => {
      const prefix = redis.newPrefix();
      const onError = vi.fn<(error: Error) => void>();
      const work = openWork({ prefix, closeMs: 20, onError });
      const gate = newGate();
      const { jobs, handler } = recorder(({ attempt }) => (attempt === 1 ? gate.opened : Promise.resolve()));
      await work.enqueue({ queue: 'q', id: 'a', data: null });
      const options = { ...OPTIONS, timeoutMs: 100 };
      const worker = work.process('q', handler, options);
      await eventually(() => expect(jobs).toHaveLength(1));
      await worker.close();
      expect(onError).toHaveBeenCalledOnce();
      expect(await work.pending('q')).toBe(1);
      work.process('q', handler, options);
      await emptied(work);
      gate.open();
      expect(jobs.map(({ attempt }) => attempt)).toEqual([1, 2]);
    });
  });

  describe('a job on BullMQ whose process was killed', () => {
    const abandoned = async (attempts: number) => {
      const options = { ...OPTIONS, attempts, timeoutMs: 100 };
      const prefix = redis.newPrefix();
      const work = openWork({ prefix });
      await work.enqueue({ queue: 'q', id: 'a', data: 'same' });
      await abandonJob(redis.url, prefix, options);
      expect(await work.pending('q')).toBe(1);
      return { work, options };
    };

    it('is taken over, and the attempt counts', async () => {
      const { work, options } = await abandoned(2);
      const { jobs, handler } = recorder();
      work.process('q', handler, options);
      await emptied(work);
      expect(jobs).toEqual([{ queue: 'q', id: 'a', data: 'same', attempt: 2 }]);
    });

    it('is parked if that was its last attempt, and starts a new count of attempts when it is retried', async () => {
      const { work, options } = await abandoned(1);
      const { jobs, handler } = recorder();
      work.process('q', handler, options);
      await emptied(work);
      const reason = expect.stringContaining('no outcome');
      expect(await work.deadLetters('q')).toEqual([{ queue: 'q', id: 'a', data: 'same', attempt: 1, reason }]);
      expect(await work.retry('q', 'a')).toBe(true);
      await emptied(work);
      expect(jobs).toMatchObject([{ attempt: 1 }]);
    });
  });
});
