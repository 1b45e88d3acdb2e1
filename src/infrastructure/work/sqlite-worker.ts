// One worker of a queue on SQLite: claims a job, runs its handler until it ends or its lease does, settles it.
import { Bell } from '../bell.js';
import type { Claim, ClaimArgument, ClaimedJob, ParkArgument, PostponeArgument } from './sqlite-operations.js';
import type { Handler, QueueWorker, WorkerOptions } from './work.js';

// How long a worker rests when the store does not answer.
const PAUSE_MS = 1_000;
// What doubles grows beyond what an operator, and then a number, can bear.
const MOST_BACKOFF_MS = 86_400_000;
// Jobs that failed together must not all come back together.
const JITTER = 0.1;
// A timer of Node that is longer fires at once.
const MOST_TIMER_MS = 2_147_483_647;

/** What a worker needs of its engine. */
export interface WorkerEngine {
  readonly pollMs: number;
  readonly onError: (error: Error) => void;
  /** When the next job of the queue may be claimed; undefined where there is none. */
  nextDue(): number | undefined;
  /** Runs an operation of sqlite-operations.ts. */
  run<T>(operation: string, argument: unknown): Promise<T>;
}

/** A worker that runs from its construction until it is closed. */
export class SqliteQueueWorker implements QueueWorker {
  readonly queue: string;
  /** Resolves when the worker has closed; never rejects. */
  readonly ended: Promise<void>;
  readonly #handler: Handler;
  readonly #options: WorkerOptions;
  readonly #engine: WorkerEngine;
  readonly #bell = new Bell();
  #inHand: AbortController | undefined;
  #closing = false;

  constructor(queue: string, handler: Handler, options: WorkerOptions, engine: WorkerEngine) {
    this.queue = queue;
    this.#handler = handler;
    this.#options = options;
    this.#engine = engine;
    this.ended = this.#work();
  }

  /** Makes the worker look for a job now. */
  wake(): void {
    this.#bell.ring();
  }

  close(): Promise<void> {
    this.#closing = true;
    this.#inHand?.abort(new Error('the worker is closing'));
    this.#bell.ring();
    return this.ended;
  }

  async #work(): Promise<void> {
    while (!this.#closing) await this.#succeeds(() => this.#next());
  }

  /** Whether `step` went well; where it did not, that was reported and a pause was made. */
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
    const { pollMs, nextDue, run } = this.#engine;
    const wait = (nextDue() ?? Number.POSITIVE_INFINITY) - Date.now();
    if (wait > 0) return this.#rest(Math.min(wait, pollMs));
    const { attempts, timeoutMs } = this.#options;
    const argument: ClaimArgument = { queue: this.queue, attempts, timeoutMs };
    const job = await run<ClaimedJob | undefined>('claim', argument);
    if (job !== undefined) await this.#settle(job, await this.#attempt(job));
  }

  // Sleeps, unless it is woken or closing; keeps no process alive.
  async #rest(atMostMs: number): Promise<void> {
    if (this.#closing) return;
    const timer = setTimeout(this.#bell.ring, atMostMs).unref();
    await this.#bell.heard();
    clearTimeout(timer);
  }

  /** Why the job failed; undefined where it is done. */
  async #attempt(claimed: ClaimedJob): Promise<Error | undefined> {
    const inHand = new AbortController();
    const lease = leaseOf(claimed, this.#options.timeoutMs, inHand);
    this.#inHand = inHand;
    try {
      if (this.#closing) throw new Error('the worker closed before the job began');
      const { id, data, attempt } = claimed;
      const job = { queue: this.queue, id, data: JSON.parse(data), attempt };
      await Promise.race([this.#handler(job, inHand.signal), lease.runsOut]);
      return undefined;
    } catch (error) {
      return toError(error);
    } finally {
      lease.end();
      this.#inHand = undefined;
    }
  }

  // A settlement that cannot be written is tried until it is, else a job that is done would be done again. One that is
  // written too late meets a later claim and changes nothing.
  async #settle(job: ClaimedJob, failure: Error | undefined): Promise<void> {
    const [operation, argument] = this.#settlement(job, failure);
    while (!(await this.#succeeds(() => this.#engine.run(operation, argument)))) if (this.#closing) return;
  }

  #settlement({ number, attempt }: Claim, failure: Error | undefined) {
    const { attempts, backoffMs } = this.#options;
    const claim: Claim = { number, attempt };
    if (failure === undefined) return ['finish', claim] as const;
    if (this.#closing)
      return ['postpone', { ...claim, delayMs: 0, counted: false } satisfies PostponeArgument] as const;
    if (attempt >= attempts) return ['park', { ...claim, reason: failure.message } satisfies ParkArgument] as const;
    const delayMs = pauseAfter(attempt, backoffMs);
    return ['postpone', { ...claim, delayMs, counted: true } satisfies PostponeArgument] as const;
  }
}

const pauseAfter = (attempt: number, backoffMs: number): number =>
  Math.round(Math.min(backoffMs * 2 ** (attempt - 1), MOST_BACKOFF_MS) * (1 + Math.random() * JITTER));

// What is over when the lease is: the handler is told by its signal, and waited for no longer.
const leaseOf = ({ leaseUntil }: ClaimedJob, timeoutMs: number, inHand: AbortController) => {
  let end = () => {};
  const runsOut = new Promise<never>((_, reject) => {
    const onEnd = () => {
      const error = new Error(`it did not end within ${timeoutMs} ms`);
      reject(error);
      inHand.abort(error);
    };
    const timer = setTimeout(onEnd, Math.min(leaseUntil - Date.now(), MOST_TIMER_MS)).unref();
    end = () => clearTimeout(timer);
  });
  return { runsOut, end };
};

const toError = (thrown: unknown): Error => (thrown instanceof Error ? thrown : new Error(String(thrown)));
