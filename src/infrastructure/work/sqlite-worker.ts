// A worker of a queue on SQLite. Claims a job, runs its handler until it ends or its lease expires, and settles the
// job.
import { Bell } from '../bell.js';
import type { SqliteStore } from '../sqlite/store.js';
import { Attempts, type JobOutcome, toError } from './attempt.js';
import type { ClaimedJob, WorkOperations } from './sqlite-statements.js';
import type { Handler, QueueWorker, WorkerOptions } from './work.js';

// How long a worker pauses after an error of the store.
const PAUSE_MS = 1_000;

/** The parts of the engine that a worker uses. */
export interface SqliteWorkerEngine {
  readonly store: Pick<SqliteStore<WorkOperations>, 'run'>;
  readonly pollMs: number;
  readonly onError: (error: Error) => void;
  /** Returns when the next job of the queue can be claimed; undefined if there is none. */
  nextDue(): number | undefined;
}

/** A worker that runs from construction until closed. */
export class SqliteQueueWorker implements QueueWorker {
  readonly queue: string;
  /** Resolves when the worker has closed; never rejects. */
  readonly ended: Promise<void>;
  readonly #attempts: Attempts;
  readonly #options: WorkerOptions;
  readonly #engine: SqliteWorkerEngine;
  readonly #bell = new Bell();
  #closing = false;

  constructor(queue: string, handler: Handler, options: WorkerOptions, engine: SqliteWorkerEngine) {
    this.queue = queue;
    this.#attempts = new Attempts(handler, options);
    this.#options = options;
    this.#engine = engine;
    this.ended = this.#work();
  }

  /** Makes the worker check for a job now. */
  wake(): void {
    this.#bell.ring();
  }

  close(): Promise<void> {
    this.#closing = true;
    this.#attempts.close();
    this.#bell.ring();
    return this.ended;
  }

  async #work(): Promise<void> {
    while (!this.#closing) await this.#succeeds(() => this.#next());
  }

  /** Returns whether `step` succeeded. After a failure, reports the error and pauses. */
  async #succeeds(step: () => Promise<unknown>): Promise<boolean> {
    try {
      await step();
      return true;
    } catch (error) {
      this.#engine.onError(toError(error));
      await this.#rest(PAUSE_MS);
      return false;
    }
  }

  async #next(): Promise<void> {
    const { store, pollMs, nextDue } = this.#engine;
    const wait = (nextDue() ?? Number.POSITIVE_INFINITY) - Date.now();
    if (wait > 0) return this.#rest(Math.min(wait, pollMs));
    const { attempts, timeoutMs } = this.#options;
    const job = await store.run('claim', { queue: this.queue, attempts, timeoutMs });
    if (job !== undefined) await this.#settle(job, await this.#attempt(job));
  }

  #attempt({ id, data, attempt, leaseUntil }: ClaimedJob): Promise<JobOutcome> {
    return this.#attempts.run({ queue: this.queue, id, data: JSON.parse(data), attempt }, leaseUntil);
  }

  // Sleeps until woken or closing. Does not keep the process alive.
  async #rest(maxMs: number): Promise<void> {
    if (this.#closing) return;
    const timer = setTimeout(this.#bell.ring, maxMs).unref();
    await this.#bell.wait();
    clearTimeout(timer);
  }

  // Retries until the settlement is written, because otherwise a finished job would run again. A late settlement finds
  // another claim and changes nothing.
  async #settle(claim: ClaimedJob, outcome: JobOutcome): Promise<void> {
    while (!(await this.#succeeds(() => this.#record(claim, outcome)))) if (this.#closing) return;
  }

  #record({ number, attempt }: ClaimedJob, outcome: JobOutcome): Promise<boolean> {
    const { store } = this.#engine;
    switch (outcome.kind) {
      case 'done':
        return store.run('finish', { number, attempt });
      case 'again': {
        const { delayMs, counted } = outcome;
        return store.run('postpone', { number, attempt, delayMs, counted });
      }
      case 'parked':
        return store.run('park', { number, attempt, reason: outcome.reason });
    }
  }
}
