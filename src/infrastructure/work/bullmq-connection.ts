// The connections of BullMQ: their options, the encoding of our names, and one report per outage.
import type { ErrorCode } from 'bullmq';
import type { RedisOptions } from 'ioredis';
import { StoreUnavailable } from '../errors.js';

/** The name of the engine in errors. */
export const STORE = 'the job queues in Redis';

// Reconnects within about a second after the server is back.
const retryStrategy = (times: number): number => Math.min(50 * 2 ** times, 1_000) * (1 + Math.random() * 0.2);

/** The options of the connection for calls. While Redis is unavailable, every command fails quickly. */
export const CALLS = {
  enableOfflineQueue: false,
  maxRetriesPerRequest: 0,
  connectTimeout: 5_000,
  commandTimeout: 5_000,
  // A command timeout does not close the connection. A connection without data for this long is closed.
  socketTimeout: 10_000,
  retryStrategy,
} as const satisfies RedisOptions;

/** The options of a worker's connections. While Redis is unavailable, commands wait. */
export const WORKERS = {
  maxRetriesPerRequest: null,
  connectTimeout: 5_000,
  // Longer than BullMQ ever blocks, which is 10 s.
  socketTimeout: 20_000,
  retryStrategy,
} as const satisfies RedisOptions;

/** Returns one of our names in a form that BullMQ accepts: not empty, without a colon, and not a number. */
export const encoded = (name: string): string => `_${encodeURIComponent(name)}`;

/** Returns the name that `encoded` encoded. */
export const decoded = (name: string): string => decodeURIComponent(name.slice(1));

/** Returns an error as the port defines it. */
export const unavailable = (error: unknown): StoreUnavailable =>
  error instanceof StoreUnavailable ? error : new StoreUnavailable(STORE, error);

/** Returns whether BullMQ rejected an operation for one of these reasons. Such an operation has changed nothing. */
export const isRejected = (error: unknown, ...reasons: readonly ErrorCode[]): boolean =>
  error instanceof Error && 'code' in error && reasons.some((reason) => reason === error.code);

/** Reports an outage only once, although many connections and workers notice it repeatedly. */
export class Outage {
  readonly #onError: (error: Error) => void;
  #reported = false;

  constructor(onError: (error: Error) => void) {
    this.#onError = onError;
  }

  readonly report = (error: unknown): void => {
    if (this.#reported) return;
    this.#reported = true;
    this.#onError(unavailable(error));
  };

  readonly clear = (): void => {
    this.#reported = false;
  };
}
