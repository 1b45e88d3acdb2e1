// The composition root: what a process consists of, in the order in which it starts, and how it ends.
import type { Notice } from './auth/codes/waiting-messages.js';
import { startRelay } from './auth/relay.js';
import { type Config, ConfigurationError, readConfig } from './config.js';
import { enginesOf, warnOfAdmin } from './engines.js';
import { limitHeaps } from './heap.js';
import { allEnded, settlesWithin } from './infrastructure/async.js';
import { Bell } from './infrastructure/bell.js';
import { messageOf, namingSpace, StoresApart } from './infrastructure/errors.js';
import { type Log, openLog, type StoreFailure } from './infrastructure/log.js';
import { logFailure, Outages } from './infrastructure/outages.js';
import { watchSealing } from './infrastructure/persons/watch.js';
import type { AllStores } from './infrastructure/stores.js';
import { flushSpans } from './infrastructure/tracing.js';
import { createMetrics, type Metrics } from './metrics.js';
import { checkVault, judgeNew, ofSetting, prepareViews, retrying } from './preparing.js';
import { Progress } from './projections/progress.js';
import { adviseFirstAdministrator, type SharedParts, startHttp } from './roles.js';
import { serviceOf } from './service.js';
import { OWNER_WAIT_MS, openStores, ownDirectory } from './stores.js';
import { startWorker } from './worker.js';
import { startWorkerThread } from './worker-host.js';

// How long requests that run at the stop may wait for their writes to be folded.
const FOLDING_MS = 1_000;
// The time from SIGTERM to exit is at most 10 s.
const LAST_MS = 9_500;
// How long a process that could not start may take to close its stores.
const CLOSING_MS = 5_000;
// How long the last lines may take until the output has them.
const LOGGING_MS = 500;

const JUDGING = 'compare event log and vault';
const UNSTORED = 'the message about a decision could not be stored, so the person may get none; the decision stands';

let stopping = false;
const isStopping = () => stopping;

/** Starts the parts of a process in order. Returns the function that ends them. */
const start = async (config: Config, log: Log, metrics: Metrics, outages: Outages): Promise<() => Promise<void>> => {
  const disown = await ownDirectory(config, OWNER_WAIT_MS, log);
  const stores = await openStores(config, {
    onError: (error) => log.warn({ err: error }, 'background work failed; will retry'),
    onApart: stopApart,
    sealing: watchSealing(log, metrics.sealing),
  });
  outages.watch(enginesOf(config, stores), log);
  warnOfAdmin(config, log);
  const fail = (error: unknown) => endWith(error, stores);

  // Until the vault is checked, the process is not ready. Until the stores are judged, each append and the worker wait.
  const checked = checkVault(stores, config, log, isStopping).catch(fail);
  const judged = checked.then(() => retrying(JUDGING, log, isStopping, stores.judge)).catch(fail);
  if ((config.eventStoreUrl ?? config.mongoDbUrl) === undefined) await judged;
  void judged.then(() => judgeNew(stores, isStopping));
  const prepared = checked.then(() => prepareViews(stores, log, isStopping)).catch(fail);

  const progress = new Progress(stores.views, stores.facts);
  const unsent = new Bell();
  const service = serviceOf(
    { ...stores, progress },
    {
      ...config,
      quotaFactor: config.rateLimits ?? Number.POSITIVE_INFINITY,
      onError: (error) => log.error({ err: error }, 'a task that follows a response failed'),
      onUnsentCode: unsent.ring,
      decisionMessages: config.sendsDecisions
        ? { onUnstored: (error, decision) => log.warn({ reason: messageOf(error), ...decision }, UNSTORED) }
        : undefined,
    },
  );
  // Every process runs a relay, because the process that stored a message may no longer exist.
  const notify = (notice: Notice) => service.auth.contactChanges.notify(notice);
  const stopRelay = checked.then(() => startRelay({ ...stores, notify, log }, unsent));
  const [isServing, isWorking] = [config.roles.includes('http'), config.roles.includes('worker')];
  let isStarting = true;
  const shared = { config, stores, progress, service, metrics, log, outages, isStarting: () => isStarting, isStopping };
  const closeHttp = isServing ? await startHttp(shared).catch(fail) : async () => {};
  if (isServing) void prepared.then(() => adviseFirstAdministrator(shared));
  const startWork = () =>
    isServing ? startThread(shared, outages) : startWorker({ ...shared, metrics: metrics.projections });
  const closeWorker = judged.then(() => (isWorking && !stopping ? startWork() : async () => {})).catch(fail);
  void Promise.all([prepared, closeWorker]).then(() => {
    isStarting = false;
  });

  return async () => {
    const drained = closeHttp();
    await settlesWithin(drained, FOLDING_MS);
    try {
      await allEnded([drained, closeWorker.then((close) => close())]);
      (await stopRelay)();
    } finally {
      outages.close();
      await allEnded([stores.close(), flushSpans()]);
    }
    disown();
  };
};

// What follows a write must not delay the requests.
const startThread = ({ stores, progress, metrics, log }: SharedParts, outages: Outages): Promise<() => Promise<void>> =>
  startWorkerThread(new URL('./worker-thread.js', import.meta.url), {
    ...metrics.projections,
    ...metrics.sealing,
    unlogged: metrics.unlogged,
    failed: (failure: StoreFailure) => {
      if (!outages.takes(failure)) logFailure(log, failure);
    },
    advanced: progress.advanced,
    wrote: stores.refusedWrites.wroteElsewhere,
  });

const stopOnSignals = (close: () => Promise<void>, log: Log): void => {
  const stop = async (signal: string) => {
    if (stopping) return;
    stopping = true;
    log.info({ signal }, 'stopping');
    setTimeout(() => {
      log.error('failed to close everything in time');
      process.exit(1);
    }, LAST_MS).unref();
    const failure = await close().then(
      () => undefined,
      (error: unknown) => ({ err: error }),
    );
    if (failure === undefined) log.info('stopped');
    else log.error(failure, 'failed to close everything');
    await settlesWithin(new Promise<void>((resolve) => log.flush(() => resolve())), LOGGING_MS);
    process.exit(failure === undefined ? process.exitCode : 1);
  };
  // A terminal that is closed sends SIGHUP twice. A signal without a listener would end the process at once.
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => void stop(signal));
};

// An append may be the first to find it. Its response is sent before the process ends.
const stopApart = ({ message }: StoresApart): void => {
  if (process.exitCode === undefined) process.stderr.write(`The service cannot run: ${message}\n`);
  process.exitCode = 1;
  process.emit('SIGTERM', 'SIGTERM');
};

/** Ends a process that could not start. Closes the stores first: the end of a thread of SQLite would abort it. */
const endWith = async (error: unknown, stores?: AllStores): Promise<never> => {
  const prefix = error instanceof ConfigurationError ? '' : 'The service could not start: ';
  const shown = messageOf(namingSpace(error, process.env['DATA_DIR'] || 'data'));
  if (!(error instanceof StoresApart)) process.stderr.write(`${prefix}${shown}\n`);
  if (stores !== undefined) await settlesWithin(stores.close(), CLOSING_MS);
  process.exit(1);
};

const main = async (): Promise<void> => {
  limitHeaps();
  const config = readConfig(process.env);
  const metrics = createMetrics(config);
  const outages = new Outages();
  const log = openLog(config.logLevel, metrics.unlogged, outages.takes);
  stopOnSignals(await start(config, log, metrics, outages), log);
};

main().catch((error: unknown) => endWith(ofSetting(error)));
