// A worker of a queue on BullMQ, which does attempts, backoff, locks and lost jobs. The time limit of an attempt and the
// return of interrupted jobs are ours.
import { type Job as BullJob, UnrecoverableError, WaitingError, Worker } from 'bullmq';
import type { RedisOptions } from 'ioredis';
import { settlesWithin } from '../async.js';
import { type AttemptingWorker, attempt, pauseAfter, toError } from './attempt.js';
import { Final, type Handler, Later, type Queue, type QueueWorker } from './work.js';

// How long an idle worker waits for a pending response when it closes.
const IDLE_CLOSE_MS = 500;
// How long a worker pauses after an error of Redis.
const PAUSE_MS = 1_000;

/** Returns the pause before an attempt to reconnect. Reconnects within about a second after the server is back. */
export const retryStrategy = (times: number): number => Math.min(50 * 2 ** times, 1_000) * (1 + Math.random() * 0.2);

/** The options of the connections. While Redis is unavailable, commands wait. */
const CONNECTIONS = {
  maxRetriesPerRequest: null,
  connectTimeout: 5_000,
  // Longer than BullMQ ever blocks, which is 10 s.
  socketTimeout: 20_000,
  enableReadyCheck: false,
  retryStrategy,
} as const satisfies RedisOptions;

export interface BullMqSettings {
  /** Called once per outage, although many connections and workers notice it repeatedly. Must not throw. */
  readonly onError: (error: Error) => void;
  /** The prefix of every key in Redis. Different prefixes are separate stores. */
  readonly prefix: string;
  /** How long a closing worker waits for its running jobs, in milliseconds. */
  readonly closeMs: number;
  /** How long a job stays locked if its process ends, in milliseconds. */
  readonly lockMs: number;
}

export class BullMqQueueWorker implements QueueWorker {
  readonly #worker: Worker<unknown>;
  readonly #closing = new AbortController();
  readonly #attempting: AttemptingWorker;
  #running = 0;
  #closed: Promise<void> | undefined;

  constructor(queue: Queue, handler: Handler, url: string, settings: BullMqSettings) {
    const { prefix, closeMs, lockMs, onError } = settings;
    this.#attempting = { queue, handler, closeMs, closing: this.#closing.signal };
    this.#worker = new Worker<unknown>(encoded(queue.name), (job, token) => this.#run(job, token), {
      connection: { url, ...CONNECTIONS },
      prefix,
      concurrency: queue.concurrency,
      lockDuration: lockMs,
      // Two checks are needed to find a lost job.
      stalledInterval: lockMs / 3,
      maxStalledCount: queue.pausesMs.length,
      settings: { backoffStrategy: (_made, _type, error) => (error instanceof Later ? (error.ms ?? 0) : 0) },
      runRetryDelay: PAUSE_MS,
      // The check writes to standard error.
      skipVersionCheck: true,
    });
    this.#worker.on('error', (error) => {
      if (this.#closed !== undefined) return;
      onError(error);
      void this.#rest();
    });
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  // Without Redis, BullMQ would wait for its last command forever.
  async #close(): Promise<void> {
    const limit = IDLE_CLOSE_MS + (this.#running > 0 ? this.#attempting.closeMs : 0);
    this.#closing.abort(new Error('the worker is closing'));
    if (!(await settlesWithin(this.#worker.close(), limit))) await this.#worker.getBackend().close(true);
  }

  // BullMQ repeats a call that Redis rejects without a pause.
  async #rest(): Promise<void> {
    if (this.#worker.isPaused()) return;
    await this.#worker.pause(true);
    setTimeout(() => void this.#worker.resume(), PAUSE_MS).unref();
  }

  /** Attempts a job. After a rejection, BullMQ retries or parks the job, unless it was put back. */
  async #run(job: BullJob<unknown>, token = ''): Promise<void> {
    const { id = '', data } = job;
    const { queue } = this.#attempting;
    const count = attemptsOf(job) + 1;
    this.#running += 1;
    try {
      await attempt(this.#attempting, { queue: queue.name, id: decoded(id), data, attempt: count });
    } catch (error) {
      // BullMQ has one limit for failures and another for lost processes. A failure counts both.
      if (!this.#closing.signal.aborted) throw failureOf(job, pauseAfter(queue, count, error), error);
      await job.moveToWait(token);
      throw new WaitingError();
    } finally {
      this.#running -= 1;
    }
  }
}

/** Returns how many attempts at a job have failed or were lost with their process. */
export const attemptsOf = ({ attemptsMade, stalledCounter }: BullJob<unknown>): number => attemptsMade + stalledCounter;

/** Returns the failure with which BullMQ parks or retries a job. A job of an earlier version keeps its attempts. */
const failureOf = (job: BullJob<unknown>, pauseMs: number | undefined, error: unknown): Error => {
  const isOver = error instanceof Final || attemptsOf(job) + 1 >= (job.opts.attempts ?? 1);
  const { message } = toError(error);
  return isOver ? new UnrecoverableError(message) : new Later(message, pauseMs);
};

/** Returns one of our names in a form that BullMQ accepts: not empty, without a colon, and not a number. */
export const encoded = (name: string): string => `_${encodeURIComponent(name)}`;

export const decoded = (name: string): string => decodeURIComponent(name.slice(1));
