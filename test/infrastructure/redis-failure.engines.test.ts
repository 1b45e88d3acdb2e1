// The errors with which a real Redis refuses what the user of the service may not do.
import { Redis } from 'ioredis';
import { expect, it, onTestFinished } from 'vitest';
import { RightMissing, StoreUnavailable } from '../../src/infrastructure/errors.js';
import { redisFailure } from '../../src/infrastructure/redis-failure.js';
import { newRedisServer, withRedisServer } from '../support/redis.js';

withRedisServer('a call that Redis refuses', () => {
  /** Returns what a call of a user with these rights fails with. */
  const failureOf = async (rights: readonly string[], call: (redis: Redis) => Promise<unknown>) => {
    const server = await newRedisServer();
    await server.start();
    const root = new Redis(server.url);
    onTestFinished(() => root.disconnect());
    await root.call('ACL', 'SETUSER', 'clinic', 'on', '>canary', ...rights);
    const redis = new Redis(server.url, { username: 'clinic', password: 'canary', enableReadyCheck: false });
    onTestFinished(() => redis.disconnect());
    return redisFailure('the job queues in Redis', await call(redis).catch((error: unknown) => error));
  };

  it.each([
    ['a command', ['~*', '+@read'], (redis: Redis) => redis.set('a', 'b'), "'set' command"],
    ['a key', ['~clinic:*', '+@all'], (redis: Redis) => redis.set('a', 'b'), 'key'],
    ['a script', ['~*', '+eval'], (redis: Redis) => redis.eval("redis.call('set', 'a', 'b')", 0), "can't run"],
    ['a renamed command', ['~*', '+@all'], (redis: Redis) => redis.call('removed', 'a', 'a person'), "'removed'"],
  ] as const)('for want of a right names the right: %s', async (_, rights, call, named) =>
    expect(await failureOf(rights, call)).toMatchObject({
      constructor: RightMissing,
      message: expect.stringMatching(new RegExp(`^(?!.*a person)[^\\n]*${named}[^\\n]*$`)),
    }),
  );

  it('as wrong lacks no right', async () =>
    expect(await failureOf(['~*', '+@all'], (redis) => redis.call('incr', 'a', 'b'))).toMatchObject({
      constructor: StoreUnavailable,
    }));
});
