// The write operations of the work engine, which run in the writer thread.
import type { Database } from '../sqlite/driver.js';

/** The proof that a worker still holds a job. Only a claim that was put back has the same proof as the next one. */
interface JobClaim {
  readonly number: number;
  readonly attempt: number;
}

export interface ClaimedJob extends JobClaim {
  readonly id: string;
  readonly data: string;
}

interface JobKey {
  readonly queue: string;
  readonly id: string;
}

interface QueuedJob extends JobKey {
  readonly data: string;
  readonly runAt: number | null;
}

const statementsOf = (db: Database) => {
  const claimed = 'number = @number AND attempt = @attempt AND reason IS NULL';
  return {
    insert: db.prepare<[JobKey & { data: string; dueAt: number; planned: 0 | 1 }]>(
      `INSERT INTO jobs (queue, id, data, due_at, planned) VALUES (@queue, @id, @data, @dueAt, @planned)
       ON CONFLICT (queue, id) DO NOTHING`,
    ),
    due: db.prepare<[{ queue: string; now: number; latest: number }], ClaimedJob>(
      `SELECT number, attempt, id, data FROM jobs
       WHERE queue = @queue AND reason IS NULL AND (due_at <= @now OR (due_at > @latest AND planned = 0))
       ORDER BY due_at, number LIMIT 1`,
    ),
    lease: db.prepare<[JobClaim & { leaseUntil: number }]>(
      `UPDATE jobs SET attempt = attempt + 1, due_at = @leaseUntil, planned = 0 WHERE ${claimed}`,
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

export type WorkOperations = ReturnType<typeof operationsOf>;

export const operationsOf = (db: Database) => {
  const { insert, due, lease, finish, postpone, park, unpark } = statementsOf(db);
  // When the leases of the jobs that this process runs end, on the monotonic clock.
  const leases = new Map<number, number>();
  // If the clock was set while this process runs a job, the lease is written again.
  const isRunning = ({ number, attempt }: JobClaim, now: number): boolean => {
    const left = Math.ceil((leases.get(number) ?? 0) - performance.now());
    return left > 0 && postpone.run({ number, attempt, dueAt: now + left, counted: 1 }).changes === 1;
  };
  const leaveIf = ({ number }: JobClaim, isChanged: boolean): boolean => {
    if (isChanged) leases.delete(number);
    return isChanged;
  };
  const enqueue = ({ queue, id, data, runAt }: QueuedJob): boolean =>
    insert.run({ queue, id, data, dueAt: runAt ?? Date.now(), planned: runAt === null ? 0 : 1 }).changes === 1;
  return {
    enqueue,
    claim: ({ queue, attempts, leaseMs, longestMs }: ClaimRequest) => {
      const now = Date.now();
      const at = { queue, now, latest: now + longestMs };
      for (let job = due.get(at); job !== undefined; job = due.get(at)) {
        const { number, attempt } = job;
        if (isRunning(job, now)) continue;
        if (attempt < attempts) {
          lease.run({ number, attempt, leaseUntil: now + leaseMs });
          leases.set(number, performance.now() + leaseMs);
          return { ...job, attempt: attempt + 1 };
        }
        park.run({ number, attempt, reason: `the process of the last attempt (${attempt}) ended` });
      }
      return undefined;
    },
    finish: (claim: JobClaim): boolean => leaveIf(claim, finish.run(claim).changes === 1),
    fail: ({ reason, pauseMs, ...claim }: Failure): boolean => {
      if (pauseMs === undefined) return leaveIf(claim, park.run({ ...claim, reason }).changes === 1);
      const dueAt = Date.now() + pauseMs;
      return leaveIf(claim, postpone.run({ ...claim, dueAt, counted: 1 }).changes === 1);
    },
    putBack: (claim: JobClaim): boolean =>
      leaveIf(claim, postpone.run({ ...claim, dueAt: Date.now(), counted: 0 }).changes === 1),
    // Inserts a new row with a new number, so that an earlier claim no longer fits.
    retry: (key: JobKey): boolean => {
      const parked = unpark.get(key);
      return parked !== undefined && enqueue({ ...key, data: parked.data, runAt: null });
    },
  };
};

type ClaimRequest = Pick<JobKey, 'queue'> & { attempts: number; leaseMs: number; longestMs: number };

/** Without `pauseMs`, the job is parked. */
type Failure = JobClaim & { readonly reason: string; readonly pauseMs: number | undefined };
