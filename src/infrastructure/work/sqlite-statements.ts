// The write operations of the work engine, which run in the writer thread.
import type { Database } from '../sqlite/driver.js';
import { noOutcome } from './attempt.js';
import type { WorkerOptions } from './work.js';

/** The proof that a worker still holds a job. No two claims have the same number and attempt. */
interface JobClaim {
  readonly number: number;
  readonly attempt: number;
}

/** A claimed job. */
export interface ClaimedJob extends JobClaim {
  readonly id: string;
  readonly data: string;
  readonly leaseUntil: number;
}

/** The queue and the id of a job. */
interface JobKey {
  readonly queue: string;
  readonly id: string;
}

/** A job to store. The data is already JSON text; `runAt` is in epoch milliseconds, null to run it immediately. */
interface QueuedJob extends JobKey {
  readonly data: string;
  readonly runAt: number | null;
}

const statementsOf = (db: Database) => {
  const claimed = 'number = @number AND attempt = @attempt AND reason IS NULL';
  return {
    insert: db.prepare<[JobKey & { data: string; dueAt: number }]>(
      `INSERT INTO jobs (queue, id, data, due_at) VALUES (@queue, @id, @data, @dueAt)
       ON CONFLICT (queue, id) DO NOTHING`,
    ),
    due: db.prepare<[string, number], Omit<ClaimedJob, 'leaseUntil'>>(
      `SELECT number, attempt, id, data FROM jobs WHERE queue = ? AND reason IS NULL AND due_at <= ?
       ORDER BY due_at, number LIMIT 1`,
    ),
    lease: db.prepare<[JobClaim & { leaseUntil: number }]>(
      `UPDATE jobs SET attempt = attempt + 1, due_at = @leaseUntil WHERE ${claimed}`,
    ),
    finish: db.prepare<[JobClaim]>(`DELETE FROM jobs WHERE ${claimed}`),
    postpone: db.prepare<[JobClaim & { dueAt: number; counted: number }]>(
      `UPDATE jobs SET due_at = @dueAt, attempt = attempt - 1 + @counted WHERE ${claimed}`,
    ),
    park: db.prepare<[JobClaim & { reason: string }]>(`UPDATE jobs SET reason = @reason WHERE ${claimed}`),
    unpark: db.prepare<[JobKey], { data: string }>(
      'DELETE FROM jobs WHERE queue = @queue AND id = @id AND reason IS NOT NULL RETURNING data',
    ),
  };
};

/** The operations of the work engine. */
export type WorkOperations = ReturnType<typeof operationsOf>;

/** Returns the operations of the work engine. */
export const operationsOf = (db: Database) => {
  const { insert, due, lease, finish, postpone, park, unpark } = statementsOf(db);
  const enqueue = ({ queue, id, data, runAt }: QueuedJob): boolean =>
    insert.run({ queue, id, data, dueAt: runAt ?? Date.now() }).changes === 1;
  return {
    enqueue,
    claim: ({ queue, attempts, timeoutMs }: Pick<WorkerOptions, 'attempts' | 'timeoutMs'> & { queue: string }) => {
      const now = Date.now();
      for (let job = due.get(queue, now); job !== undefined; job = due.get(queue, now)) {
        const { number, attempt } = job;
        if (attempt < attempts) {
          const leaseUntil = now + timeoutMs;
          lease.run({ number, attempt, leaseUntil });
          return { ...job, attempt: attempt + 1, leaseUntil };
        }
        park.run({ number, attempt, reason: noOutcome(attempt) });
      }
      return undefined;
    },
    finish: (claim: JobClaim): boolean => finish.run(claim).changes === 1,
    postpone: ({ delayMs, counted, ...claim }: JobClaim & { delayMs: number; counted: boolean }): boolean =>
      postpone.run({ ...claim, dueAt: Date.now() + delayMs, counted: counted ? 1 : 0 }).changes === 1,
    park: (claim: JobClaim & { readonly reason: string }): boolean => park.run(claim).changes === 1,
    // Inserts a new row with a new number, so that an earlier claim no longer fits.
    retry: (key: JobKey): boolean => {
      const parked = unpark.get(key);
      return parked !== undefined && enqueue({ ...key, data: parked.data, runAt: null });
    },
  };
};
