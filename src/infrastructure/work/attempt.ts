// One attempt at a job, on whichever engine: its handler runs until it ends or its time does, and what becomes of the job.
import { abortable } from '../async.js';
import type { Handler, Job, WorkerOptions } from './work.js';

// What doubles grows beyond what an operator, and then a number, can bear.
const MOST_BACKOFF_MS = 86_400_000;
// Jobs that failed together must not all come back together.
const JITTER = 0.1;
// A timer of Node that is longer fires at once.
const MOST_TIMER_MS = 2_147_483_647;

/** What becomes of a job after an attempt at it. */
export type JobOutcome =
  | { readonly kind: 'done' }
  /** To be tried again. `counted`: whether the attempt was one. */
  | { readonly kind: 'again'; readonly delayMs: number; readonly counted: boolean }
  | { readonly kind: 'parked'; readonly reason: string };

/** The attempts of one worker, one at a time. */
export class Attempts {
  readonly #handler: Handler;
  readonly #options: WorkerOptions;
  #inHand: AbortController | undefined;
  #closing = false;

  constructor(handler: Handler, options: WorkerOptions) {
    this.#handler = handler;
    this.#options = options;
  }

  /** Whether a handler runs. */
  get busy(): boolean {
    return this.#inHand !== undefined;
  }

  /** Tells the job in hand that its worker closes; an attempt that begins later fails at once. */
  close(): void {
    this.#closing = true;
    this.#inHand?.abort(new Error('the worker is closing'));
  }

  /** Runs the handler, which is told at `endsAt`, an epoch millisecond, and waited for no longer. */
  async run(job: Job, endsAt: number): Promise<JobOutcome> {
    const failure = await this.#failureOf(job, endsAt);
    const { attempts, backoffMs } = this.#options;
    if (failure === undefined) return { kind: 'done' };
    if (this.#closing) return { kind: 'again', delayMs: 0, counted: false };
    if (job.attempt >= attempts) return { kind: 'parked', reason: failure.message };
    return { kind: 'again', delayMs: pauseAfter(job.attempt, backoffMs), counted: true };
  }

  /** Why the job failed; undefined where it is done. */
  async #failureOf(job: Job, endsAt: number): Promise<Error | undefined> {
    const inHand = new AbortController();
    const time = new AbortController();
    const onEnd = () => {
      time.abort(new Error(`it did not end within ${this.#options.timeoutMs} ms`));
      inHand.abort(time.signal.reason);
    };
    const timer = setTimeout(onEnd, Math.min(endsAt - Date.now(), MOST_TIMER_MS)).unref();
    this.#inHand = inHand;
    try {
      if (this.#closing) throw new Error('the worker closed before the job began');
      await abortable(this.#handler(job, inHand.signal), time.signal);
      return undefined;
    } catch (error) {
      return toError(error);
    } finally {
      clearTimeout(timer);
      this.#inHand = undefined;
    }
  }
}

/** Why a job is parked that every one of its attempts left without an outcome. */
export const noOutcome = (attempt: number): string =>
  `attempt ${attempt}, the last, left no outcome: its time or process ended`;

/** What was thrown, as an error. */
export const toError = (thrown: unknown): Error => (thrown instanceof Error ? thrown : new Error(String(thrown)));

const pauseAfter = (attempt: number, backoffMs: number): number =>
  Math.round(Math.min(backoffMs * 2 ** (attempt - 1), MOST_BACKOFF_MS) * (1 + Math.random() * JITTER));
