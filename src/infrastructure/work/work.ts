// The port of the job queues. Jobs are retried until they are done or parked as dead letters. Delivery is at least
// once, so handlers must tolerate repeated jobs. Anything that must not be lost is first stored as an event or a vault
// record.

/** A job to enqueue. Enqueuing an id again in the same queue, before the job is removed, changes nothing. */
export interface NewJob {
  readonly queue: string;
  readonly id: string;
  readonly data: unknown;
  /** The earliest start, in epoch milliseconds. */
  readonly runAt?: number;
}

/** A running job. `attempt` counts from 1. */
export interface Job {
  readonly queue: string;
  readonly id: string;
  readonly data: unknown;
  readonly attempt: number;
}

/** A job that failed at every attempt. */
export interface DeadLetter extends Job {
  readonly reason: string;
}

/**
 * The options of a worker: attempts until a job is parked, and the pause after the first failure, which each failure
 * doubles.
 */
export interface WorkerOptions {
  readonly attempts: number;
  readonly backoffMs: number;
  /**
   * The time limit of a job, in milliseconds. After that, its signal aborts, the attempt counts as failed regardless of
   * its outcome, and any worker can take over the job. The same happens if the process of the job ends.
   */
  readonly timeoutMs: number;
}

/** Runs a job. `signal` aborts when the job times out and when its worker closes. */
export type Handler = (job: Job, signal: AbortSignal) => Promise<void>;

/**
 * A running worker. `close` aborts the signal of the current job and waits for it. A job that is cut short this way is
 * put back, and the attempt does not count. An engine may limit the wait; a job that takes longer is left as if its
 * process had ended.
 */
export interface QueueWorker {
  close(): Promise<void>;
}

/** The job queues. Calls reject with `StoreUnavailable` while the engine is unavailable. */
export interface Work {
  /** Stores a job. Returns false if a job with the id exists. Resolves after the job is on stable storage. */
  enqueue(job: NewJob): Promise<boolean>;

  /** Starts a worker, which runs one job of the queue at a time. Each job runs on one worker of all processes. */
  process(queue: string, handler: Handler, options: WorkerOptions): QueueWorker;

  deadLetters(queue: string): Promise<readonly DeadLetter[]>;

  /** Returns the number of dead letters of a queue. */
  countDeadLetters(queue: string): Promise<number>;

  /** Queues a dead letter again as a new job. Returns false if there is none with this id. */
  retry(queue: string, id: string): Promise<boolean>;

  /** Returns the number of jobs that wait or run in a queue. */
  pending(queue: string): Promise<number>;

  close(): Promise<void>;
}
