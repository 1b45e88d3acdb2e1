// Rate limits counted in Redis for all processes together. While Redis does not answer, each process counts for itself.
import { createHmac, type KeyObject } from 'node:crypto';
import { Redis, type RedisOptions } from 'ioredis';
import { RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import type { Log } from '../log.js';
import type { Limits, Quota, Standing } from './limits.js';
import { MemoryLimits } from './memory.js';

// In an outage, one request a second waits for so long, and no other.
const PATIENCE_MS = 100;
const RETRY_MS = 1_000;

const CONNECTION = {
  enableOfflineQueue: false,
  maxRetriesPerRequest: 0,
  connectTimeout: 2_000,
  // A connection that is silent this long is given up.
  socketTimeout: 5_000,
  retryStrategy: (times: number) => Math.min(50 * 2 ** times, 1_000) * (1 + Math.random() * 0.2),
} as const satisfies RedisOptions;

/** What the engine is given. */
export interface RedisLimitsOptions {
  /** Gives the key of the HMACs that callers are known by in Redis: an address is personal data. */
  readonly secret: () => Promise<KeyObject>;
  /** Told when the counts are no more shared, and when they are again. */
  readonly log: Pick<Log, 'warn' | 'info'>;
  /** What every key in Redis begins with; another prefix is other counts. */
  readonly prefix?: string;
  /** How long a request waits for Redis at most. */
  readonly patienceMs?: number;
}

interface Outage {
  readonly since: number;
  readonly retryAt: number;
}

/** Counts in the Redis at `url`. */
export class RedisLimits implements Limits {
  readonly #redis: Redis;
  readonly #connected: Promise<unknown>;
  readonly #options: RedisLimitsOptions;
  readonly #limiters = new Map<string, RateLimiterRedis>();
  readonly #own = new MemoryLimits();
  #outage: Outage | undefined;

  /** Begins to connect. Throws only where `url` is none. */
  constructor(url: string, options: RedisLimitsOptions) {
    this.#options = options;
    this.#redis = new Redis(url, CONNECTION);
    this.#connected = new Promise((resolve) => this.#redis.once('ready', resolve));
    this.#redis.on('error', (error) => this.#begins(error));
    this.#redis.on('ready', () => this.#ends());
    // The first request need not wait for the key to be made.
    options.secret().catch((error) => this.#begins(error));
  }

  async take(quota: Quota, caller: string): Promise<Standing> {
    const begun = performance.now();
    if (this.#mayAsk(begun)) {
      try {
        const standing = await inTime(this.#options.patienceMs ?? PATIENCE_MS, this.#takeShared(quota, caller));
        // What was asked before the outage says nothing of its end.
        if (this.#outage !== undefined && begun >= this.#outage.since) this.#ends();
        return standing;
      } catch (error) {
        this.#begins(error);
      }
    }
    return this.#own.take(quota, caller);
  }

  async close(): Promise<void> {
    // A client that waits to connect again has no connection, and never says that it ended.
    const isConnected = ['connecting', 'connect', 'ready'].includes(this.#redis.status);
    const ended = new Promise<void>((resolve) => this.#redis.once('end', resolve));
    this.#redis.disconnect();
    if (isConnected) await ended;
    await this.#own.close();
  }

  #mayAsk(now: number): boolean {
    if (this.#outage === undefined) return true;
    if (now < this.#outage.retryAt) return false;
    this.#outage = { ...this.#outage, retryAt: now + RETRY_MS };
    return true;
  }

  async #takeShared(quota: Quota, caller: string): Promise<Standing> {
    const secret = await this.#options.secret();
    await this.#connected;
    return counted(this.#limiterOf(quota), createHmac('sha256', secret).update(caller).digest('base64url'));
  }

  #limiterOf({ name, requests, windowS }: Quota): RateLimiterRedis {
    const known = this.#limiters.get(name);
    if (known !== undefined) return known;
    const limiter = new RateLimiterRedis({
      storeClient: this.#redis,
      keyPrefix: `${this.#options.prefix ?? 'clinical-protocols:limits'}:${name}`,
      points: requests,
      duration: windowS,
      // Whoever goes on asking costs Redis nothing.
      inMemoryBlockOnConsumed: requests + 1,
    });
    this.#limiters.set(name, limiter);
    return limiter;
  }

  #begins(error: unknown): void {
    if (this.#outage !== undefined) return;
    const now = performance.now();
    this.#outage = { since: now, retryAt: now + RETRY_MS };
    this.#options.log.warn({ err: error }, 'rate limits cannot be shared: each process counts for itself');
  }

  #ends(): void {
    if (this.#outage === undefined) return;
    this.#outage = undefined;
    this.#options.log.info('rate limits are shared by all processes again');
  }
}

// To the library, that a request is one too many is an error.
const counted = async (limiter: RateLimiterRedis, caller: string): Promise<Standing> => {
  try {
    return standingOf(await limiter.consume(caller), false);
  } catch (refusal) {
    if (refusal instanceof RateLimiterRes) return standingOf(refusal, true);
    throw refusal;
  }
};

const standingOf = ({ remainingPoints, msBeforeNext }: RateLimiterRes, isOver: boolean): Standing => ({
  isOver,
  remaining: isOver ? 0 : remainingPoints,
  resetS: Math.max(1, Math.ceil(msBeforeNext / 1_000)),
});

const inTime = async <T>(ms: number, promise: Promise<T>): Promise<T> => {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const giveUp = () => reject(new Error(`no answer within ${ms} ms`));
    // An answer that has arrived is read first: a process that was busy itself must not take that for an outage.
    timer = setTimeout(() => setImmediate(giveUp), ms);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
};
