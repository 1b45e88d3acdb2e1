// An attempt at a job, independent of the engine: runs the handler until it ends or times out, and decides the outcome.
import { abortable } from '../async.js';
import type { Handler, Job, WorkerOptions } from './work.js';

// Limits the exponential backoff.
const MAX_BACKOFF_MS = 86_400_000;
// Prevents jobs that failed together from being retried together.
const JITTER = 0.1;
// Node fires a longer timer immediately.
const MAX_TIMER_MS = 2_147_483_647;

/** The outcome of an attempt. */
export type JobOutcome =
  | { readonly kind: 'done' }
  /** The job is retried. `counted`: whether the attempt counts. */
  | { readonly kind: 'again'; readonly delayMs: number; readonly counted: boolean }
  | { readonly kind: 'parked'; readonly reason: string };

/** The attempts of one worker, one at a time. */
export class Attempts {
  readonly #handler: Handler;
  readonly #options: WorkerOptions;
  #current: AbortController | undefined;
  #closing = false;

  constructor(handler: Handler, options: WorkerOptions) {
    this.#handler = handler;
    this.#options = options;
  }

  /** Whether a handler runs. */
  get busy(): boolean {
    return this.#current !== undefined;
  }

  /** Aborts the current job because its worker is closing. Later attempts fail immediately. */
  close(): void {
    this.#closing = true;
    this.#current?.abort(new Error('the worker is closing'));
  }

  /** Runs the handler until `endsAt` (epoch milliseconds), then aborts its signal and stops waiting. */
  async run(job: Job, endsAt: number): Promise<JobOutcome> {
    const failure = await this.#failureOf(job, endsAt);
    const { attempts, backoffMs } = this.#options;
    if (failure === undefined) return { kind: 'done' };
    if (this.#closing) return { kind: 'again', delayMs: 0, counted: false };
    if (job.attempt >= attempts) return { kind: 'parked', reason: failure.message };
    return { kind: 'again', delayMs: pauseAfter(job.attempt, backoffMs), counted: true };
  }

  /** Returns why the job failed; undefined if it is done. */
  async #failureOf(job: Job, endsAt: number): Promise<Error | undefined> {
    const current = new AbortController();
    const time = new AbortController();
    const onEnd = () => {
      time.abort(new Error(`it did not end within ${this.#options.timeoutMs} ms`));
      current.abort(time.signal.reason);
    };
    const timer = setTimeout(onEnd, Math.min(endsAt - Date.now(), MAX_TIMER_MS)).unref();
    this.#current = current;
    try {
      if (this.#closing) throw new Error('the worker closed before the job started');
      await abortable(this.#handler(job, current.signal), time.signal);
      return undefined;
    } catch (error) {
      return toError(error);
    } finally {
      clearTimeout(timer);
      this.#current = undefined;
    }
  }
}

/** Returns the reason for parking a job whose last attempt left no outcome. */
export const noOutcome = (attempt: number): string =>
  `the last attempt (${attempt}) left no outcome: it timed out, or its process ended`;

/** Returns a thrown value as an error. */
export const toError = (thrown: unknown): Error => (thrown instanceof Error ? thrown : new Error(String(thrown)));

const pauseAfter = (attempt: number, backoffMs: number): number =>
  Math.round(Math.min(backoffMs * 2 ** (attempt - 1), MAX_BACKOFF_MS) * (1 + Math.random() * JITTER));
