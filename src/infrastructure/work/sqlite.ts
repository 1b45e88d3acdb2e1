// The job queues on SQLite: one table of jobs. The writer thread claims a job with a lease on its row.
import { join } from 'node:path';
import { StoreUnavailable } from '../errors.js';
import { migrate } from '../sqlite/database.js';
import { SqliteStore } from '../sqlite/store.js';
import type { WorkOperations } from './sqlite-statements.js';
import { SqliteQueueWorker } from './sqlite-worker.js';
import type { DeadLetter, Handler, NewJob, QueueWorker, Work, WorkerOptions } from './work.js';

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
];

const STORE = 'the job queues';
// How often to check for jobs of other processes. Jobs of this process wake its workers immediately.
const POLL_MS = 500;

/** The options of the engine. */
export interface SqliteWorkOptions {
  /** The interval of checks for jobs of other processes, in milliseconds. */
  readonly pollMs?: number;
  /** Called when a worker gets an error from the store, before it pauses and retries. Must not throw. */
  readonly onError?: (error: Error) => void;
}

/** The job queues in `work.sqlite` under `directory`. */
export class SqliteWork implements Work {
  readonly #store: SqliteStore<WorkOperations>;
  readonly #workers = new Set<SqliteQueueWorker>();
  readonly #settings: Required<SqliteWorkOptions>;
  readonly #statements;
  #closed = false;

  /** Opens or creates the file. Throws if it cannot be opened or was written by a newer program. */
  constructor(directory: string, options: SqliteWorkOptions = {}) {
    this.#settings = { pollMs: POLL_MS, onError: (error) => process.emitWarning(error), ...options };
    this.#store = new SqliteStore({
      name: STORE,
      file: join(directory, 'work.sqlite'),
      upgrade: (file) => migrate(file, MIGRATIONS),
      operations: new URL('./sqlite-statements.js', import.meta.url),
    });
    const { db } = this.#store;
    this.#statements = {
      nextDue: db.prepareValue<[string], number>('SELECT min(due_at) FROM jobs WHERE queue = ? AND reason IS NULL'),
      parked: db.prepare<[string], DeadLetter & { data: string }>(
        'SELECT queue, id, data, attempt, reason FROM jobs WHERE queue = ? AND reason IS NOT NULL ORDER BY number',
      ),
      countParked: db.prepareValue<[string], number>(
        'SELECT count(*) FROM jobs WHERE queue = ? AND reason IS NOT NULL',
      ),
      pending: db.prepareValue<[string], number>('SELECT count(*) FROM jobs WHERE queue = ? AND reason IS NULL'),
    };
  }

  async enqueue({ queue, id, data, runAt }: NewJob): Promise<boolean> {
    const stored = await this.#store.run('enqueue', { queue, id, data: JSON.stringify(data), runAt: runAt ?? null });
    if (stored) this.#wake(queue);
    return stored;
  }

  process(queue: string, handler: Handler, options: WorkerOptions): QueueWorker {
    if (this.#closed) throw new StoreUnavailable(STORE, 'it is closed');
    const worker = new SqliteQueueWorker(queue, handler, options, {
      ...this.#settings,
      store: this.#store,
      nextDue: () => this.#store.read(() => this.#statements.nextDue.get(queue) ?? undefined),
    });
    this.#workers.add(worker);
    void worker.ended.then(() => this.#workers.delete(worker));
    return worker;
  }

  async deadLetters(queue: string): Promise<readonly DeadLetter[]> {
    const rows = this.#store.read(() => this.#statements.parked.all(queue));
    return rows.map((row) => ({ ...row, data: JSON.parse(row.data) }));
  }

  async countDeadLetters(queue: string): Promise<number> {
    return this.#store.read(() => this.#statements.countParked.get(queue) ?? 0);
  }

  async retry(queue: string, id: string): Promise<boolean> {
    const found = await this.#store.run('retry', { queue, id });
    if (found) this.#wake(queue);
    return found;
  }

  async pending(queue: string): Promise<number> {
    return this.#store.read(() => this.#statements.pending.get(queue) ?? 0);
  }

  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all([...this.#workers].map((worker) => worker.close()));
    await this.#store.close();
  }

  #wake(queue: string): void {
    for (const worker of this.#workers) if (worker.queue === queue) worker.wake();
  }
}
