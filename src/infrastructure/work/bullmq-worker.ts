// A worker of a queue on BullMQ. Takes a job, runs its handler until it ends or its lease expires, and settles the job.
// BullMQ's own loop reads attempts and backoff from the job, and renews the lease forever. Here they are options of the
// worker, and the lease expires.
import { randomUUID } from 'node:crypto';
import { type Job as BullJob, ErrorCode, Worker } from 'bullmq';
import { settlesWithin } from '../async.js';
import { Bell } from '../bell.js';
import { Attempts, type JobOutcome, noOutcome } from './attempt.js';
import { decoded, encoded, isRejected, type Outage, WORKERS } from './bullmq-connection.js';
import type { Handler, QueueWorker, WorkerOptions } from './work.js';

// How long a worker pauses after an error of Redis.
const PAUSE_MS = 1_000;
// How much longer the lease is than the handler's time, so that the worker can record the timeout.
const MARGIN_MS = 1_000;
// The bounds of the interval of checks for expired leases. Two checks are needed to find one.
const STALLED_CHECK_MS = { max: 5_000, min: 100 };
// How long an idle worker waits for a pending response when it closes.
const IDLE_CLOSE_MS = 500;

// BullMQ's errors for settling a job that the worker no longer holds.
const LATE = [
  ErrorCode.JobNotExist,
  ErrorCode.JobLockNotExist,
  ErrorCode.JobNotInState,
  ErrorCode.JobLockMismatch,
] as const;

/** The parts of the engine that a worker uses. */
export interface BullMqWorkerEngine {
  readonly url: string;
  readonly prefix: string;
  readonly closeMs: number;
  readonly outage: Outage;
  readonly onError: (error: Error) => void;
}

/** A held job, and the token that proves it. */
interface HeldJob {
  readonly job: BullJob<unknown>;
  readonly token: string;
  readonly attempt: number;
}

/** A worker that runs from construction until closed. */
export class BullMqQueueWorker implements QueueWorker {
  readonly #queue: string;
  readonly #options: WorkerOptions;
  readonly #engine: BullMqWorkerEngine;
  readonly #attempts: Attempts;
  readonly #worker: Worker<unknown>;
  readonly #bell = new Bell();
  readonly #ended: Promise<void>;
  #closed: Promise<void> | undefined;

  constructor(queue: string, handler: Handler, options: WorkerOptions, engine: BullMqWorkerEngine) {
    this.#queue = queue;
    this.#options = options;
    this.#engine = engine;
    this.#attempts = new Attempts(handler, options);
    this.#worker = new Worker(encoded(queue), null, {
      connection: { url: engine.url, ...WORKERS },
      prefix: engine.prefix,
      lockDuration: Math.ceil(options.timeoutMs) + MARGIN_MS,
      stalledInterval: Math.min(Math.max(options.timeoutMs / 2, STALLED_CHECK_MS.min), STALLED_CHECK_MS.max),
      // BullMQ must never fail a job for expired leases: they count as attempts, which this class counts.
      maxStalledCount: Number.MAX_SAFE_INTEGER,
    });
    this.#worker.on('error', this.#failed);
    this.#worker.startStalledCheckTimer().catch(this.#failed);
    this.#ended = this.#work();
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    const { closeMs } = this.#engine;
    const limit = this.#attempts.busy ? closeMs : Math.min(IDLE_CLOSE_MS, closeMs);
    this.#attempts.close();
    this.#bell.ring();
    // Ends the wait for a job. Still waits for `#ended`, because a job that arrives anyway must be put back.
    const stopped = this.#worker
      .getBackend()
      .disconnectBlocking(false)
      .then(() => this.#ended);
    if (!(await settlesWithin(stopped, limit)) && this.#attempts.busy) {
      this.#engine.onError(
        new Error(`a job of ${this.#queue} did not end within ${limit} ms after its worker started to close`),
      );
    }
    await this.#worker.close(true);
  }

  readonly #failed = (error: unknown): void => {
    if (this.#closed === undefined) this.#engine.outage.report(error);
  };

  async #work(): Promise<void> {
    while (this.#closed === undefined) await this.#succeeds(() => this.#next());
  }

  /** Returns whether `step` succeeded. After a failure, reports the error and pauses. */
  async #succeeds(step: () => Promise<unknown>): Promise<boolean> {
    try {
      await step();
      return true;
    } catch (error) {
      this.#failed(error);
      if (this.#closed === undefined) await this.#bell.wait(PAUSE_MS);
      return false;
    }
  }

  async #next(): Promise<void> {
    const token = randomUUID();
    const job: BullJob<unknown> | undefined = await this.#worker.getNextJob(token);
    if (job === undefined) return;
    const claim = { job, token, attempt: job.attemptsMade + job.stalledCounter + 1 };
    await this.#settle(claim, await this.#attempt(claim));
  }

  async #attempt({ job, attempt }: HeldJob): Promise<JobOutcome> {
    if (attempt > this.#options.attempts) return { kind: 'parked', reason: noOutcome(attempt - 1) };
    const { id = '', data } = job;
    return this.#attempts.run(
      { queue: this.#queue, id: decoded(id), data, attempt },
      Date.now() + this.#options.timeoutMs,
    );
  }

  // Retries until the settlement is written, because otherwise a finished job would run again.
  async #settle(claim: HeldJob, outcome: JobOutcome): Promise<void> {
    while (!(await this.#succeeds(() => this.#write(claim, outcome)))) if (this.#closed !== undefined) return;
  }

  // A late settlement finds another claim, or none, and changes nothing.
  async #write(claim: HeldJob, outcome: JobOutcome): Promise<void> {
    try {
      await this.#record(claim, outcome);
      this.#engine.outage.clear();
    } catch (error) {
      if (!isRejected(error, ...LATE)) throw error;
    }
  }

  #record({ job, token, attempt }: HeldJob, outcome: JobOutcome): Promise<unknown> {
    const backend = this.#worker.getBackend();
    switch (outcome.kind) {
      case 'done':
        return job.moveToCompleted(null, token, false);
      case 'again':
        if (!outcome.counted) return job.moveToWait(token);
        return backend.moveToDelayed(job.id ?? '', Date.now(), outcome.delayMs, token);
      case 'parked': {
        // Stores the number of attempts of a dead letter in the only field that a retry resets.
        const made = Math.min(attempt, this.#options.attempts);
        return backend.moveToFailed(job, outcome.reason, false, token, false, { atm: made - 1, stc: 0 });
      }
    }
  }
}
