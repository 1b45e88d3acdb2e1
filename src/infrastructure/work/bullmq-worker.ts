// One worker of a queue on BullMQ: takes a job, runs its handler until it ends or its lease does, settles it. BullMQ's own
// loop would take attempts and backoff from the job and renew its lease for ever; ours are the worker's, and it ends.
import { randomUUID } from 'node:crypto';
import { type Job as BullJob, ErrorCode, Worker } from 'bullmq';
import { settlesWithin } from '../async.js';
import { Bell } from '../bell.js';
import { Attempts, type JobOutcome, noOutcome } from './attempt.js';
import { decoded, encoded, isRefused, type Outage, WORKERS } from './bullmq-connection.js';
import type { Handler, QueueWorker, WorkerOptions } from './work.js';

// How long a worker rests when Redis answers with an error.
const PAUSE_MS = 1_000;
// How much longer Redis holds the lease than the handler has, so that its worker can say that its time was up.
const MARGIN_MS = 1_000;
// How often leases that ran out are looked for, at most and at least; it takes two looks to find one.
const LOOK_MS = { most: 5_000, least: 100 };
// How long an idle worker waits, when it closes, for the answer to what it asked.
const IDLE_CLOSE_MS = 500;

// How BullMQ refuses to settle a job that is not in hand any more.
const LATE = [
  ErrorCode.JobNotExist,
  ErrorCode.JobLockNotExist,
  ErrorCode.JobNotInState,
  ErrorCode.JobLockMismatch,
] as const;

/** What a worker needs of its engine. */
export interface BullMqWorkerEngine {
  readonly url: string;
  readonly prefix: string;
  readonly closeMs: number;
  readonly outage: Outage;
  readonly onError: (error: Error) => void;
}

/** A job in hand, and the token that proves it. */
interface JobInHand {
  readonly job: BullJob<unknown>;
  readonly token: string;
  readonly attempt: number;
}

/** A worker that runs from its construction until it is closed. */
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
      stalledInterval: Math.min(Math.max(options.timeoutMs / 2, LOOK_MS.least), LOOK_MS.most),
      // Never a reason for BullMQ to fail a job: a lease that ran out counts as an attempt, and attempts are counted here.
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
    // Ends the wait for a job. A job that comes nevertheless is put back, so its claim is waited for.
    const stopped = this.#worker
      .getBackend()
      .disconnectBlocking(false)
      .then(() => this.#ended);
    if (!(await settlesWithin(stopped, limit)) && this.#attempts.busy) {
      this.#engine.onError(new Error(`a job of ${this.#queue} did not end within ${limit} ms of its worker's closing`));
    }
    await this.#worker.close(true);
  }

  readonly #failed = (error: unknown): void => {
    if (this.#closed === undefined) this.#engine.outage.met(error);
  };

  async #work(): Promise<void> {
    while (this.#closed === undefined) await this.#succeeds(() => this.#next());
  }

  /** Whether `step` went well; where it did not, that was reported and a pause was made. */
  async #succeeds(step: () => Promise<unknown>): Promise<boolean> {
    try {
      await step();
      return true;
    } catch (error) {
      this.#failed(error);
      if (this.#closed === undefined) await this.#bell.heard(PAUSE_MS);
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

  async #attempt({ job, attempt }: JobInHand): Promise<JobOutcome> {
    if (attempt > this.#options.attempts) return { kind: 'parked', reason: noOutcome(attempt - 1) };
    const { id = '', data } = job;
    return this.#attempts.run(
      { queue: this.#queue, id: decoded(id), data, attempt },
      Date.now() + this.#options.timeoutMs,
    );
  }

  // A settlement that cannot be written is tried until it is, else a job that is done would be done again.
  async #settle(claim: JobInHand, outcome: JobOutcome): Promise<void> {
    while (!(await this.#succeeds(() => this.#write(claim, outcome)))) if (this.#closed !== undefined) return;
  }

  // One that is written too late meets a later claim, or none, and changes nothing.
  async #write(claim: JobInHand, outcome: JobOutcome): Promise<void> {
    try {
      await this.#record(claim, outcome);
      this.#engine.outage.over();
    } catch (error) {
      if (!isRefused(error, ...LATE)) throw error;
    }
  }

  #record({ job, token, attempt }: JobInHand, outcome: JobOutcome): Promise<unknown> {
    const backend = this.#worker.getBackend();
    switch (outcome.kind) {
      case 'done':
        return job.moveToCompleted(null, token, false);
      case 'again':
        if (!outcome.counted) return job.moveToWait(token);
        return backend.moveToDelayed(job.id ?? '', Date.now(), outcome.delayMs, token);
      case 'parked': {
        // Redis counts the attempts of a dead letter up to its last one, in the one field that a retry resets.
        const made = Math.min(attempt, this.#options.attempts);
        return backend.moveToFailed(job, outcome.reason, false, token, false, { atm: made - 1, stc: 0 });
      }
    }
  }
}
