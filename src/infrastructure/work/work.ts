// The port of the job queues. Jobs are retried until they are done or parked as dead letters. Delivery is at least
// once, so handlers must tolerate repeated jobs. Anything that must not be lost is first stored as an event or a vault
// record.
import type { WrongSettings } from '../fault.js';

/** The declaration of a queue. All processes use the same declaration. */
export interface Queue {
  readonly name: string;
  /** The pauses before the second and each further attempt, in milliseconds. A job that fails after the last is parked. */
  readonly pausesMs: readonly number[];
  /** The time limit of an attempt, in milliseconds. It holds even if the handler ignores its signal. */
  readonly timeoutMs: number;
  readonly concurrency: number;
}

/** Returns pauses of which each is twice as long as the one before. */
export const doubling = (firstMs: number, pauses: number): readonly number[] =>
  Array.from({ length: pauses }, (_, n) => firstMs * 2 ** n);

/** A handler rejects with this if no attempt can succeed. The job is parked at once, with the message as its reason. */
export class Final extends Error {}

/** A handler rejects with this to choose the next pause, of at most the longest of the queue. Default: that of the queue. */
export class Later extends Error {
  constructor(
    message: string,
    readonly ms?: number,
  ) {
    super(message);
  }
}

/** A job to enqueue. Enqueuing an id again in the same queue, before the job is removed, changes nothing. */
export interface NewJob {
  readonly queue: Queue;
  readonly id: string;
  readonly data: unknown;
  /** The earliest start, in epoch milliseconds. */
  readonly runAt?: number;
}

export interface Job {
  readonly queue: string;
  readonly id: string;
  readonly data: unknown;
  readonly attempt: number;
}

export interface DeadLetter extends Job {
  readonly reason: string;
}

/** Runs a job. `signal` aborts when the job exceeds its time limit and when its worker closes. */
export type Handler = (job: Job, signal: AbortSignal) => Promise<void>;

/**
 * A running worker. `close` aborts the signals of the running jobs, waits for these jobs for a few seconds, and may be
 * repeated. A job that fails or does not end meanwhile is put back, and the attempt does not count.
 */
export interface QueueWorker {
  close(): Promise<void>;
}

/** The job queues. Calls reject with `StoreUnavailable` while the engine is unavailable. */
export interface Work {
  /** Stores a job, unless a job with the id exists. Resolves after the job is on stable storage. */
  enqueue(job: NewJob): Promise<void>;

  /** Each job runs on one worker of all processes. If its process ends, another takes it, and the attempt counts. */
  process(queue: Queue, handler: Handler): QueueWorker;

  deadLetters(queue: Queue): Promise<readonly DeadLetter[]>;

  countDeadLetters(queue: Queue): Promise<number>;

  /** Queues a dead letter again as a new job. Returns false if there is none with this id. */
  retry(queue: Queue, id: string): Promise<boolean>;

  pending(queue: Queue): Promise<number>;

  /** Returns whether somebody paused the queue in its engine. The service pauses none. */
  isPaused(queue: Queue): Promise<boolean>;

  /** Returns what is wrong with the settings of the server. Absent if the engine is embedded. */
  wrongSettings?(): Promise<WrongSettings>;

  close(): Promise<void>;
}
