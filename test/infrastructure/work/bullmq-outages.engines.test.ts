// Tests the background work while its Redis is stopped, silent or full.
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { StoreUnavailable } from '../../../src/infrastructure/errors.js';
import { BullMqWork } from '../../../src/infrastructure/work/bullmq.js';
import type { BullMqSettings } from '../../../src/infrastructure/work/bullmq-worker.js';
import { eventually } from '../../support/eventually.js';
import { clientOf, newRedisServer, withRedisServer } from '../../support/redis.js';
import type { RedisProcess } from '../../support/redis-server.js';
import { AN_HOUR, newGate, newQueue, recorder } from './support/harness.js';

const Q = newQueue({ name: 'q' });
const BAD = newQueue({ name: 'bad', pausesMs: [] });

/** Opens an engine on a server that may start later. The engine is closed before the server ends. */
const engineOn = (server: RedisProcess, options: Partial<BullMqSettings> = {}) => {
  const onError = vi.fn<(error: Error) => void>();
  const work = new BullMqWork(server.url, { onError, ...options });
  onTestFinished(() => work.close());
  return { server, work, onError };
};

const engineOnRunningServer = async (options: Partial<BullMqSettings> = {}) => {
  const server = await newRedisServer();
  await server.start();
  const engine = engineOn(server, options);
  await hasRecovered(engine.work);
  return engine;
};

/** Resolves when a call succeeds again. */
const hasRecovered = (work: BullMqWork) => eventually(() => work.pending(Q));

const rejectsAll = async (work: BullMqWork): Promise<void> => {
  const calls = [
    work.enqueue({ queue: Q, id: 'a', data: null }),
    work.deadLetters(Q),
    work.countDeadLetters(Q),
    work.retry(Q, 'a'),
    work.pending(Q),
  ];
  await Promise.all(calls.map((call) => expect(call).rejects.toBeInstanceOf(StoreUnavailable)));
};

withRedisServer('the work on a Redis that fails', () => {
  describe('work on a Redis that is killed and started again', () => {
    it('has every job that was stored', async () => {
      const { server, work } = await engineOnRunningServer();
      const { jobs, handler } = recorder(() => Promise.reject(new Error('no luck')));
      await work.enqueue({ queue: BAD, id: 'a', data: 1 });
      const worker = work.process(BAD, handler);
      await eventually(async () => expect(await work.deadLetters(BAD)).toHaveLength(1));
      await worker.close();
      for (const id of ['a', 'b']) await work.enqueue({ queue: Q, id, data: id });
      await work.enqueue({ queue: Q, id: 'later', data: null, runAt: Date.now() + AN_HOUR });
      await server.end('SIGKILL');
      await server.start();
      await hasRecovered(work);
      expect(jobs).toHaveLength(1);
      expect(await work.deadLetters(BAD)).toMatchObject([{ id: 'a', data: 1, attempt: 1, reason: 'no luck' }]);
      await work.enqueue({ queue: Q, id: 'b', data: null });
      expect(await work.pending(Q)).toBe(3);
      const after = recorder();
      work.process(Q, after.handler);
      await eventually(async () => expect(await work.pending(Q)).toBe(1));
      expect(after.jobs.map(({ data }) => data)).toEqual(['a', 'b']);
    });

    it('rejects every call meanwhile, reports the outage once, and recovers automatically', async () => {
      const { server, work, onError } = await engineOnRunningServer();
      const gate = newGate();
      const { jobs, handler } = recorder(() => gate.opened);
      const queues = [Q, newQueue(), newQueue()];
      await work.enqueue({ queue: Q, id: 'engineOnRunningServer', data: null });
      for (const queue of queues) work.process(queue, handler);
      await eventually(() => expect(jobs).toHaveLength(1));
      await server.end('SIGKILL');
      await eventually(() => expect(onError).toHaveBeenCalled());
      await rejectsAll(work);
      await rejectsAll(work);
      expect(onError.mock.calls).toEqual([[expect.any(StoreUnavailable)]]);
      gate.open();
      await server.start();
      await hasRecovered(work);
      for (const queue of queues) await work.enqueue({ queue, id: 'next', data: null });
      await eventually(() => expect(jobs).toHaveLength(4));
      await eventually(async () => expect(await work.pending(Q)).toBe(0));
      expect(jobs.map(({ attempt }) => attempt)).toEqual([1, 1, 1, 1]);
    });

    it('reports each outage', async () => {
      const { server, onError, work } = await engineOnRunningServer();
      for (const outages of [1, 2]) {
        await server.end('SIGKILL');
        await eventually(() => expect(onError).toHaveBeenCalledTimes(outages));
        await server.start();
        await hasRecovered(work);
      }
    });

    it('can be closed meanwhile, whatever its workers do', async () => {
      const { server, work } = await engineOnRunningServer({ closeMs: 50 });
      const { jobs, handler } = recorder(() => new Promise(() => {}));
      await work.enqueue({ queue: Q, id: 'never done', data: null });
      for (const queue of [Q, newQueue()]) work.process(queue, handler);
      await eventually(() => expect(jobs).toHaveLength(1));
      await server.end('SIGKILL');
      await work.close();
      await rejectsAll(work);
    });
  });

  describe('work on a Redis that is started later', () => {
    it('is opened, rejects calls, and starts to work automatically', async () => {
      const { server, work, onError } = engineOn(await newRedisServer());
      const { jobs, handler } = recorder();
      work.process(Q, handler);
      await rejectsAll(work);
      expect(onError.mock.calls).toEqual([[expect.any(StoreUnavailable)]]);
      await server.start();
      await hasRecovered(work);
      await work.enqueue({ queue: Q, id: 'b', data: null });
      await eventually(() => expect(jobs).toMatchObject([{ id: 'b' }]));
    });

    it('can be closed before Redis starts', async () => {
      const { work } = engineOn(await newRedisServer(), { closeMs: 50 });
      const worker = work.process(Q, async () => {});
      await worker.close();
      await work.close();
      await rejectsAll(work);
      expect(() => work.process(Q, async () => {})).toThrow(StoreUnavailable);
    });

    it('emits a warning if it has no error handler', async () => {
      const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
      onTestFinished(() => warn.mockRestore());
      const { url } = await newRedisServer();
      const work = new BullMqWork(url);
      onTestFinished(() => work.close());
      await eventually(() => expect(warn).toHaveBeenCalledWith(expect.any(StoreUnavailable)));
    });
  });

  describe('work on a Redis that does not respond', () => {
    it('rejects every call, and recovers when Redis responds', async () => {
      const { server, work } = await engineOnRunningServer();
      const { jobs, handler } = recorder();
      work.process(Q, handler);
      await server.signal('SIGSTOP');
      await rejectsAll(work);
      await server.signal('SIGCONT');
      await hasRecovered(work);
      await work.enqueue({ queue: Q, id: 'b', data: null });
      await eventually(() => expect(jobs).toContainEqual({ queue: 'q', id: 'b', data: null, attempt: 1 }));
    });

    it('can still be closed', async () => {
      const { server, work } = await engineOnRunningServer({ closeMs: 50 });
      work.process(Q, async () => {});
      await server.signal('SIGSTOP');
      await work.close();
    });
  });

  describe('work on a Redis that rejects writes', () => {
    it('pauses between attempts, and recovers when Redis accepts writes', async () => {
      const { server, work, onError } = await engineOnRunningServer({ lockMs: 150 });
      const redis = clientOf(server.url);
      const { jobs, handler } = recorder(async ({ attempt }) => {
        if (attempt === 1) await redis.config('SET', 'min-replicas-to-write', '1');
      });
      await work.enqueue({ queue: Q, id: 'a', data: null });
      work.process(Q, handler);
      await eventually(() => expect(onError).toHaveBeenCalledWith(expect.any(StoreUnavailable)));
      const rejected = async () =>
        Number(/errorstat_NOREPLICAS:count=(\d+)/.exec(await redis.info('errorstats'))?.[1] ?? 0);
      const before = await rejected();
      for (let n = 0; n < 500; n += 1) await redis.ping();
      expect((await rejected()) - before).toBeLessThan(50);
      await redis.config('SET', 'min-replicas-to-write', '0');
      await eventually(async () => expect(await work.pending(Q)).toBe(0));
      expect(jobs.map(({ attempt }) => attempt)).toEqual([1, 2]);
    });
  });

  describe('work on a Redis that is full', () => {
    it('rejects jobs that it cannot store, reports it, and recovers when there is room', async () => {
      const { server, work, onError } = await engineOnRunningServer();
      const redis = clientOf(server.url);
      await redis.config('SET', 'maxmemory', '1');
      await expect(work.enqueue({ queue: Q, id: 'a', data: null })).rejects.toBeInstanceOf(StoreUnavailable);
      const { jobs, handler } = recorder();
      work.process(Q, handler);
      await eventually(() => expect(onError).toHaveBeenCalledWith(expect.any(StoreUnavailable)));
      await redis.config('SET', 'maxmemory', '0');
      await work.enqueue({ queue: Q, id: 'a', data: null });
      await eventually(() => expect(jobs).toHaveLength(1));
    });
  });
});
