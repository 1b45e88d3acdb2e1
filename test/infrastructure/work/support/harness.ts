// Helps the suites of the background work with two engines on one store, their workers, and handlers to watch.
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as aWhile } from 'node:timers/promises';
import { afterEach, expect } from 'vitest';
import type { Handler, Job, Queue, QueueWorker, Work } from '../../../../src/infrastructure/work/work.js';
import { eventually } from '../../../support/eventually.js';
import { type NewStore, TwoEngines } from '../../support/two-engines.js';

/** Returns the declaration of a queue that no other test uses. */
export const newQueue = (more: Partial<Queue> = {}): Queue => ({
  name: randomUUID(),
  pausesMs: [5, 5],
  timeoutMs: 600_000,
  concurrency: 1,
  ...more,
});

export const AN_HOUR = 3_600_000;
/** How long closing workers of the suites wait for their jobs. */
export const CLOSE = { closeMs: 500 };

/** Two engines on one store, and the workers of a test. */
export class Store extends TwoEngines<Work> {
  readonly #workers: QueueWorker[] = [];

  constructor(newStore: NewStore<Work>) {
    super(newStore);
    afterEach(() => Promise.all(this.#workers.splice(0).map((worker) => worker.close())));
  }

  get work(): Work {
    return this.first;
  }

  /** Starts a worker that is closed at the end of the test. */
  start(queue: Queue, handler: Handler, on = this.work): QueueWorker {
    const worker = on.process(queue, handler);
    this.#workers.push(worker);
    return worker;
  }

  /** Waits until no job of the queue waits or runs. */
  emptied(queue: Queue): Promise<void> {
    return eventually(async () => expect(await this.work.pending(queue)).toBe(0));
  }
}

/** Returns a handler that keeps its jobs. */
export const recorder = (during: Handler = async () => {}) => {
  const jobs: Job[] = [];
  const handler: Handler = async (job, signal) => {
    jobs.push(job);
    await during(job, signal);
  };
  return { jobs, handler };
};

/** Runs until its signal aborts, and then rejects. */
export const untilAborted: Handler = async (_, signal) => {
  await once(signal, 'abort');
  throw signal.reason;
};

/** Returns a gate at which a handler waits until the test opens it. */
export const newGate = () => {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
};

/** Returns a handler that counts how many jobs of one key run at the same time. */
export const overlapOf = (keyOf: (job: Job) => string) => {
  const running = new Map<string, number>();
  let most = 0;
  const during: Handler = async (job) => {
    const now = (running.get(keyOf(job)) ?? 0) + 1;
    running.set(keyOf(job), now);
    most = Math.max(most, now);
    await aWhile(3);
    running.set(keyOf(job), now - 1);
  };
  return { during, most: () => most };
};
