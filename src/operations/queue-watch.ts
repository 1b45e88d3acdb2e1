// Looks at the job queues in the background, so that neither /readyz nor /metrics waits for a store that is silent.

import { Bell } from '../infrastructure/bell.js';
import type { Fault, FaultSource } from '../infrastructure/fault.js';
import type { Log } from '../infrastructure/log.js';
import type { Work } from '../infrastructure/work/work.js';

const EVERY_MS = 2_000;

const UNREACHABLE: Fault = {
  code: 'queue-unreachable',
  detail:
    'The job queues cannot be reached: one-time codes, rebuilds and upkeep wait until they can. Check the server that REDIS_URL names, or the disk under DATA_DIR.',
};

/** How many jobs a queue has. */
export interface QueueCounts {
  readonly queue: string;
  readonly jobs: number;
  readonly deadLetters: number;
}

/** Takes what the watch found. */
export interface QueueMetrics {
  /** The counts of all queues; undefined if the queues cannot be reached. */
  queues(counts: readonly QueueCounts[] | undefined): void;
  /** How many messages wait for their queue; undefined if nobody can tell. */
  unqueued(messages: number | undefined): void;
}

/** What the watch looks at and reports to. */
export interface QueueWatchOptions {
  readonly work: Pick<Work, 'pending' | 'countDeadLetters'>;
  readonly queues: readonly string[];
  /** Returns how many messages wait in the vault for their queue. */
  readonly unqueued: () => Promise<number>;
  readonly metrics: QueueMetrics;
  readonly log: Log;
}

/** Watches the queues until it is closed. */
export class QueueWatch {
  readonly #options: QueueWatchOptions;
  readonly #bell = new Bell();
  #isReachable = true;
  #isClosed = false;

  constructor(options: QueueWatchOptions) {
    this.#options = options;
    void this.#run();
  }

  /** Returns what the last look found. */
  readonly faults: FaultSource = async () => (this.#isReachable ? [] : [UNREACHABLE]);

  /** Stops the watch. */
  close(): void {
    this.#isClosed = true;
    this.#bell.ring();
  }

  async #run(): Promise<void> {
    while (!this.#isClosed) {
      await Promise.all([this.#lookAtQueues(), this.#countUnqueued()]);
      await this.#bell.heard(EVERY_MS);
    }
  }

  async #lookAtQueues(): Promise<void> {
    const { work, queues } = this.#options;
    const countsOf = async (queue: string): Promise<QueueCounts> => {
      const [jobs, deadLetters] = await Promise.all([work.pending(queue), work.countDeadLetters(queue)]);
      return { queue, jobs, deadLetters };
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
      log.warn({ err: error }, 'the job queues cannot be reached: jobs and messages wait until they can');
    }
    if (!wasReachable && this.#isReachable) log.info('the job queues can be reached again');
  }

  async #countUnqueued(): Promise<void> {
    const { unqueued, metrics, log } = this.#options;
    try {
      metrics.unqueued(await unqueued());
    } catch (error) {
      metrics.unqueued(undefined);
      if (!this.#isClosed) log.debug({ err: error }, 'the messages that wait for their queue cannot be counted');
    }
  }
}
