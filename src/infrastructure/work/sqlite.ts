// The background work on SQLite: one table of jobs. A job is claimed by a lease on its row, in the writer thread.
import { join } from 'node:path';
import { StoreUnavailable } from '../errors.js';
import { type Database, migrate, openForReading } from '../sqlite/database.js';
import { readOr } from '../sqlite/reading.js';
import { SqliteWriter } from '../sqlite/writer.js';
import type { EnqueueArgument, JobKey } from './sqlite-operations.js';
import { SqliteQueueWorker } from './sqlite-worker.js';
import type { DeadLetter, Handler, NewJob, QueueWorker, Work, WorkerOptions } from './work.js';

const MIGRATIONS = [
  // due_at is when the job may be claimed: its time while it waits, the end of its lease while it is in hand.
  // A number is never used twice (AUTOINCREMENT): it tells a job from a later one with the same id.
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
// How often other processes' jobs are looked for; this process's own wake its workers at once.
const POLL_MS = 500;

/** How the engine runs its workers. */
export interface SqliteWorkOptions {
  /** How often jobs of other processes are looked for. */
  readonly pollMs?: number;
  /** Told whenever a worker met an error of the store, before it pauses and tries again. Must not throw. */
  readonly onError?: (error: Error) => void;
}

/** The job queues in `work.sqlite` under `directory`. */
export class SqliteWork implements Work {
  readonly #db: Database;
  readonly #writer: SqliteWriter;
  readonly #workers = new Set<SqliteQueueWorker>();
  readonly #settings: Required<SqliteWorkOptions>;
  readonly #statements;
  #closed = false;

  /** Opens the file, or makes it. Throws where it cannot be opened or was written by a newer program. */
  constructor(directory: string, options: SqliteWorkOptions = {}) {
    const file = join(directory, 'work.sqlite');
    this.#settings = { pollMs: POLL_MS, onError: (error) => process.emitWarning(error), ...options };
    this.#db = readOr(STORE, () => {
      migrate(file, MIGRATIONS);
      return openForReading(file);
    });
    this.#writer = new SqliteWriter(STORE, file, new URL('./sqlite-operations.js', import.meta.url));
    this.#statements = {
      nextDue: this.#db
        .prepare<[string], number>('SELECT min(due_at) FROM jobs WHERE queue = ? AND reason IS NULL')
        .pluck(),
      parked: this.#db.prepare<[string], DeadLetter & { data: string }>(
        'SELECT queue, id, data, attempt, reason FROM jobs WHERE queue = ? AND reason IS NOT NULL ORDER BY number',
      ),
      pending: this.#db
        .prepare<[string], number>('SELECT count(*) FROM jobs WHERE queue = ? AND reason IS NULL')
        .pluck(),
    };
  }

  async enqueue({ queue, id, data, runAt }: NewJob): Promise<boolean> {
    const argument: EnqueueArgument = { queue, id, data: JSON.stringify(data), runAt: runAt ?? null };
    const stored = await this.#writer.run<boolean>('enqueue', argument);
    if (stored) this.#wake(queue);
    return stored;
  }

  process(queue: string, handler: Handler, options: WorkerOptions): QueueWorker {
    if (this.#closed) throw new StoreUnavailable(STORE, 'it is closed');
    const worker = new SqliteQueueWorker(queue, handler, options, {
      ...this.#settings,
      nextDue: () => readOr(STORE, () => this.#statements.nextDue.get(queue) ?? undefined),
      run: (operation, argument) => this.#writer.run(operation, argument),
    });
    this.#workers.add(worker);
    void worker.ended.then(() => this.#workers.delete(worker));
    return worker;
  }

  async deadLetters(queue: string): Promise<readonly DeadLetter[]> {
    const rows = readOr(STORE, () => this.#statements.parked.all(queue));
    return rows.map((row) => ({ ...row, data: JSON.parse(row.data) }));
  }

  async retry(queue: string, id: string): Promise<boolean> {
    const argument: JobKey = { queue, id };
    const found = await this.#writer.run<boolean>('retry', argument);
    if (found) this.#wake(queue);
    return found;
  }

  async pending(queue: string): Promise<number> {
    return readOr(STORE, () => this.#statements.pending.get(queue) ?? 0);
  }

  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all([...this.#workers].map((worker) => worker.close()));
    this.#db.close();
    await this.#writer.close();
  }

  #wake(queue: string): void {
    for (const worker of this.#workers) if (worker.queue === queue) worker.wake();
  }
}
