// The job queues in the memory of the test, for tests of what uses background work. They give the guarantees of every
// engine, but the jobs end with the process.
import { Bell } from '../../src/infrastructure/bell.js';
import { type AttemptingWorker, attempt, pauseAfter, toError } from '../../src/infrastructure/work/attempt.js';
import type { DeadLetter, Handler, NewJob, Queue, QueueWorker, Work } from '../../src/infrastructure/work/work.js';

// How often a waiting worker looks at the clock, which a test may set.
const POLL_MS = 50;
// How long a closing worker waits for its running jobs.
const CLOSE_MS = 500;

interface Held {
  readonly queue: string;
  readonly id: string;
  readonly data: string;
  attempt: number;
  dueAt: number;
  isRunning: boolean;
  reason?: string;
}

interface Running extends AttemptingWorker {
  readonly bell: Bell;
}

export class MemoryWork implements Work {
  readonly #jobs = new Set<Held>();
  readonly #workers = new Set<QueueWorker>();
  readonly #bells = new Set<Bell>();

  async enqueue({ queue: { name: queue }, id, data, runAt = Date.now() }: NewJob): Promise<void> {
    if (this.#find(queue, id) !== undefined) return;
    this.#jobs.add({ queue, id, data: JSON.stringify(data), attempt: 0, dueAt: runAt, isRunning: false });
    for (const bell of this.#bells) bell.ring();
  }

  process(queue: Queue, handler: Handler): QueueWorker {
    const closer = new AbortController();
    const bells = Array.from({ length: queue.concurrency }, () => new Bell());
    const running = { queue, handler, closing: closer.signal, closeMs: CLOSE_MS };
    const ended = Promise.all(bells.map((bell) => this.#work({ ...running, bell })));
    const worker = {
      close: async () => {
        closer.abort(new Error('the worker is closing'));
        for (const bell of bells) bell.ring();
        await ended;
        this.#workers.delete(worker);
      },
    };
    this.#workers.add(worker);
    return worker;
  }

  async deadLetters({ name }: Queue): Promise<readonly DeadLetter[]> {
    const parked = [...this.#jobs].filter(({ queue, reason }) => queue === name && reason !== undefined);
    return parked.map(({ dueAt, isRunning, data, reason = '', ...job }) => ({
      ...job,
      data: JSON.parse(data),
      reason,
    }));
  }

  async countDeadLetters(queue: Queue): Promise<number> {
    return (await this.deadLetters(queue)).length;
  }

  async retry(queue: Queue, id: string): Promise<boolean> {
    const parked = this.#find(queue.name, id);
    if (parked?.reason === undefined) return false;
    this.#jobs.delete(parked);
    await this.enqueue({ queue, id, data: JSON.parse(parked.data) });
    return true;
  }

  async pending({ name }: Queue): Promise<number> {
    return this.#open(name).length;
  }

  async isPaused(): Promise<boolean> {
    return false;
  }

  /** Closes the workers. The jobs stay for the next worker. */
  async close(): Promise<void> {
    await Promise.all([...this.#workers].map((worker) => worker.close()));
  }

  async #work(worker: Running): Promise<void> {
    const { queue, bell, closing } = worker;
    this.#bells.add(bell);
    while (!closing.aborted) {
      const waiting = this.#open(queue.name).filter(({ isRunning }) => !isRunning);
      const [next] = waiting.toSorted((a, b) => a.dueAt - b.dueAt);
      if (next !== undefined && next.dueAt <= Date.now()) await this.#run(worker, next);
      else await bell.wait(next && Math.min(next.dueAt - Date.now(), POLL_MS));
    }
    this.#bells.delete(bell);
  }

  async #run(worker: Running, job: Held): Promise<void> {
    const { name: queue } = worker.queue;
    Object.assign(job, { isRunning: true, attempt: job.attempt + 1 });
    try {
      await attempt(worker, { queue, id: job.id, data: JSON.parse(job.data), attempt: job.attempt });
      this.#jobs.delete(job);
    } catch (error) {
      const pauseMs = pauseAfter(worker.queue, job.attempt, error);
      job.dueAt = Date.now() + (pauseMs ?? 0);
      if (worker.closing.aborted) Object.assign(job, { attempt: job.attempt - 1, dueAt: Date.now() });
      else if (pauseMs === undefined) job.reason = toError(error).message;
    }
    job.isRunning = false;
    // Another worker may run what this worker put back.
    for (const bell of this.#bells) bell.ring();
  }

  #find(queue: string, id: string): Held | undefined {
    return [...this.#jobs].find((job) => job.queue === queue && job.id === id);
  }

  #open(name: string): readonly Held[] {
    return [...this.#jobs].filter(({ queue, reason }) => queue === name && reason === undefined);
  }
}
