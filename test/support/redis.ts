// A Redis for the tests of a file, and prefixes on it that no other test has.
import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, it, onTestFinished } from 'vitest';
import { temporaryDirectory } from './directory.js';
import { givenRedis, noRedisServer, RedisProcess } from './redis-server.js';

/** A Redis of one user, to be used between its start and its end. */
export class SharedRedis {
  #server: RedisProcess | undefined;
  readonly #prefixes: string[] = [];

  /** Starts a server, unless one is given; its data are in `directory`. */
  async start(directory: string): Promise<void> {
    if (givenRedis !== undefined) return;
    this.#server = await RedisProcess.on(directory);
    await this.#server.start();
  }

  /** Ends the server, or removes the prefixes from the one that is given. */
  async end(): Promise<void> {
    if (givenRedis !== undefined) await this.#clear(givenRedis);
    await this.#server?.end('SIGKILL');
  }

  get url(): string {
    return givenRedis ?? this.#server?.url ?? '';
  }

  /** What no key there begins with. */
  newPrefix(): string {
    const prefix = `test-${randomUUID()}`;
    this.#prefixes.push(prefix);
    return prefix;
  }

  /** A plain client that is closed at the end of the test. */
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

/** Declares tests that need a Redis. If none is available, one skipped test says why. */
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

/** Declares tests that stop their Redis; where none can be started, one skipped test says why. */
export const withOwnRedis = (name: string, declare: () => void): void => {
  if (noRedisServer === undefined) declare();
  else it(name, ({ skip }) => skip(noRedisServer));
};

/** A server that a test may stop, kill and start again; it ends with the test and is to be started yet. */
export const ownRedis = async (): Promise<RedisProcess> => {
  const server = await RedisProcess.on(temporaryDirectory());
  onTestFinished(() => server.end('SIGKILL'));
  return server;
};

/** A plain client that is closed at the end of the test. */
export const clientOf = (url: string): Redis => {
  const redis = new Redis(url);
  onTestFinished(() => void redis.disconnect());
  return redis;
};
