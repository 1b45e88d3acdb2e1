// The job queues on BullMQ. Queues and job ids correspond to BullMQ's queues and job ids.
import { once } from 'node:events';
import { Job as BullJob, ErrorCode, type IRedisClient, Queue } from 'bullmq';
import { Redis } from 'ioredis';
import { settlesWithin } from '../async.js';
import { StoreUnavailable } from '../errors.js';
import { type QueueBoard, QueueOnBoard } from './bullmq-board.js';
import { CALLS, decoded, encoded, isRejected, Outage, STORE, unavailable } from './bullmq-connection.js';
import { BullMqQueueWorker, type BullMqWorkerEngine } from './bullmq-worker.js';
import type { DeadLetter, Handler, NewJob, QueueWorker, Work, WorkerOptions } from './work.js';

// How long a call waits for a connection.
const CONNECTING_MS = 3_000;
const CLOSE_MS = 3_000;
// BullMQ keeps an event log of each queue, which this service does not read.
const EVENTS_KEPT = 100;
// BullMQ requires a job name. Our queues have only one kind of job.
const JOB_NAME = 'job';

/** The options of the engine. */
export interface BullMqWorkOptions {
  /** Called once per outage, and for each job that did not end before its worker closed. Must not throw. */
  readonly onError?: (error: Error) => void;
  /** The prefix of every key in Redis. Different prefixes are separate stores. */
  readonly prefix?: string;
  /** How long a closing worker waits for its current job. Another worker takes over a job that takes longer. */
  readonly closeMs?: number;
}

/**
 * The job queues in the Redis at `url`. Redis keeps all jobs only with `appendonly yes` and `maxmemory-policy
 * noeviction`, and survives a crash of its machine only with `appendfsync always`. While Redis is unavailable, calls
 * reject within seconds and workers wait.
 */
export class BullMqWork implements Work {
  readonly #engine: BullMqWorkerEngine;
  readonly #redis: Redis;
  readonly #queues = new Map<string, Queue<unknown>>();
  readonly #workers = new Set<BullMqQueueWorker>();
  #connecting: Promise<unknown> | undefined;
  #closed = false;

  /** Starts to connect. Throws only if `url` is malformed. */
  constructor(url: string, options: BullMqWorkOptions = {}) {
    const {
      onError = (error) => process.emitWarning(error),
      prefix = 'clinical-protocols',
      closeMs = CLOSE_MS,
    } = options;
    this.#engine = { url, prefix, closeMs, onError, outage: new Outage(onError) };
    this.#redis = new Redis(url, CALLS);
    this.#redis.on('error', this.#engine.outage.report);
    this.#redis.on('ready', this.#engine.outage.clear);
  }

  async enqueue({ queue, id, data, runAt }: NewJob): Promise<boolean> {
    const stored = await this.#runOnQueue(queue, async (on) => {
      const timestamp = Date.now();
      const delay = Math.max(0, Math.ceil((runAt ?? timestamp) - timestamp));
      const jobId = encoded(id);
      const options = { jobId, timestamp, delay, removeOnComplete: true, removeOnFail: false };
      return add(on, new BullJob(on, JOB_NAME, data, options, jobId));
    });
    this.#engine.outage.clear();
    return stored;
  }

  process(queue: string, handler: Handler, options: WorkerOptions): QueueWorker {
    if (this.#closed) throw closedError();
    const worker = new BullMqQueueWorker(queue, handler, options, this.#engine);
    this.#workers.add(worker);
    return {
      close: async () => {
        await worker.close();
        this.#workers.delete(worker);
      },
    };
  }

  async deadLetters(queue: string): Promise<readonly DeadLetter[]> {
    const failed = await this.#runOnQueue(queue, (on) => on.getJobs('failed', 0, -1, true));
    return failed.map(({ id = '', data, attemptsMade, failedReason }) => ({
      queue,
      id: decoded(id),
      data,
      attempt: attemptsMade,
      reason: failedReason ?? '',
    }));
  }

  async countDeadLetters(queue: string): Promise<number> {
    return this.#runOnQueue(queue, (on) => on.getJobCountByTypes('failed'));
  }

  async retry(queue: string, id: string): Promise<boolean> {
    return this.#runOnQueue(queue, async (on) => {
      const job = await on.getJob(encoded(id));
      return job !== undefined && (await requeue(job));
    });
  }

  async pending(queue: string): Promise<number> {
    return this.#runOnQueue(queue, (on) => on.getJobCountByTypes('wait', 'delayed', 'active'));
  }

  /** Returns the queues for Bull Board. */
  board(queues: readonly string[]): QueueBoard {
    return {
      queues: queues.map((queue) => new QueueOnBoard(this.#queueOf(queue), queue)),
      reachable: async () => {
        await this.#runOrReject(() => this.#redis.ping());
      },
    };
  }

  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all([...this.#workers].map((worker) => worker.close()));
    await Promise.all([...this.#queues.values()].map((queue) => queue.close()));
    await settlesWithin(this.#redis.quit(), this.#engine.closeMs);
    this.#redis.disconnect();
  }

  #runOnQueue<T>(queue: string, operation: (on: Queue<unknown>) => Promise<T>): Promise<T> {
    return this.#runOrReject(() => operation(this.#queueOf(queue)));
  }

  async #runOrReject<T>(operation: () => Promise<T>): Promise<T> {
    if (this.#closed) throw closedError();
    try {
      await this.#connected();
      return await operation();
    } catch (error) {
      throw unavailable(error);
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

  #queueOf(name: string): Queue<unknown> {
    const known = this.#queues.get(name);
    if (known !== undefined) return known;
    const queue = new Queue<unknown>(encoded(name), {
      connection: this.#redis,
      prefix: this.#engine.prefix,
      streams: { events: { maxLen: EVENTS_KEPT } },
      // Otherwise a connection that is lost right now would leave a queue that never works.
      skipWaitingForReady: true,
      skipVersionCheck: true,
    });
    queue.on('error', this.#engine.outage.report);
    this.#queues.set(name, queue);
    return queue;
  }
}

const closedError = (): StoreUnavailable => new StoreUnavailable(STORE, 'it is closed');

// BullMQ silently keeps an existing job with the same id. The transaction therefore also reads whether there is one.
const add = async (queue: Queue<unknown>, job: BullJob<unknown>): Promise<boolean> => {
  const client = await queue.getBackend().client;
  const transaction = client.multi().hgetall(queue.toKey(job.id ?? ''));
  await job.addJob(transaction);
  const [existing, added] = (await transaction.exec()) ?? [];
  if (existing === undefined || added === undefined) throw new Error('the transaction was not executed');
  const isNew = Object.keys(existing[1] ?? {}).length === 0;
  const error = existing[0] ?? added[0];
  if (error !== null) await addAfterFlush(error, client, job);
  return isNew;
};

// BullMQ resends a script that was flushed from Redis only outside a transaction.
const addAfterFlush = async (error: Error, client: IRedisClient, job: BullJob<unknown>): Promise<void> => {
  if (!error.message.startsWith('NOSCRIPT')) throw error;
  await job.addJob(client);
};

const requeue = async (job: BullJob<unknown>): Promise<boolean> => {
  try {
    await job.retry('failed', { resetAttemptsMade: true, resetAttemptsStarted: true });
    return true;
  } catch (error) {
    if (isRejected(error, ErrorCode.JobNotExist, ErrorCode.JobNotInState)) return false;
    throw error;
  }
};
