// Asks the job queues for their state, for /readyz and /metrics.
import type { Fault, FaultSource } from '../infrastructure/fault.js';
import type { Log } from '../infrastructure/log.js';
import type { RefusedWrites } from '../infrastructure/refused-writes.js';
import type { Queue, Work } from '../infrastructure/work/work.js';

const UNREACHABLE: Fault = {
  code: 'queue-unreachable',
  detail:
    'The job queues are unreachable. One-time codes and upkeep wait until they are available. Check the server in REDIS_URL, or the disk of DATA_DIR.',
};

const pausedFault = (queue: string): Fault => ({
  code: 'queue-paused',
  detail: `The queue \`${queue}\` was paused in Redis, so none of its jobs runs. Find out who paused it; \`HDEL clinical-protocols:_${queue}:meta paused\` in redis-cli ends the pause.`,
});

export interface QueueCounts {
  readonly queue: string;
  readonly jobs: number;
  readonly deadLetters: number;
  readonly isPaused: boolean;
}

export interface QueueMetrics {
  /** Reports the counts of all queues; undefined if the queues are unreachable. */
  queues(counts: readonly QueueCounts[] | undefined): void;
  /** Reports the number of messages that wait for their queue; undefined if it is unknown. */
  unqueued(messages: number | undefined): void;
}

interface QueueFaultOptions {
  readonly work: Pick<Work, 'pending' | 'countDeadLetters' | 'isPaused'>;
  readonly queues: readonly Queue[];
  readonly refusedWrites: Pick<RefusedWrites, 'faults'>;
  readonly metrics: QueueMetrics;
  readonly log: Log;
}

/** Returns the source of the faults of the queues. It also counts the jobs. */
export const queueFaults = ({ work, queues, refusedWrites, metrics, log }: QueueFaultOptions): FaultSource => {
  const countsOf = async (queue: Queue): Promise<QueueCounts> => {
    const asked = [work.pending(queue), work.countDeadLetters(queue), work.isPaused(queue)] as const;
    const [jobs, deadLetters, isPaused] = await Promise.all(asked);
    return { queue: queue.name, jobs, deadLetters, isPaused };
  };
  return async () => {
    try {
      const counts = await Promise.all(queues.map(countsOf));
      metrics.queues(counts);
      const paused = counts.filter(({ isPaused }) => isPaused);
      return [...paused.map(({ queue }) => pausedFault(queue)), ...refusedWrites.faults('queue')];
    } catch (error) {
      metrics.queues(undefined);
      log.debug({ err: error }, 'failed to ask the job queues for their state');
      return [UNREACHABLE];
    }
  };
};

/** Returns a source without faults that counts the messages in the vault which wait for their queue. */
export const unqueuedMessages =
  (count: () => Promise<number>, { metrics, log }: Pick<QueueFaultOptions, 'metrics' | 'log'>): FaultSource =>
  async () => {
    try {
      metrics.unqueued(await count());
    } catch (error) {
      metrics.unqueued(undefined);
      log.debug({ err: error }, 'failed to count the messages that wait for their queue');
    }
    return [];
  };
