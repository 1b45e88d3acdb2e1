// Runs the worker in a thread of this process.
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { StoreFailure } from './infrastructure/log.js';
import type { SealingMetrics } from './infrastructure/persons/watch.js';
import type { RefusedWrites } from './infrastructure/refused-writes.js';
import type { Metrics } from './metrics.js';
import type { Progress } from './projections/progress.js';
import type { SessionMetrics } from './projections/session.js';

/** What the worker reports to the thread that serves. */
export interface WorkerReports extends SessionMetrics, SealingMetrics {
  readonly advanced: Progress['advanced'];
  readonly wrote: RefusedWrites['wroteElsewhere'];
  readonly unlogged: Metrics['unlogged'];
  readonly failed: (failure: StoreFailure) => void;
  readonly started: () => void;
}

/** A report as it is sent between the threads. */
export interface Report<Name extends keyof WorkerReports = keyof WorkerReports> {
  readonly name: Name;
  readonly given: Parameters<WorkerReports[Name]>;
}

// The thread keeps little from one page of the log to the next. With the default (48 MB), the process takes 350 MB instead
// of 260 MB after a start with 10,000 events of 12 KB.
const resourceLimits = { maxYoungGenerationSizeMb: 24 };

/**
 * Starts the thread. Returns the function that ends the thread after its running work. The function rejects if the thread
 * could not close everything. Rejects if the thread cannot start. Later, an error that nothing in the thread handles ends
 * the process, as an error of this thread does.
 */
export const startWorkerThread = async (
  program: URL,
  reports: Omit<WorkerReports, 'started'>,
): Promise<() => Promise<void>> => {
  // The role tells a module that an operator preloads, such as an SDK of traces, which thread this is.
  const worker = new Worker(program, { workerData: { role: 'worker' }, resourceLimits });
  let [isClosing, hasFailed] = [false, false];
  const failure = (code: number) => new Error(`the worker thread exited with code ${code}`);
  await new Promise<void>((resolve, reject) => {
    let fail = reject;
    const started = () => {
      fail = (error) => {
        throw error;
      };
      resolve();
    };
    const all: WorkerReports = { ...reports, started };
    worker.on('message', ({ name, given }: Report) => (all[name] as (...given: unknown[]) => void)(...given));
    worker.on('error', (error) => {
      hasFailed = true;
      fail(error);
    });
    // The exit follows an error, and must not hide it.
    worker.on('exit', (code) => {
      if (!isClosing && !hasFailed) fail(failure(code));
    });
  });
  return async () => {
    isClosing = true;
    worker.postMessage('close');
    const [code] = (await once(worker, 'exit')) as [number];
    if (code !== 0) throw failure(code);
  };
};
