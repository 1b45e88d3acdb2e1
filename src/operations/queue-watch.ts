// Checks the job queues in the background, so that neither /readyz nor /metrics waits for an unresponsive store.

import { Bell } from '../infrastructure/bell.js';
import type { Fault, FaultSource } from '../infrastructure/fault.js';
import type { Log } from '../infrastructure/log.js';
import type { Queue, Work } from '../infrastructure/work/work.js';

const INTERVAL_MS = 2_000;

const UNREACHABLE: Fault = {
  code: 'queue-unreachable',
  detail:
    'The job queues are unreachable. One-time codes and upkeep wait until they are available. Check the server in REDIS_URL, or the disk of DATA_DIR.',
};

/** The number of jobs in a queue. */
export interface QueueCounts {
  readonly queue: string;
  readonly jobs: number;
  readonly deadLetters: number;
}

/** Receives the results of the watch. */
export interface QueueMetrics {
  /** Reports the counts of all queues; undefined if the queues are unreachable. */
  queues(counts: readonly QueueCounts[] | undefined): void;
  /** Reports the number of messages that wait for their queue; undefined if it is unknown. */
  unqueued(messages: number | undefined): void;
}

/** The sources and the receivers of the watch. */
export interface QueueWatchOptions {
  readonly work: Pick<Work, 'pending' | 'countDeadLetters'>;
  readonly queues: readonly Queue[];
  /** Returns the number of messages in the vault that wait for their queue. */
  readonly unqueued: () => Promise<number>;
  readonly metrics: QueueMetrics;
  readonly log: Log;
}

/** Watches the queues until closed. */
export class QueueWatch {
  readonly #options: QueueWatchOptions;
  readonly #bell = new Bell();
  #isReachable = true;
  #isClosed = false;

  constructor(options: QueueWatchOptions) {
    this.#options = options;
    void this.#run();
  }

  /** Returns the faults that the last check found. */
  readonly faults: FaultSource = async () => (this.#isReachable ? [] : [UNREACHABLE]);

  /** Stops the watch. */
  close(): void {
    this.#isClosed = true;
    this.#bell.ring();
  }

  async #run(): Promise<void> {
    while (!this.#isClosed) {
      await Promise.all([this.#checkQueues(), this.#countUnqueued()]);
      await this.#bell.wait(INTERVAL_MS);
    }
  }

  async #checkQueues(): Promise<void> {
    const { work, queues } = this.#options;
    const countsOf = async (queue: Queue): Promise<QueueCounts> => {
      const [jobs, deadLetters] = await Promise.all([work.pending(queue), work.countDeadLetters(queue)]);
      return { queue: queue.name, jobs, deadLetters };
    };
    try {
      this.#found(await Promise.all(queues.map(countsOf)));
    } catch (error) {
      this.#found(undefined, error);
    }
  }

  #found(counts: readonly QueueCounts[] | undefined, error?: unknown): void {
    const { metrics, log } = this.#options;
    if (this.#isClosed) return;
    const wasReachable = this.#isReachable;
    this.#isReachable = counts !== undefined;
    metrics.queues(counts);
    if (wasReachable && !this.#isReachable) {
      log.warn({ err: error }, 'the job queues are unreachable: jobs and messages wait until they are available');
    }
    if (!wasReachable && this.#isReachable) log.info('the job queues are reachable again');
  }

  async #countUnqueued(): Promise<void> {
    const { unqueued, metrics, log } = this.#options;
    try {
      metrics.unqueued(await unqueued());
    } catch (error) {
      metrics.unqueued(undefined);
      if (!this.#isClosed) log.debug({ err: error }, 'failed to count the messages that wait for their queue');
    }
  }
}
