// Runs an attempt at a job, independent of the engine.
import { SpanKind } from '@opentelemetry/api';
import { abortable } from '../async.js';
import { inSpan } from '../tracing.js';
import { Final, type Handler, type Job, Later, type Queue } from './work.js';

export const CLOSE_MS = 3_000;

// The random share of each pause. It prevents jobs that failed together from being retried together.
const JITTER = 0.1;

/** Returns how long a job is leased for an attempt. The rest after its time limit is for recording the failure. */
export const leaseMsOf = ({ timeoutMs }: Queue): number => timeoutMs + 1_000;

/** Returns how long a job pauses after a failed attempt; undefined if it is parked. */
export const pauseAfter = ({ pausesMs }: Queue, attempt: number, error: unknown): number | undefined => {
  const pauseMs = pausesMs[attempt - 1];
  if (pauseMs === undefined || error instanceof Final) return undefined;
  const ms = Math.min((error instanceof Later ? error.ms : undefined) ?? pauseMs, Math.max(...pausesMs));
  return Math.floor(ms * (1 + Math.random() * JITTER));
};

/** Returns the longest time for which a job waits after an attempt, or is leased. A later time is of a wrong clock. */
export const longestWaitOf = (queue: Queue): number =>
  Math.max(leaseMsOf(queue), ...queue.pausesMs.map((ms) => ms * (1 + JITTER)));

export interface AttemptingWorker {
  readonly queue: Queue;
  readonly handler: Handler;
  readonly closing: AbortSignal;
  readonly closeMs: number;
}

/** Rejects if the handler fails, exceeds its time limit or outlasts the closing of its worker. */
export const attempt = (worker: AttemptingWorker, job: Job): Promise<void> => {
  const { queue, id, attempt: count } = job;
  const attributes = { 'job.queue': queue, 'job.id': id, 'job.attempt': count };
  return inSpan(`process ${queue}`, { kind: SpanKind.CONSUMER, attributes }, () => limited(worker, job));
};

const limited = async ({ queue, handler, closing, closeMs }: AttemptingWorker, job: Job): Promise<void> => {
  closing.throwIfAborted();
  const end = new AbortController();
  const endIn = (ms: number, what: string) =>
    setTimeout(() => end.abort(new Error(`it did not end within ${ms} ms${what}`)), ms).unref();
  const timers = [endIn(queue.timeoutMs, '')];
  const onClosing = () => timers.push(endIn(closeMs, ' after its worker started to close'));
  closing.addEventListener('abort', onClosing);
  try {
    await abortable(handler(job, AbortSignal.any([closing, end.signal])), end.signal);
  } finally {
    closing.removeEventListener('abort', onClosing);
    for (const timer of timers) clearTimeout(timer);
  }
};

export const toError = (thrown: unknown): Error => (thrown instanceof Error ? thrown : new Error(String(thrown)));
