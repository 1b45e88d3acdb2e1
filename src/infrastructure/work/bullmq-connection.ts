// How BullMQ is reached: the options of each kind of connection, our names in its own, and one report an outage.
import type { ErrorCode } from 'bullmq';
import type { RedisOptions } from 'ioredis';
import { StoreUnavailable } from '../errors.js';

/** How the engine is named where it fails. */
export const STORE = 'the job queues in Redis';

// A server that is back is found within about a second.
const retryStrategy = (times: number): number => Math.min(50 * 2 ** times, 1_000) * (1 + Math.random() * 0.2);

/** The options of the connection that answers calls: while Redis is away, every command fails, and fails soon. */
export const CALLS = {
  enableOfflineQueue: false,
  maxRetriesPerRequest: 0,
  connectTimeout: 5_000,
  commandTimeout: 5_000,
  // Commands that time out leave the connection as it is; one that is silent this long is given up.
  socketTimeout: 10_000,
  retryStrategy,
} as const satisfies RedisOptions;

/** The options of a worker's connections: while Redis is away, commands wait for it. */
export const WORKERS = {
  maxRetriesPerRequest: null,
  connectTimeout: 5_000,
  // Longer than BullMQ ever blocks, which is 10 s.
  socketTimeout: 20_000,
  retryStrategy,
} as const satisfies RedisOptions;

/** A name of ours as BullMQ takes it: not empty, without a colon, and no number. */
export const encoded = (name: string): string => `_${encodeURIComponent(name)}`;

/** The name of ours that `encoded` made. */
export const decoded = (name: string): string => decodeURIComponent(name.slice(1));

/** The error as the port has it. */
export const unavailable = (error: unknown): StoreUnavailable =>
  error instanceof StoreUnavailable ? error : new StoreUnavailable(STORE, error);

/** Whether BullMQ refused an operation, for one of these reasons, and changed nothing. */
export const isRefused = (error: unknown, ...reasons: readonly ErrorCode[]): boolean =>
  error instanceof Error && 'code' in error && reasons.some((reason) => reason === error.code);

/** Reports an outage, which many connections and workers meet again and again, once. */
export class Outage {
  readonly #onError: (error: Error) => void;
  #reported = false;

  constructor(onError: (error: Error) => void) {
    this.#onError = onError;
  }

  readonly met = (error: unknown): void => {
    if (this.#reported) return;
    this.#reported = true;
    this.#onError(unavailable(error));
  };

  readonly over = (): void => {
    this.#reported = false;
  };
}
