// The thread of a process that serves HTTP and works in the background: it runs the worker with connections of its own,
// so that what follows a write does not delay the requests.
import { parentPort } from 'node:worker_threads';
import { readConfig } from './config.js';
import { allEnded, settlesWithin } from './infrastructure/async.js';
import { openLog, type StoreFailure } from './infrastructure/log.js';
import { watchSealing } from './infrastructure/persons/watch.js';
import { flushSpans } from './infrastructure/tracing.js';
import { prepareViews } from './preparing.js';
import { openStores } from './stores.js';
import { startWorker } from './worker.js';
import type { Report, WorkerReports } from './worker-host.js';

// How long the last lines may take until the output has them.
const LOGGING_MS = 500;

const port = parentPort;
if (port === null) throw new Error('worker-thread.js is a worker thread and cannot be run by itself');

const reporting =
  <Name extends keyof WorkerReports>(name: Name) =>
  (...given: Parameters<WorkerReports[Name]>): void =>
    port.postMessage({ name, given } satisfies Report<Name>);

const config = readConfig(process.env);
let isStopping = false;
// The thread that serves reports an outage for both.
const takes = (failure: StoreFailure): boolean => {
  if (!isStopping) reporting('failed')(failure);
  return !isStopping;
};
const log = openLog(config.logLevel, reporting('unlogged'), takes);
const stores = await openStores(config, {
  onError: (error) => log.warn({ err: error }, 'background work failed; will retry'),
  onWrite: reporting('wrote'),
  sealing: watchSealing(log, { withoutKey: reporting('withoutKey'), tampered: reporting('tampered') }),
});
void prepareViews(stores, log, () => isStopping);
const metrics = { folded: reporting('folded'), stopped: reporting('stopped') };
const close = await startWorker({ config, stores, progress: { advanced: reporting('advanced') }, metrics, log });

const end = async (): Promise<void> => {
  try {
    await close();
  } finally {
    await allEnded([stores.close(), flushSpans()]);
  }
};

port.once('message', async () => {
  isStopping = true;
  const code = await end().then(
    () => 0,
    (error: unknown) => {
      log.error({ err: error }, 'the worker failed to close everything');
      return 1;
    },
  );
  await settlesWithin(new Promise<void>((resolve) => log.flush(() => resolve())), LOGGING_MS);
  process.exit(code);
});
reporting('started')();
