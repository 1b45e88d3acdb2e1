// Counts rate limits of all processes in Redis. While Redis is unavailable, each process counts on its own.

import { createHmac, type KeyObject } from 'node:crypto';
import { Redis, type RedisOptions } from 'ioredis';
import { RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import { withDeadline } from '../async.js';
import { STORES } from '../errors.js';
import type { Log } from '../log.js';
import { redisFailure } from '../redis-failure.js';
import { MemoryRateLimits } from './memory.js';
import type { Quota, QuotaStatus, RateLimits } from './rate-limits.js';

const TIMEOUT_MS = 100;

const CONNECTION = {
  enableOfflineQueue: false,
  maxRetriesPerRequest: 0,
  connectTimeout: 2_000,
  // A connection without data for this long is closed. From then on, no request waits for it.
  socketTimeout: 5_000,
  enableReadyCheck: false,
  retryStrategy: () => 1_000 * (1 + Math.random() * 0.2),
} as const satisfies RedisOptions;

export interface RedisRateLimitsOptions {
  /** Returns the key of the HMACs that replace callers in Redis, because an IP address is personal data. */
  readonly secret: () => Promise<KeyObject>;
  /** The log, which reports once for each outage that counts are not shared. */
  readonly log: Pick<Log, 'warn'>;
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
  #isReported = false;

  /** Starts to connect. Throws only if `url` is malformed. */
  constructor(url: string, options: RedisRateLimitsOptions) {
    this.#options = options;
    this.#redis = new Redis(url, CONNECTION);
    this.#redis.on('error', this.#report);
    this.#redis.on('ready', this.#endOutage);
    this.#connected = new Promise((resolve) => {
      for (const event of ['ready', 'error']) this.#redis.once(event, () => resolve());
    });
    // Requests the key early, so that the first request does not wait for its creation.
    options.secret().catch(this.#report);
  }

  async take(quota: Quota, caller: string): Promise<QuotaStatus> {
    try {
      return await withDeadline(this.#takeShared(quota, caller), this.#options.timeoutMs ?? TIMEOUT_MS);
    } catch (error) {
      this.#report(error);
      return this.#local.take(quota, caller);
    }
  }

  async close(): Promise<void> {
    this.#redis.disconnect();
    await this.#local.close();
  }

  async #takeShared(quota: Quota, caller: string): Promise<QuotaStatus> {
    const [key] = await Promise.all([this.#options.secret(), this.#connected]);
    const status = await counted(this.#limiterOf(quota), createHmac('sha256', key).update(caller).digest('base64url'));
    // The library refuses a blocked caller without Redis.
    if (!status.isOver) this.#endOutage();
    return status;
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

  readonly #endOutage = (): void => {
    this.#isReported = false;
  };

  readonly #report = (error: unknown): void => {
    if (this.#isReported) return;
    this.#isReported = true;
    const err = redisFailure(STORES.limitsInRedis, error);
    this.#options.log.warn({ err }, 'rate limits are not shared; each process counts on its own');
  };
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
