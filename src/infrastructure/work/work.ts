// The port of the background work: jobs that are tried until they are done or parked as dead letters. Delivery is at
// least once, so a handler must bear the same job twice. A job that must not be lost is first an event or a vault row.

/** A job to do. Enqueuing the same id in the same queue again, before it is removed, changes nothing. */
export interface NewJob {
  readonly queue: string;
  readonly id: string;
  readonly data: unknown;
  /** Not before this epoch millisecond. */
  readonly runAt?: number;
}

/** A job in hand: `attempt` counts from 1. */
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

/** How a queue is worked: attempts until a job is parked, the pause after the first failure (doubled after each). */
export interface WorkerOptions {
  readonly attempts: number;
  readonly backoffMs: number;
  /**
   * How long a job may run. Then its signal aborts, the attempt counts as failed whatever becomes of it, and any worker
   * may take the job over; so it does, too, when the job's process ends.
   */
  readonly timeoutMs: number;
}

/** Does a job. `signal` aborts when the job's time is up and when its worker closes. */
export type Handler = (job: Job, signal: AbortSignal) => Promise<void>;

/**
 * A running worker. `close` aborts the signal of the job in hand and waits for it; a job that is cut short so is put back,
 * and the attempt does not count. An engine may limit how long it waits: what does not end by then is left as if its
 * process had ended.
 */
export interface QueueWorker {
  close(): Promise<void>;
}

/** The job queues. Calls reject with `StoreUnavailable` while the engine cannot answer. */
export interface Work {
  /** Stores a job; false where one with its id was there. Resolves after it is on stable storage. */
  enqueue(job: NewJob): Promise<boolean>;

  /** Works a queue, one job at a time, each job by one worker of any process. */
  process(queue: string, handler: Handler, options: WorkerOptions): QueueWorker;

  deadLetters(queue: string): Promise<readonly DeadLetter[]>;

  /** Returns how many dead letters a queue has. */
  countDeadLetters(queue: string): Promise<number>;

  /** Puts a dead letter back as a new job; false where there is none with this id. */
  retry(queue: string, id: string): Promise<boolean>;

  /** How many jobs wait or run in a queue. */
  pending(queue: string): Promise<number>;

  close(): Promise<void>;
}
