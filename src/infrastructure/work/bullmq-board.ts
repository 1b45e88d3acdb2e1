// The adapter between our queues and Bull Board.
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter';
import type { Job as BullJob, Queue } from 'bullmq';

/** The queues for Bull Board. */
export interface QueueBoard {
  readonly queues: readonly BullMQAdapter[];
  /** Rejects with `StoreUnavailable` while Redis is unavailable. */
  readonly reachable: () => Promise<void>;
}

/** A queue for Bull Board, shown under our name. */
export class QueueOnBoard extends BullMQAdapter {
  constructor(queue: Queue, displayName: string) {
    super(queue, { displayName });
  }

  override async getJob(id: string): Promise<BullJob | undefined> {
    const job = await super.getJob(id);
    return job === undefined ? undefined : retriedAsNew(job);
  }

  override async getJobs(...which: Parameters<BullMQAdapter['getJobs']>): Promise<BullJob[]> {
    return (await super.getJobs(...which)).map(retriedAsNew);
  }
}

// Resets the attempts of a retried dead letter. Otherwise the worker, which counts them, would park it again
// immediately.
const retriedAsNew = (job: BullJob): BullJob => {
  const retry = job.retry.bind(job);
  job.retry = (state) => retry(state, { resetAttemptsMade: true, resetAttemptsStarted: true });
  return job;
};
