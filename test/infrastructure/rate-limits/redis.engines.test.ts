import { createSecretKey } from 'node:crypto';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { StoreUnavailable } from '../../../src/infrastructure/errors.js';
import type { Quota } from '../../../src/infrastructure/rate-limits/rate-limits.js';
import { RedisRateLimits, type RedisRateLimitsOptions } from '../../../src/infrastructure/rate-limits/redis.js';
import { eventually } from '../../support/eventually.js';
import { newRedisServer, withRedis, withRedisServer } from '../../support/redis.js';
import { limitsSuite, newQuota } from './rate-limits.suite.js';

const secret = async () => createSecretKey(Buffer.alloc(32, 7));
// A busy machine must not count as an outage.
const timeoutMs = 20_000;
const silent = { warn: () => undefined };

/** Returns rate limits on a Redis that are closed with the test, and the warnings of their log. */
const limitsOn = (url: string, options: Partial<RedisRateLimitsOptions> = {}) => {
  const warn = vi.fn();
  const limits = new RedisRateLimits(url, { secret, log: { warn }, ...options });
  onTestFinished(() => limits.close());
  return { limits, warn };
};

/** Uses up a quota. */
const useUp = async (limits: RedisRateLimits, quota: Quota): Promise<void> => {
  while (!(await limits.take(quota, 'a')).isOver);
};

const runningRedis = async () => {
  const server = await newRedisServer();
  await server.start();
  return server;
};

withRedis('the rate limits on Redis', (redis) => {
  limitsSuite(
    'Redis',
    () => new RedisRateLimits(redis.url, { secret, log: silent, prefix: redis.newPrefix(), timeoutMs }),
  );

  describe('counts in one Redis', () => {
    it('are shared by all processes', async () => {
      const [quota, prefix] = [newQuota(4), redis.newPrefix()];
      const counts = [limitsOn(redis.url, { prefix, timeoutMs }), limitsOn(redis.url, { prefix, timeoutMs })];
      for (const remaining of [3, 2, 1, 0]) {
        const { limits } = counts[remaining % 2] ?? { limits: undefined };
        expect(await limits?.take(quota, 'a')).toMatchObject({ isOver: false, remaining });
      }
      for (const { limits, warn } of counts) {
        expect(await limits.take(quota, 'a')).toMatchObject({ isOver: true });
        expect(warn).not.toHaveBeenCalled();
      }
    });

    it('name no caller, and expire', async () => {
      const prefix = redis.newPrefix();
      await limitsOn(redis.url, { prefix, timeoutMs }).limits.take(newQuota(1), '192.0.2.17');
      const keys = await redis.client().keys(`${prefix}*`);
      expect(keys).toHaveLength(1);
      expect(keys[0]).not.toContain('192.0.2.17');
      expect(await redis.client().ttl(`${keys[0]}`)).toBeGreaterThan(0);
    });

    it('are kept in the process while the key that hides callers is unavailable', async () => {
      const failingSecret = vi
        .fn<() => ReturnType<typeof secret>>()
        .mockRejectedValue(new StoreUnavailable('the vault', ''));
      const { limits, warn } = limitsOn(redis.url, { secret: failingSecret });
      const quota = newQuota(1);
      await useUp(limits, quota);
      expect(warn).toHaveBeenCalledOnce();
      expect(warn).toHaveBeenCalledWith({ err: expect.any(StoreUnavailable) }, expect.any(String));
    });

    it('are shared as soon as the key is available', async () => {
      const lateSecret = vi.fn(secret).mockRejectedValueOnce(new StoreUnavailable('the vault', ''));
      lateSecret.mockRejectedValueOnce(new StoreUnavailable('the vault', ''));
      const { limits, warn } = limitsOn(redis.url, {
        secret: lateSecret,
        prefix: redis.newPrefix(),
        timeoutMs,
      });
      const quota = newQuota(2);
      expect(await limits.take(quota, 'a')).toMatchObject({ remaining: 1 });
      expect(warn).toHaveBeenCalled();
      expect(await limits.take(quota, 'a')).toMatchObject({ remaining: 1 });
      expect(await limits.take(quota, 'a')).toMatchObject({ remaining: 0 });
    });
  });
});

withRedisServer('the rate limits on a Redis that fails', () => {
  /** Waits until `limits` counts in Redis, where the quota of the caller `a` is used up. */
  const sharesAgain = (limits: RedisRateLimits, quota: Quota) =>
    eventually(async () => expect(await limits.take(quota, 'a')).toMatchObject({ isOver: true }));

  it('are counted by the process while Redis is unavailable, and the log reports each outage once', async () => {
    const server = await runningRedis();
    const { limits, warn } = limitsOn(server.url, { timeoutMs });
    const quota = newQuota(2_000);
    await useUp(limitsOn(server.url, { timeoutMs }).limits, quota);
    for (const outages of [1, 2]) {
      await server.end('SIGKILL');
      await useUp(limits, newQuota(2));
      expect(await limits.take(quota, 'b')).toMatchObject({ isOver: false });
      await server.start();
      // The counts from before the outage are still there.
      await sharesAgain(limits, quota);
      expect(warn).toHaveBeenCalledTimes(outages);
    }
  });

  it('are reported again in an outage that follows a shared count, although the connection stayed', async () => {
    const server = await runningRedis();
    const lateSecret = vi.fn(secret);
    const { limits, warn } = limitsOn(server.url, { secret: lateSecret, timeoutMs });
    const quota = newQuota(2_000);
    await limits.take(quota, 'a');
    lateSecret.mockRejectedValueOnce(new StoreUnavailable('the vault', ''));
    await limits.take(quota, 'a');
    expect(warn).toHaveBeenCalledTimes(1);
    await limits.take(quota, 'a');
    await server.end('SIGKILL');
    await useUp(limits, newQuota(2));
    expect(warn).toHaveBeenCalledTimes(2);
  });

  it('do not wait for a silent Redis', async () => {
    const server = await runningRedis();
    const { limits, warn } = limitsOn(server.url);
    const quota = newQuota(2_000);
    await useUp(limitsOn(server.url, { timeoutMs }).limits, quota);
    await limits.take(newQuota(1), 'b');
    await server.signal('SIGSTOP');
    onTestFinished(() => server.signal('SIGCONT'));
    await useUp(limits, newQuota(20));
    expect(warn).toHaveBeenCalledOnce();
    await server.signal('SIGCONT');
    await sharesAgain(limits, quota);
  });

  it('can be closed while Redis is unavailable', async () => {
    const server = await newRedisServer();
    const unreachable = new RedisRateLimits(server.url, { secret, log: silent });
    await useUp(unreachable, newQuota(1));
    await unreachable.close();
    await new RedisRateLimits(server.url, { secret, log: silent }).close();
    await server.start();
    const lost = new RedisRateLimits(server.url, { secret, log: silent, timeoutMs });
    await lost.take(newQuota(1), 'a');
    await server.end('SIGKILL');
    await useUp(lost, newQuota(1));
    await lost.close();
  });

  it('start without Redis', async () => {
    const server = await newRedisServer();
    const { limits, warn } = limitsOn(server.url, { timeoutMs });
    await useUp(limits, newQuota(3));
    expect(warn).toHaveBeenCalledOnce();
    await server.start();
    const quota = newQuota(2_000);
    await useUp(limitsOn(server.url, { timeoutMs }).limits, quota);
    await sharesAgain(limits, quota);
    expect(warn).toHaveBeenCalledOnce();
  });
});
