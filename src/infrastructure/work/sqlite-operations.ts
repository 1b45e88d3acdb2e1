// What the work engine does on its writing connection, in the writer thread.
import type { Database, Statement } from '../sqlite/database.js';
import { noOutcome } from './attempt.js';

/** A job as it crosses to the writer thread: the data is JSON text already. */
export interface EnqueueArgument {
  readonly queue: string;
  readonly id: string;
  readonly data: string;
  /** Not before this epoch millisecond; null for at once. */
  readonly runAt: number | null;
}

/** Whose turn is asked for, and how long the job that comes is leased. */
export interface ClaimArgument {
  readonly queue: string;
  readonly attempts: number;
  readonly timeoutMs: number;
}

/** What proves that a job is still in hand: no two claims are ever of the same number and attempt. */
export interface Claim {
  readonly number: number;
  readonly attempt: number;
}

/** A claimed job. */
export interface ClaimedJob extends Claim {
  readonly id: string;
  readonly data: string;
  readonly leaseUntil: number;
}

/** A claim that failed and is to be made again. `counted`: whether the attempt was one. */
export interface PostponeArgument extends Claim {
  readonly delayMs: number;
  readonly counted: boolean;
}

/** A claim that failed for good. */
export interface ParkArgument extends Claim {
  readonly reason: string;
}

/** What says which job of which queue. */
export interface JobKey {
  readonly queue: string;
  readonly id: string;
}

type Due = Omit<ClaimedJob, 'leaseUntil'>;
type OnClaim<T = object> = Statement<[Claim & T]>;

class WorkOperations {
  readonly #insert: Statement<[JobKey & { data: string; dueAt: number }]>;
  readonly #due: Statement<[string, number], Due>;
  readonly #lease: OnClaim<{ leaseUntil: number }>;
  readonly #finish: OnClaim;
  readonly #postpone: OnClaim<{ dueAt: number; counted: number }>;
  readonly #park: OnClaim<{ reason: string }>;
  readonly #unpark: Statement<[JobKey], { data: string }>;

  constructor(db: Database) {
    const claimed = 'number = @number AND attempt = @attempt AND reason IS NULL';
    this.#insert = db.prepare(
      `INSERT INTO jobs (queue, id, data, due_at) VALUES (@queue, @id, @data, @dueAt)
       ON CONFLICT (queue, id) DO NOTHING`,
    );
    this.#due = db.prepare(
      `SELECT number, attempt, id, data FROM jobs WHERE queue = ? AND reason IS NULL AND due_at <= ?
       ORDER BY due_at, number LIMIT 1`,
    );
    this.#lease = db.prepare(`UPDATE jobs SET attempt = attempt + 1, due_at = @leaseUntil WHERE ${claimed}`);
    this.#finish = db.prepare(`DELETE FROM jobs WHERE ${claimed}`);
    this.#postpone = db.prepare(`UPDATE jobs SET due_at = @dueAt, attempt = attempt - 1 + @counted WHERE ${claimed}`);
    this.#park = db.prepare(`UPDATE jobs SET reason = @reason WHERE ${claimed}`);
    this.#unpark = db.prepare(
      'DELETE FROM jobs WHERE queue = @queue AND id = @id AND reason IS NOT NULL RETURNING data',
    );
  }

  enqueue({ queue, id, data, runAt }: EnqueueArgument): boolean {
    return this.#insert.run({ queue, id, data, dueAt: runAt ?? Date.now() }).changes === 1;
  }

  claim({ queue, attempts, timeoutMs }: ClaimArgument): ClaimedJob | undefined {
    const now = Date.now();
    for (let due = this.#due.get(queue, now); due !== undefined; due = this.#due.get(queue, now)) {
      if (due.attempt < attempts) return this.#take(due, now + timeoutMs);
      this.#park.run({ ...due, reason: noOutcome(due.attempt) });
    }
    return undefined;
  }

  finish(claim: Claim): boolean {
    return this.#finish.run(claim).changes === 1;
  }

  postpone({ number, attempt, delayMs, counted }: PostponeArgument): boolean {
    const dueAt = Date.now() + delayMs;
    return this.#postpone.run({ number, attempt, dueAt, counted: counted ? 1 : 0 }).changes === 1;
  }

  park(claim: ParkArgument): boolean {
    return this.#park.run(claim).changes === 1;
  }

  // A new row, so with a new number: a claim of the job's former life fits it no more.
  retry({ queue, id }: JobKey): boolean {
    const parked = this.#unpark.get({ queue, id });
    return parked !== undefined && this.enqueue({ queue, id, data: parked.data, runAt: null });
  }

  #take(due: Due, leaseUntil: number): ClaimedJob {
    this.#lease.run({ number: due.number, attempt: due.attempt, leaseUntil });
    return { ...due, attempt: due.attempt + 1, leaseUntil };
  }
}

/** The operations of the work engine. */
export const operationsOf = (db: Database) => new WorkOperations(db);
