// The job queues on SQLite: one table of jobs. The writer thread claims a job with a lease on its row.
import { join } from 'node:path';
import { Bell } from '../bell.js';
import { STORES, StoreUnavailable } from '../errors.js';
import { Rings } from '../rings.js';
import { migrate } from '../sqlite/database.js';
import { SqliteStore } from '../sqlite/store.js';
import { attempt, CLOSE_MS, leaseMsOf, longestWaitOf, pauseAfter, toError } from './attempt.js';
import type { ClaimedJob, WorkOperations } from './sqlite-statements.js';
import type { DeadLetter, Handler, NewJob, Queue, QueueWorker, Work } from './work.js';

const MIGRATIONS = [
  // due_at is when the job can be claimed: its time while it waits, the end of its lease while a worker holds it.
  // AUTOINCREMENT never reuses a number, which distinguishes a job from a later job with the same id.
  `CREATE TABLE jobs (
     number  INTEGER PRIMARY KEY AUTOINCREMENT,
     queue   TEXT NOT NULL,
     id      TEXT NOT NULL,
     data    TEXT NOT NULL,
     attempt INTEGER NOT NULL DEFAULT 0,
     due_at  INTEGER NOT NULL,
     reason  TEXT,
     UNIQUE (queue, id)
   ) STRICT;
   CREATE INDEX jobs_due ON jobs (queue, due_at, number) WHERE reason IS NULL;
   CREATE INDEX jobs_parked ON jobs (queue, number) WHERE reason IS NOT NULL;`,
  // Whether due_at is the time for which a job was planned. Any other time far ahead is from a clock that was ahead.
  'ALTER TABLE jobs ADD COLUMN planned INTEGER NOT NULL DEFAULT 0',
];

const STORE = STORES.queues;
// How often to check for jobs of other processes. Jobs of this process wake its workers immediately.
const POLL_MS = 500;
// How long a worker pauses after an error of the store.
const PAUSE_MS = 1_000;

interface SqliteWorkOptions {
  /** The interval of checks for jobs of other processes, in milliseconds. */
  readonly pollMs?: number;
  /** Called when a worker gets an error from the store, before it pauses and retries. Must not throw. */
  readonly onError?: (error: Error) => void;
  /** How long a closing worker waits for its running jobs, in milliseconds. */
  readonly closeMs?: number;
}

export class SqliteWork implements Work {
  readonly #store: SqliteStore<WorkOperations>;
  readonly #workers = new Set<SqliteQueueWorker>();
  readonly #rings: Rings<string>;
  readonly #settings: Required<SqliteWorkOptions>;
  readonly #statements;
  #closed = false;

  constructor(directory: string, options: SqliteWorkOptions = {}) {
    const onError = (error: Error) => process.emitWarning(error);
    this.#settings = { pollMs: POLL_MS, closeMs: CLOSE_MS, onError, ...options };
    const file = join(directory, 'work.sqlite');
    this.#rings = new Rings(file, (queue) => this.#wake(queue));
    this.#store = new SqliteStore({
      name: STORE,
      file,
      upgrade: (file) => migrate(file, MIGRATIONS),
      operations: new URL('./sqlite-statements.js', import.meta.url),
    });
    const { db } = this.#store;
    this.#statements = {
      nextDue: db.prepareValue<[{ queue: string; latest: number }], number>(
        `SELECT iif(
           EXISTS (SELECT 1 FROM jobs WHERE queue = @queue AND reason IS NULL AND due_at > @latest AND planned = 0),
           0, (SELECT min(due_at) FROM jobs WHERE queue = @queue AND reason IS NULL))`,
      ),
      parked: db.prepare<[string], DeadLetter & { data: string }>(
        'SELECT queue, id, data, attempt, reason FROM jobs WHERE queue = ? AND reason IS NOT NULL ORDER BY number',
      ),
      countParked: db.prepareValue<[string], number>(
        'SELECT count(*) FROM jobs WHERE queue = ? AND reason IS NOT NULL',
      ),
      pending: db.prepareValue<[string], number>('SELECT count(*) FROM jobs WHERE queue = ? AND reason IS NULL'),
    };
  }

  async enqueue({ queue, id, data, runAt }: NewJob): Promise<void> {
    const job = { queue: queue.name, id, data: JSON.stringify(data), runAt: runAt ?? null };
    const stored = await this.#store.run('enqueue', job);
    if (stored) this.#rings.ring(queue.name);
  }

  process(queue: Queue, handler: Handler): QueueWorker {
    if (this.#closed) throw new StoreUnavailable(STORE, 'it is closed');
    const engine = {
      ...this.#settings,
      store: this.#store,
      nextDue: (now: number) =>
        this.#store.read(
          () => this.#statements.nextDue.get({ queue: queue.name, latest: now + longestWaitOf(queue) }) ?? undefined,
        ),
    };
    const workers = Array.from({ length: queue.concurrency }, () => new SqliteQueueWorker(queue, handler, engine));
    for (const worker of workers) this.#workers.add(worker);
    return { close: () => this.#end(workers) };
  }

  async deadLetters({ name }: Queue): Promise<readonly DeadLetter[]> {
    const rows = this.#store.read(() => this.#statements.parked.all(name));
    return rows.map((row) => ({ ...row, data: JSON.parse(row.data) }));
  }

  async countDeadLetters({ name }: Queue): Promise<number> {
    return this.#store.read(() => this.#statements.countParked.get(name) ?? 0);
  }

  async retry(queue: Queue, id: string): Promise<boolean> {
    const found = await this.#store.run('retry', { queue: queue.name, id });
    if (found) this.#rings.ring(queue.name);
    return found;
  }

  async pending({ name }: Queue): Promise<number> {
    return this.#store.read(() => this.#statements.pending.get(name) ?? 0);
  }

  async isPaused(): Promise<boolean> {
    return false;
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#rings.close();
    await this.#end([...this.#workers]);
    await this.#store.close();
  }

  async #end(workers: readonly SqliteQueueWorker[]): Promise<void> {
    await Promise.all(workers.map((worker) => worker.close()));
    for (const worker of workers) this.#workers.delete(worker);
  }

  #wake(name: string): void {
    for (const worker of this.#workers) if (worker.queue.name === name) worker.wake();
  }
}

interface Engine extends Required<SqliteWorkOptions> {
  readonly store: Pick<SqliteStore<WorkOperations>, 'run'>;
  /** Returns when the next job of the queue can be claimed; undefined if there is none. */
  nextDue(now: number): number | undefined;
}

/** Runs the jobs of a queue, one at a time, from construction until closed. */
class SqliteQueueWorker {
  readonly #handler: Handler;
  readonly #engine: Engine;
  readonly #bell = new Bell();
  readonly #closing = new AbortController();
  readonly #ended: Promise<void>;

  constructor(
    readonly queue: Queue,
    handler: Handler,
    engine: Engine,
  ) {
    this.#handler = handler;
    this.#engine = engine;
    this.#ended = this.#work();
  }

  wake(): void {
    this.#bell.ring();
  }

  close(): Promise<void> {
    this.#closing.abort(new Error('the worker is closing'));
    this.#bell.ring();
    return this.#ended;
  }

  async #work(): Promise<void> {
    while (!this.#isClosing) await this.#succeeds(() => this.#next());
  }

  get #isClosing(): boolean {
    return this.#closing.signal.aborted;
  }

  /** Returns whether `step` succeeded. After a failure, reports the error and pauses. */
  async #succeeds(step: () => Promise<unknown>): Promise<boolean> {
    try {
      await step();
      return true;
    } catch (error) {
      this.#engine.onError(toError(error));
      if (!this.#isClosing) await this.#bell.wait(PAUSE_MS);
      return false;
    }
  }

  async #next(): Promise<void> {
    const { store, pollMs, nextDue } = this.#engine;
    const now = Date.now();
    const wait = (nextDue(now) ?? Number.POSITIVE_INFINITY) - now;
    if (wait > 0) return this.#bell.wait(Math.min(wait, pollMs));
    const { queue } = this;
    const times = { leaseMs: leaseMsOf(queue), longestMs: longestWaitOf(queue) };
    const job = await store.run('claim', { queue: queue.name, attempts: queue.pausesMs.length + 1, ...times });
    if (job !== undefined) await this.#run(job);
  }

  // Retries until the outcome is written, because otherwise a finished job would run again. A late outcome finds
  // another claim and changes nothing.
  async #run(job: ClaimedJob): Promise<void> {
    const settle = await this.#attempt(job);
    while (!(await this.#succeeds(settle))) if (this.#isClosing) return;
  }

  /** Attempts the job. Returns the function that writes the outcome. */
  async #attempt({ number, attempt: count, id, data }: ClaimedJob): Promise<() => Promise<boolean>> {
    const { store, closeMs } = this.#engine;
    const claim = { number, attempt: count };
    const { queue } = this;
    const worker = { queue, handler: this.#handler, closing: this.#closing.signal, closeMs };
    try {
      await attempt(worker, { queue: queue.name, id, data: JSON.parse(data), attempt: count });
      return () => store.run('finish', claim);
    } catch (error) {
      if (this.#isClosing) return () => store.run('putBack', claim);
      const pauseMs = pauseAfter(queue, count, error);
      return () => store.run('fail', { ...claim, reason: toError(error).message, pauseMs });
    }
  }
}
