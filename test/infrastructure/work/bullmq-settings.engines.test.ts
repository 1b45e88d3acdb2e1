// What the work on BullMQ says about the settings of its Redis, and what its libraries do not say.
import { createSecretKey } from 'node:crypto';
import { expect, it, onTestFinished, vi } from 'vitest';
import { RightMissing } from '../../../src/infrastructure/errors.js';
import { RedisRateLimits } from '../../../src/infrastructure/rate-limits/redis.js';
import { BullMqWork } from '../../../src/infrastructure/work/bullmq.js';
import { eventually } from '../../support/eventually.js';
import { clientOf, newRedisServer, withRedisServer } from '../../support/redis.js';
import { newQueue, recorder } from './support/harness.js';

withRedisServer('the settings of Redis', () => {
  /** Starts a Redis and returns its URL for a user with these rights. */
  const startedWith = async (settings: Readonly<Record<string, string>>, ...rights: readonly string[]) => {
    const server = await newRedisServer();
    await server.start();
    const root = clientOf(server.url);
    for (const [name, value] of Object.entries(settings)) await root.config('SET', name, value);
    await root.call(
      'ACL',
      'SETUSER',
      'clinic',
      'on',
      '>secret',
      '~*',
      '&*',
      '+@all',
      '-@dangerous',
      '+info',
      ...rights,
    );
    return server.url.replace('redis://', 'redis://clinic:secret@');
  };
  const openWork = (url: string): BullMqWork => {
    const work = new BullMqWork(url, { onError: () => undefined });
    onTestFinished(() => work.close());
    return work;
  };

  it.each([
    [{}, ''],
    [{ 'maxmemory-policy': 'allkeys-lru' }, 'maxmemory_policy is allkeys-lru, not noeviction'],
    [{ 'maxmemory-policy': 'volatile-ttl' }, 'maxmemory_policy is volatile-ttl, not noeviction'],
    [{ appendonly: 'no' }, 'aof_enabled is 0, not 1'],
    [
      { 'maxmemory-policy': 'allkeys-random', appendonly: 'no' },
      'maxmemory_policy is allkeys-random, not noeviction; aof_enabled is 0, not 1',
    ],
  ])('are wrong as INFO tells: %j', async (settings, wrong) =>
    expect(await openWork(await startedWith(settings)).wrongSettings()).toEqual({
      text: wrong,
      isUnsafe: wrong !== '',
    }),
  );

  it('cannot be known without the right to INFO', async () =>
    expect(openWork(await startedWith({}, '-info')).wrongSettings()).rejects.toBeInstanceOf(RightMissing));

  it.each([
    ['of a policy that evicts', { 'maxmemory-policy': 'allkeys-lru' }, []],
    ['of a Redis that keeps nothing', { appendonly: 'no' }, []],
    ['without the right to INFO', {}, ['-info']],
  ])('make no library write to standard error: %s', async (_, settings, rights) => {
    const written = [vi.spyOn(console, 'warn'), vi.spyOn(console, 'error')];
    onTestFinished(() => {
      for (const spy of written) spy.mockRestore();
    });
    const url = await startedWith(settings, ...rights);
    const [work, queue] = [openWork(url), newQueue({ name: 'q' })];
    const secret = async () => createSecretKey(Buffer.alloc(32));
    const limits = new RedisRateLimits(url, { secret, log: { warn: () => undefined } });
    onTestFinished(() => limits.close());
    const { jobs, handler } = recorder();
    work.process(queue, handler);
    await work.enqueue({ queue, id: 'a', data: null });
    await eventually(() => expect(jobs).toHaveLength(1));
    await limits.take({ name: 'q', requests: 1, windowS: 60 }, 'somebody');
    for (const spy of written) expect(spy).not.toHaveBeenCalled();
  });
});
