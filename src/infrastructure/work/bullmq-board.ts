// What Bull Board shows and changes of a queue of ours.
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter';
import type { Job as BullJob, Queue } from 'bullmq';

/** The queues as Bull Board takes them. */
export interface QueueBoard {
  readonly queues: readonly BullMQAdapter[];
  /** Rejects with `StoreUnavailable` while Redis cannot answer. */
  readonly reachable: () => Promise<void>;
}

/** A queue for Bull Board, under our name of it. */
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

// A dead letter has used up its attempts, which its worker counts: put back as it is, it would be parked at once.
const retriedAsNew = (job: BullJob): BullJob => {
  const retry = job.retry.bind(job);
  job.retry = (state) => retry(state, { resetAttemptsMade: true, resetAttemptsStarted: true });
  return job;
};
