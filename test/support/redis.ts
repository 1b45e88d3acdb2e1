// Provides a Redis for the tests of a file, with prefixes that no other test uses.
import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, it, onTestFinished } from 'vitest';
import { temporaryDirectory } from './directory.js';
import { givenRedis, noRedisServer, RedisProcess } from './redis-server.js';

/** A Redis that the tests of a file or a service use between `start` and `end`. */
export class SharedRedis {
  #server: RedisProcess | undefined;
  readonly #prefixes: string[] = [];

  /** Starts a server with its data in `directory`, unless REDIS_URL names one. */
  async start(directory: string): Promise<void> {
    if (givenRedis !== undefined) return;
    this.#server = await RedisProcess.on(directory);
    await this.#server.start();
  }

  /** Ends the server, or removes the keys of the tests from the server that REDIS_URL names. */
  async end(): Promise<void> {
    if (givenRedis !== undefined) await this.#clear(givenRedis);
    await this.#server?.end('SIGKILL');
  }

  get url(): string {
    return givenRedis ?? this.#server?.url ?? '';
  }

  /** Returns a prefix that no key has. */
  newPrefix(): string {
    const prefix = `test-${randomUUID()}`;
    this.#prefixes.push(prefix);
    return prefix;
  }

  /** Returns a client that is closed at the end of the test. */
  client(): Redis {
    return clientOf(this.url);
  }

  async #clear(url: string): Promise<void> {
    const redis = new Redis(url);
    for (const prefix of this.#prefixes) {
      for await (const keys of redis.scanStream({ match: `${prefix}:*`, count: 1_000 })) {
        if (keys.length > 0) await redis.unlink(keys);
      }
    }
    await redis.quit();
  }
}

/** Declares tests that need a Redis. If none is available, declares one skipped test with the reason. */
export const withRedis = (name: string, declare: (redis: SharedRedis) => void): void => {
  if (givenRedis === undefined && noRedisServer !== undefined) {
    it(name, ({ skip }) => skip(`REDIS_URL is not set, and ${noRedisServer}`));
    return;
  }
  const redis = new SharedRedis();
  beforeAll(() => redis.start(temporaryDirectory()));
  afterAll(() => redis.end());
  declare(redis);
};

/** Declares tests that stop their own Redis. If none can start, declares one skipped test with the reason. */
export const withRedisServer = (name: string, declare: () => void): void => {
  if (noRedisServer === undefined) declare();
  else it(name, ({ skip }) => skip(noRedisServer));
};

/** Creates a server that a test may start, stop and kill. It is killed at the end of the test. */
export const newRedisServer = async (): Promise<RedisProcess> => {
  const server = await RedisProcess.on(temporaryDirectory());
  onTestFinished(() => server.end('SIGKILL'));
  return server;
};

/** Returns a client that is closed at the end of the test. */
export const clientOf = (url: string): Redis => {
  const redis = new Redis(url);
  onTestFinished(() => void redis.disconnect());
  return redis;
};
