// Counts rate limits of all processes in Redis. While Redis is unavailable, each process counts on its own.
import { createHmac, type KeyObject } from 'node:crypto';
import { Redis, type RedisOptions } from 'ioredis';
import { RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import { withDeadline } from '../async.js';
import type { Log } from '../log.js';
import { MemoryRateLimits } from './memory.js';
import type { Quota, QuotaStatus, RateLimits } from './rate-limits.js';

const TIMEOUT_MS = 100;

const CONNECTION = {
  enableOfflineQueue: false,
  maxRetriesPerRequest: 0,
  connectTimeout: 2_000,
  // A connection without data for this long is closed.
  socketTimeout: 5_000,
  // During an outage, requests wait for Redis about once per second.
  retryStrategy: () => 1_000 * (1 + Math.random() * 0.2),
} as const satisfies RedisOptions;

/** The reasons why counts are not shared, by the failed store. */
const REASONS = { redis: 'Redis is unavailable', vault: 'the vault did not return their key' } as const;
type Store = keyof typeof REASONS;

/** The options of the engine. */
export interface RedisRateLimitsOptions {
  /** Returns the key of the HMACs that replace callers in Redis, because an IP address is personal data. */
  readonly secret: () => Promise<KeyObject>;
  /** The log, which reports when counts are no longer shared and when they are shared again. */
  readonly log: Pick<Log, 'warn' | 'info'>;
  /** The prefix of every key in Redis. Different prefixes have separate counts. */
  readonly prefix?: string;
  /** The maximum time that a request waits for Redis, in milliseconds. */
  readonly timeoutMs?: number;
}

/**
 * Counts in the Redis at `url`. During an outage, `MemoryRateLimits` replaces it instead of the library's own insurance
 * limiter, which remembers an unlimited number of callers.
 */
export class RedisRateLimits implements RateLimits {
  readonly #redis: Redis;
  readonly #options: RedisRateLimitsOptions;
  readonly #limiters = new Map<string, RateLimiterRedis>();
  readonly #local = new MemoryRateLimits();
  readonly #connected: Promise<void>;
  readonly #reported = new Set<Store>();
  #isUp = false;

  /** Starts to connect. Throws only if `url` is malformed. */
  constructor(url: string, options: RedisRateLimitsOptions) {
    this.#options = options;
    this.#redis = new Redis(url, CONNECTION);
    this.#redis.on('error', (error) => this.#report('redis', error));
    this.#redis.on('ready', () => {
      this.#isUp = true;
    });
    this.#redis.on('close', () => {
      this.#isUp = false;
    });
    this.#connected = new Promise((resolve) => {
      for (const event of ['ready', 'error']) this.#redis.once(event, () => resolve());
    });
    // Requests the key early, so that the first request does not wait for its creation.
    options.secret().catch((error: unknown) => this.#report('vault', error));
  }

  async take(quota: Quota, caller: string): Promise<QuotaStatus> {
    const key = await this.#withinTimeout('vault', this.#options.secret());
    const shared = key && (await this.#takeShared(quota, createHmac('sha256', key).update(caller).digest('base64url')));
    return shared ?? this.#local.take(quota, caller);
  }

  async close(): Promise<void> {
    // A client that waits to reconnect has no connection and never emits `end`.
    const isConnected = !['reconnecting', 'end'].includes(this.#redis.status);
    const ended = new Promise<void>((resolve) => this.#redis.once('end', resolve));
    this.#redis.disconnect();
    if (isConnected) await ended;
    await this.#local.close();
  }

  async #takeShared(quota: Quota, caller: string): Promise<QuotaStatus | undefined> {
    const status = await this.#withinTimeout(
      'redis',
      this.#connected.then(() => counted(this.#limiterOf(quota), caller)),
    );
    // A response from a connection that was closed in the meantime does not end the outage.
    if (!this.#isUp) return status;
    if (status !== undefined) {
      this.#reportShared();
      return status;
    }
    // Until the next connection is ready, commands fail immediately and no request waits.
    this.#isUp = false;
    this.#redis.disconnect(true);
    return undefined;
  }

  #limiterOf({ name, requests, windowS }: Quota): RateLimiterRedis {
    const known = this.#limiters.get(name);
    if (known !== undefined) return known;
    const limiter = new RateLimiterRedis({
      storeClient: this.#redis,
      keyPrefix: `${this.#options.prefix ?? 'clinical-protocols:limits'}:${name}`,
      points: requests,
      duration: windowS,
      // A blocked caller who keeps sending requests costs Redis nothing.
      inMemoryBlockOnConsumed: requests + 1,
    });
    this.#limiters.set(name, limiter);
    return limiter;
  }

  /** Returns the result of `work`; undefined if `store` fails or takes too long, which is logged once per outage. */
  async #withinTimeout<T>(store: Store, work: Promise<T>): Promise<T | undefined> {
    try {
      return await withDeadline(work, this.#options.timeoutMs ?? TIMEOUT_MS);
    } catch (error) {
      this.#report(store, error);
      return undefined;
    }
  }

  #report(store: Store, error: unknown): void {
    if (this.#reported.has(store)) return;
    this.#reported.add(store);
    this.#options.log.warn(
      { err: error, store },
      `rate limits are not shared: ${REASONS[store]}; each process counts on its own`,
    );
  }

  #reportShared(): void {
    if (this.#reported.size === 0) return;
    this.#reported.clear();
    this.#options.log.info('all processes share rate limits again');
  }
}

// The library rejects if a request exceeds the quota.
const counted = async (limiter: RateLimiterRedis, caller: string): Promise<QuotaStatus> => {
  try {
    return statusOf(await limiter.consume(caller), false);
  } catch (refusal) {
    if (refusal instanceof RateLimiterRes) return statusOf(refusal, true);
    throw refusal;
  }
};

const statusOf = ({ remainingPoints, msBeforeNext }: RateLimiterRes, isOver: boolean): QuotaStatus => ({
  isOver,
  remaining: isOver ? 0 : remainingPoints,
  resetS: Math.max(1, Math.ceil(msBeforeNext / 1_000)),
});
