// Helps the suites of the background work with two engines on one store, their workers, and handlers to watch.
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as aWhile } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import type { Handler, Job, Queue, QueueWorker, Work } from '../../../../src/infrastructure/work/work.js';
import { eventually } from '../../../support/eventually.js';

/** Job queues in a new, empty store. */
export interface OpenedWork {
  readonly work: Work;
  /** Opens a second connection to the store of `work`, as another process does. The suite closes it. */
  beside(): Promise<Work>;
  /** Closes `work` and opens the same store again. The suite closes it. */
  reopen(): Promise<Work>;
}

/** Returns the declaration of a queue that no other test uses. */
export const newQueue = (more: Partial<Queue> = {}): Queue => ({
  name: randomUUID(),
  attempts: 3,
  backoffMs: 5,
  timeoutMs: 600_000,
  concurrency: 1,
  ...more,
});

export const AN_HOUR = 3_600_000;
/** How long closing workers of the suites wait for their jobs. */
export const CLOSE = { closeMs: 500 };

/** Opens two engines on one store for all tests of the enclosing `describe`. */
export class Store {
  readonly #workers: QueueWorker[] = [];
  #work: Work | undefined;
  #beside: Work | undefined;

  constructor(open: () => Promise<OpenedWork>) {
    beforeAll(async () => {
      const { work, beside } = await open();
      this.#work = work;
      this.#beside = await beside();
    });
    afterEach(() => Promise.all(this.#workers.splice(0).map((worker) => worker.close())));
    afterAll(async () => {
      await this.#beside?.close();
      await this.#work?.close();
    });
  }

  get work(): Work {
    return opened(this.#work);
  }

  /** The second engine, which stands for another process. */
  get beside(): Work {
    return opened(this.#beside);
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

const opened = (work: Work | undefined): Work => {
  if (work === undefined) throw new Error('the store is open only while tests run');
  return work;
};

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
