// The background work while its Redis is stopped, silent or full.
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { StoreUnavailable } from '../../src/infrastructure/errors.js';
import { BullMqWork, type BullMqWorkOptions } from '../../src/infrastructure/work/bullmq.js';
import { eventually } from '../support/eventually.js';
import { clientOf, newRedisServer, withRedisServer } from '../support/redis.js';
import type { RedisProcess } from '../support/redis-server.js';
import { AN_HOUR, newGate, OPTIONS, recorder } from './work-harness.js';

/** An engine on a server, which is to be started yet, closed before the server ends. */
const engineOn = (server: RedisProcess, options: BullMqWorkOptions = {}) => {
  const onError = vi.fn<(error: Error) => void>();
  const work = new BullMqWork(server.url, { onError, ...options });
  onTestFinished(() => work.close());
  return { server, work, onError };
};

const running = async (options: BullMqWorkOptions = {}) => {
  const server = await newRedisServer();
  await server.start();
  const engine = engineOn(server, options);
  await isBack(engine.work);
  return engine;
};

/** Resolves when a call is answered again. */
const isBack = (work: BullMqWork) => eventually(() => work.pending('q'));

const rejectsAll = async (work: BullMqWork): Promise<void> => {
  const answers = [
    work.enqueue({ queue: 'q', id: 'a', data: null }),
    work.deadLetters('q'),
    work.countDeadLetters('q'),
    work.retry('q', 'a'),
    work.pending('q'),
  ];
  await Promise.all(answers.map((answer) => expect(answer).rejects.toBeInstanceOf(StoreUnavailable)));
};

withRedisServer('the work on a Redis that fails', () => {
  describe('work on a Redis that is killed and started again', () => {
    it('has everything that was stored', async () => {
      const { server, work } = await running();
      const { jobs, handler } = recorder(() => Promise.reject(new Error('no luck')));
      await work.enqueue({ queue: 'bad', id: 'a', data: 1 });
      const worker = work.process('bad', handler, { ...OPTIONS, attempts: 1 });
      await eventually(async () => expect(await work.deadLetters('bad')).toHaveLength(1));
      await worker.close();
      for (const id of ['a', 'b']) await work.enqueue({ queue: 'q', id, data: id });
      await work.enqueue({ queue: 'q', id: 'later', data: null, runAt: Date.now() + AN_HOUR });
      await server.end('SIGKILL');
      await server.start();
      await isBack(work);
      expect(jobs).toHaveLength(1);
      expect(await work.deadLetters('bad')).toMatchObject([{ id: 'a', data: 1, attempt: 1, reason: 'no luck' }]);
      expect(await work.pending('q')).toBe(3);
      expect(await work.enqueue({ queue: 'q', id: 'b', data: null })).toBe(false);
      const after = recorder();
      work.process('q', after.handler, OPTIONS);
      await eventually(async () => expect(await work.pending('q')).toBe(1));
      expect(after.jobs.map(({ data }) => data)).toEqual(['a', 'b']);
    });

    it('rejects every call meanwhile, reports it once, and goes on by itself', async () => {
      const { server, work, onError } = await running();
      const gate = newGate();
      const { jobs, handler } = recorder(() => gate.opened);
      const queues = ['q', 'idle', 'idle, too'];
      await work.enqueue({ queue: 'q', id: 'running', data: null });
      for (const queue of queues) work.process(queue, handler, OPTIONS);
      await eventually(() => expect(jobs).toHaveLength(1));
      await server.end('SIGKILL');
      await eventually(() => expect(onError).toHaveBeenCalled());
      await rejectsAll(work);
      await rejectsAll(work);
      expect(onError.mock.calls).toEqual([[expect.any(StoreUnavailable)]]);
      gate.open();
      await server.start();
      await isBack(work);
      for (const queue of queues) await work.enqueue({ queue, id: 'next', data: null });
      await eventually(() => expect(jobs).toHaveLength(4));
      await eventually(async () => expect(await work.pending('q')).toBe(0));
      expect(jobs.map(({ attempt }) => attempt)).toEqual([1, 1, 1, 1]);
    });

    it('reports each outage', async () => {
      const { server, onError, work } = await running();
      for (const outages of [1, 2]) {
        await server.end('SIGKILL');
        await eventually(() => expect(onError).toHaveBeenCalledTimes(outages));
        await server.start();
        await isBack(work);
      }
    });

    it('closes meanwhile, whatever its workers do', async () => {
      const { server, work } = await running({ closeMs: 50 });
      const { jobs, handler } = recorder(() => new Promise(() => {}));
      await work.enqueue({ queue: 'q', id: 'never done', data: null });
      for (const queue of ['q', 'idle']) work.process(queue, handler, OPTIONS);
      await eventually(() => expect(jobs).toHaveLength(1));
      await server.end('SIGKILL');
      await work.close();
      await rejectsAll(work);
    });
  });

  describe('work on a Redis that is started later', () => {
    it('is opened, rejects calls, and begins by itself', async () => {
      const { server, work, onError } = engineOn(await newRedisServer());
      const { jobs, handler } = recorder();
      work.process('q', handler, OPTIONS);
      await rejectsAll(work);
      expect(onError.mock.calls).toEqual([[expect.any(StoreUnavailable)]]);
      await server.start();
      await isBack(work);
      await work.enqueue({ queue: 'q', id: 'b', data: null });
      await eventually(() => expect(jobs).toMatchObject([{ id: 'b' }]));
    });

    it('is closed, too, without any', async () => {
      const { work } = engineOn(await newRedisServer(), { closeMs: 50 });
      const worker = work.process('q', async () => {}, OPTIONS);
      await worker.close();
      await work.close();
      await rejectsAll(work);
      expect(() => work.process('q', async () => {}, OPTIONS)).toThrow(StoreUnavailable);
    });

    it('warns where nobody asked to be told', async () => {
      const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
      onTestFinished(() => warn.mockRestore());
      const { url } = await newRedisServer();
      const work = new BullMqWork(url);
      onTestFinished(() => work.close());
      await eventually(() => expect(warn).toHaveBeenCalledWith(expect.any(StoreUnavailable)));
    });
  });

  describe('work on a Redis that does not answer', () => {
    it('rejects every call, and goes on when it does', async () => {
      const { server, work } = await running();
      const { jobs, handler } = recorder();
      work.process('q', handler, OPTIONS);
      await server.signal('SIGSTOP');
      await rejectsAll(work);
      await server.signal('SIGCONT');
      await isBack(work);
      await work.enqueue({ queue: 'q', id: 'b', data: null });
      await eventually(() => expect(jobs).toContainEqual({ queue: 'q', id: 'b', data: null, attempt: 1 }));
    });

    it('closes all the same', async () => {
      const { server, work } = await running({ closeMs: 50 });
      work.process('q', async () => {}, OPTIONS);
      await server.signal('SIGSTOP');
      await work.close();
    });
  });

  describe('work on a Redis that is full', () => {
    it('rejects what it cannot store, reports it, and goes on when there is room', async () => {
      const { server, work, onError } = await running();
      const redis = clientOf(server.url);
      await redis.config('SET', 'maxmemory', '1');
      await expect(work.enqueue({ queue: 'q', id: 'a', data: null })).rejects.toBeInstanceOf(StoreUnavailable);
      const { jobs, handler } = recorder();
      work.process('q', handler, OPTIONS);
      await eventually(() => expect(onError).toHaveBeenCalledWith(expect.any(StoreUnavailable)));
      await redis.config('SET', 'maxmemory', '0');
      expect(await work.enqueue({ queue: 'q', id: 'a', data: null })).toBe(true);
      await eventually(() => expect(jobs).toHaveLength(1));
    });
  });
});
