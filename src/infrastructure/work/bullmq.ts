// The job queues on BullMQ. Queues and job ids correspond to BullMQ's queues and job ids.
import { once } from 'node:events';
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter';
import { Queue as BullQueue, ErrorCode } from 'bullmq';
import { Redis, type RedisOptions } from 'ioredis';
import { settlesWithin } from '../async.js';
import { codeOf, STORES, StoreUnavailable } from '../errors.js';
import type { WrongSettings } from '../fault.js';
import { redisFailure } from '../redis-failure.js';
import { CLOSE_MS, longestWaitOf } from './attempt.js';
import {
  attemptsOf,
  BullMqQueueWorker,
  type BullMqSettings,
  decoded,
  encoded,
  retryStrategy,
} from './bullmq-worker.js';
import type { DeadLetter, Handler, NewJob, Queue, QueueWorker, Work } from './work.js';

const STORE = STORES.queuesInRedis;
// How long a call waits for a connection.
const CONNECTING_MS = 3_000;
// The jobs have ended by then, and a silent Redis must not delay the end of the process.
const QUIT_MS = 1_000;
// A worker renews the lock of a running job. Without its worker, a job is free again after this time.
const LOCK_MS = 15_000;
// BullMQ keeps an event log of each queue, which this service does not read.
const EVENTS_KEPT = 100;
// How often to look for retries that a clock which was ahead has delayed.
const AHEAD_POLL_MS = 5_000;
const AHEAD_PAGE = 100;
// The score of a delayed job is its time in milliseconds, multiplied by this.
const SCORE = 0x1000;
// BullMQ requires a job name. Our queues have only one kind of job.
const JOB_NAME = 'job';
const SAFE = { maxmemory_policy: 'noeviction', aof_enabled: '1' };

/** The options of the connection for calls. While Redis is unavailable, every command fails quickly. */
const CALLS = {
  enableOfflineQueue: false,
  maxRetriesPerRequest: 0,
  connectTimeout: 5_000,
  commandTimeout: 5_000,
  // A command timeout does not close the connection. A connection without data for this long is closed.
  socketTimeout: 10_000,
  // The check writes to standard error without the right to INFO. While Redis loads its data, calls reject anyway.
  enableReadyCheck: false,
  retryStrategy,
} as const satisfies RedisOptions;

export interface QueueBoard {
  readonly queues: readonly BullMQAdapter[];
  /** Rejects with `StoreUnavailable` while Redis is unavailable. */
  readonly reachable: () => Promise<void>;
}

/**
 * The job queues in the Redis at `url`. Redis keeps all jobs only with `appendonly yes` and `maxmemory-policy
 * noeviction`, and survives a crash of its machine only with `appendfsync always`. While Redis is unavailable, calls
 * reject within seconds and workers wait.
 */
export class BullMqWork implements Work {
  readonly #url: string;
  readonly #settings: BullMqSettings;
  readonly #redis: Redis;
  readonly #queues = new Map<string, BullQueue<unknown>>();
  readonly #workers = new Set<QueueWorker>();
  readonly #timers: NodeJS.Timeout[] = [];
  #connecting: Promise<unknown> | undefined;
  #isAway = false;
  #closed = false;

  /** Starts to connect. Throws only if `url` is malformed. */
  constructor(url: string, options: Partial<BullMqSettings> = {}) {
    const onError = (error: Error) => process.emitWarning(error);
    this.#settings = { onError, prefix: 'clinical-protocols', closeMs: CLOSE_MS, lockMs: LOCK_MS, ...options };
    this.#url = url;
    this.#redis = new Redis(url, CALLS);
    this.#redis.on('error', this.#report);
    this.#redis.on('ready', this.#cleared);
  }

  async enqueue({ queue, id, data, runAt }: NewJob): Promise<void> {
    const options = {
      jobId: encoded(id),
      delay: Math.max(0, (runAt ?? 0) - Date.now()),
      attempts: queue.pausesMs.length + 1,
      backoff: { type: 'pauses-of-queue' },
      removeOnComplete: true,
      // A stack could contain personal data.
      stackTraceLimit: 0,
    };
    await this.#runOnQueue(queue, (on) => on.add(JOB_NAME, data, options));
    this.#cleared();
  }

  process(queue: Queue, handler: Handler): QueueWorker {
    if (this.#closed) throw closedError();
    const settings = { ...this.#settings, onError: this.#report };
    const worker = new BullMqQueueWorker(queue, handler, this.#url, settings);
    const promote = () => void this.#promoteAhead(queue).catch(this.#report);
    this.#timers.push(setInterval(promote, AHEAD_POLL_MS).unref());
    this.#workers.add(worker);
    return worker;
  }

  async deadLetters(queue: Queue): Promise<readonly DeadLetter[]> {
    const failed = await this.#runOnQueue(queue, (on) => on.getJobs('failed', 0, -1, true));
    return failed.map((job) => ({
      queue: queue.name,
      id: decoded(job.id ?? ''),
      data: job.data,
      // BullMQ counts what parks a job as one more attempt, even if no attempt followed a lost process.
      attempt: Math.min(attemptsOf(job), job.opts.attempts ?? 1),
      reason: job.failedReason ?? '',
    }));
  }

  async countDeadLetters(queue: Queue): Promise<number> {
    return this.#runOnQueue(queue, (on) => on.getJobCountByTypes('failed'));
  }

  async retry(queue: Queue, id: string): Promise<boolean> {
    return this.#runOnQueue(queue, async (on) => {
      const job = await on.getJob(encoded(id));
      if (job === undefined || !(await job.isFailed())) return false;
      // A retry resets the failures of a job, but not the number of lost processes.
      await this.#redis.hdel(on.toKey(encoded(id)), 'stc');
      return unlessMoved(job.retry('failed', { resetAttemptsMade: true }));
    });
  }

  async pending(queue: Queue): Promise<number> {
    return this.#runOnQueue(queue, (on) => on.getJobCountByTypes('wait', 'delayed', 'active'));
  }

  async isPaused(queue: Queue): Promise<boolean> {
    return this.#runOnQueue(queue, (on) => on.isPaused());
  }

  async wrongSettings(): Promise<WrongSettings> {
    const info = await this.#runOrReject(() => this.#redis.info());
    const settings = Object.entries(SAFE).map(([name, safe]) => {
      const [, value] = new RegExp(`^${name}:(\\S+)`, 'm').exec(info) ?? [];
      return { name, safe, value };
    });
    const wrong = settings.filter(({ value, safe }) => value !== safe);
    const words = wrong.map(({ name, value, safe }) => `${name} is ${value ? `${value}, not ${safe}` : 'unknown'}`);
    return { text: words.join('; '), isUnsafe: wrong.some(({ value }) => value !== undefined) };
  }

  board(queues: readonly Queue[]): QueueBoard {
    return {
      queues: queues.map((queue) =>
        Object.assign(new BullMQAdapter(this.#queueOf(queue), { displayName: queue.name }), {
          // The list and the addresses of the board omit the prefix that BullMQ's name has.
          getName: () => queue.name,
        }),
      ),
      reachable: async () => {
        await this.#runOrReject(() => this.#redis.ping());
      },
    };
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const timer of this.#timers) clearInterval(timer);
    await Promise.all([...this.#workers].map((worker) => worker.close()));
    await Promise.all([...this.#queues.values()].map((queue) => queue.close()));
    await settlesWithin(this.#redis.quit(), QUIT_MS);
    this.#redis.disconnect();
  }

  readonly #report = (error: unknown): void => {
    if (this.#isAway) return;
    this.#isAway = true;
    this.#settings.onError(redisFailure(STORE, error));
  };

  readonly #cleared = (): void => {
    this.#isAway = false;
  };

  // BullMQ delays a retry by the clock of its worker. A job that nobody has attempted keeps the time it was planned for.
  #promoteAhead(queue: Queue): Promise<void> {
    return this.#runOnQueue(queue, async (on) => {
      const latest = (Date.now() + longestWaitOf(queue)) * SCORE;
      const ids = await this.#redis.zrangebyscore(on.toKey('delayed'), latest, '+inf', 'LIMIT', 0, AHEAD_PAGE);
      for (const id of ids) {
        const job = await on.getJob(id);
        if (job !== undefined && attemptsOf(job) > 0) await unlessMoved(job.promote());
      }
    });
  }

  #runOnQueue<T>(queue: Queue, operation: (on: BullQueue<unknown>) => Promise<T>): Promise<T> {
    return this.#runOrReject(() => operation(this.#queueOf(queue)));
  }

  async #runOrReject<T>(operation: () => Promise<T>): Promise<T> {
    if (this.#closed) throw closedError();
    try {
      await this.#connected();
      return await operation();
    } catch (error) {
      throw redisFailure(STORE, error);
    }
  }

  // BullMQ would wait forever for its first connection. Here, a failed attempt to connect ends the wait.
  async #connected(): Promise<void> {
    if (this.#redis.status === 'ready') return;
    this.#connecting ??= once(this.#redis, 'ready', { signal: AbortSignal.timeout(CONNECTING_MS) }).finally(() => {
      this.#connecting = undefined;
    });
    await this.#connecting;
  }

  #queueOf({ name }: Queue): BullQueue<unknown> {
    const known = this.#queues.get(name);
    if (known !== undefined) return known;
    const queue = new BullQueue<unknown>(encoded(name), {
      connection: this.#redis,
      prefix: this.#settings.prefix,
      streams: { events: { maxLen: EVENTS_KEPT } },
      // Otherwise a connection that is lost right now would leave a queue that never works.
      skipWaitingForReady: true,
      skipVersionCheck: true,
    });
    queue.on('error', this.#report);
    this.#queues.set(name, queue);
    return queue;
  }
}

const closedError = (): StoreUnavailable => new StoreUnavailable(STORE, 'it is closed');

const MOVED: readonly unknown[] = [ErrorCode.JobNotExist, ErrorCode.JobNotInState];

/** Returns whether a job was moved to another state. Returns false if it had left its state already. */
const unlessMoved = async (moving: Promise<unknown>): Promise<boolean> => {
  try {
    await moving;
    return true;
  } catch (error) {
    if (MOVED.includes(codeOf(error))) return false;
    throw error;
  }
};
