// The composition root: reads the configuration, opens the stores, starts the roles, and stops them in order.
import { setTimeout as pause } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { startDeliveries } from './auth/codes/deliveries.js';
import { startRelay } from './auth/codes/relay.js';
import { adoptEarlierMessages, countUnqueued } from './auth/codes/waiting-messages.js';
import { type Config, ConfigurationError, readConfig } from './config.js';
import { RequestLimits } from './http/access/rate-limits.js';
import { createExpressApp } from './http/express-app.js';
import { healthOf } from './http/pages/health.js';
import { routeContextOf } from './http/route/context.js';
import { routesOf, signInRoutesOf } from './http/routes.js';
import { listen } from './http/server/server.js';
import { settlesWithin } from './infrastructure/async.js';
import { Bell } from './infrastructure/bell.js';
import { UnknownFormat } from './infrastructure/errors.js';
import { type Log, openLog } from './infrastructure/log.js';
import { isLoopback } from './infrastructure/loopback.js';
import { watchSealing } from './infrastructure/sealing/watch.js';
import { MasterKeyUnknown } from './infrastructure/sealing/wrapping.js';
import type { AllStores } from './infrastructure/stores.js';
import { flushSpans } from './infrastructure/tracing.js';
import type { Job, QueueWorker } from './infrastructure/work/work.js';
import { createMetrics, type Metrics } from './metrics.js';
import { queueFaults, unqueuedMessages } from './operations/queue-faults.js';
import { startUpkeep } from './operations/upkeep.js';
import { allProjections } from './projections/all.js';
import { Progress } from './projections/progress.js';
import { DIRECTORY_OWNER, ProjectionRunner } from './projections/runner.js';
import { unreadableUsers } from './projections/unreadable-users.js';
import { queues } from './queues.js';
import { type Service, serviceOf } from './service.js';
import { FIRST_ADMINISTRATOR } from './settings/web.js';
import { notifierOf, OWNER_WAIT_MS, openLimits, openStores, ownDirectory } from './stores.js';
import { startProofs } from './transparency/daily-proof.js';
import { logFaults } from './transparency/faults.js';
import { LogGrowth } from './transparency/growth.js';
import { checkOrigin, OriginDiffers } from './transparency/origin.js';

// The time from SIGTERM to exit is at most 10 s. Running requests get most of it.
const GRACE_MS = 6_000;
// How long requests that run at the stop may wait for their writes to be folded.
const FOLDING_MS = 1_000;
// How long the tasks that responses did not wait for may take after the last request.
const SETTLING_MS = 1_000;
const LAST_MS = 9_500;
const RETRY_MS = 1_000;

/** The parts that the roles of a process share. */
interface ProcessParts {
  readonly config: Config;
  readonly stores: AllStores;
  readonly progress: Progress;
  readonly service: Service;
  readonly metrics: Metrics;
  readonly log: Log;
}

/** Closes a part of the process. */
type Closing = () => Promise<void>;

let stopping = false;

/** Starts the process. Returns the function that stops it. */
const start = async (config: Config, log: Log): Promise<Closing> => {
  const metrics = createMetrics();
  const disown = await ownDirectory(config, OWNER_WAIT_MS);
  const stores = await openStores(config, {
    onError: (error) => log.warn({ err: error }, 'background work failed; will retry'),
    sealing: watchSealing(log, metrics.sealing),
  });
  const close = await startRoles({ config, stores, metrics, log }).catch(async (error: unknown) => {
    // The threads of SQLite must end before the process exits, which would abort it.
    await stores.close();
    throw error;
  });
  return async () => {
    await close();
    await stores.close();
    disown();
    await flushSpans();
  };
};

/** Starts the roles on the stores. Returns the function that closes everything that uses the stores. */
const startRoles = async (opened: Pick<ProcessParts, 'config' | 'stores' | 'metrics' | 'log'>): Promise<Closing> => {
  const { config, stores, log } = opened;
  const checked = checkVault(stores, config, log);
  if (config.mongoDbUrl === undefined) await checked;
  else checked.catch(endWith);
  // Until then, every append waits for the check of the format, and the process is not ready.
  void checked.then(() => prepareViews(stores, log));
  const progress = new Progress(stores.views, stores.facts);
  const unsent = new Bell();
  const service = serviceIn({ ...opened, progress }, unsent);
  const parts = { ...opened, progress, service };
  const stopRelay = checked.then(() => relayMessages(parts, unsent));
  const closeHttp = config.roles.includes('http') ? await startHttp(parts) : async () => {};
  const isWorker = config.roles.includes('worker');
  const worker = checked.then(() => (isWorker && !stopping ? startWorker(parts) : []));
  worker.catch(endWith);
  const closeWorker = async () => {
    await Promise.all((await worker).map((part) => part.close()));
  };
  return async () => {
    const drained = closeHttp();
    await settlesWithin(drained, FOLDING_MS);
    await Promise.all([drained, closeWorker()]);
    (await stopRelay)();
  };
};

// Every process runs a relay, because the process that stored a message may no longer exist.
const relayMessages = ({ service, stores, log }: ProcessParts, unsent: Bell) =>
  startRelay(
    {
      ...stores,
      notify: (notice) => service.auth.contactChanges.notify(notice),
      onFailure: (error) =>
        log.warn({ err: error }, 'failed to move messages from the vault to their queue; will retry'),
      onLate: (message) =>
        log.warn(
          { message },
          'a message with a code was not sent, because its queue was unavailable for too long; the user can request another',
        ),
    },
    unsent,
  );

// Checks that the stores belong to this configuration. With the wrong master keys, personal data could not be read, and
// new data could not be read later. This program could misread stores of another format. A different origin is another
// log.
const checkVault = ({ keyring, vault }: AllStores, { logOrigin }: Config, log: Log): Promise<void> =>
  retrying('check the vault', log, async () => {
    await keyring.check();
    await checkOrigin(vault, logOrigin);
    await adoptEarlierMessages(vault);
  });

const prepareViews = ({ views }: AllStores, log: Log): Promise<void> =>
  retrying('prepare the read models', log, async () => {
    await Promise.all(allProjections.map((projection) => views.prepare(projection)));
  });

// Retries while an engine is down at start. Until it is up, the service is alive but not ready.
const retrying = async (what: string, log: Log, task: () => Promise<void>): Promise<void> => {
  while (!stopping) {
    try {
      await task();
      return;
    } catch (error) {
      throwIfFinal(error);
      log.warn({ err: error }, `failed to ${what}; will retry`);
      await pause(RETRY_MS);
    }
  }
};

/** Throws an error that a retry cannot fix. */
const throwIfFinal = (error: unknown): void => {
  if (error instanceof UnknownFormat) throw error;
  if (error instanceof MasterKeyUnknown) throw new ConfigurationError([`MASTER_KEY: ${error.message}`]);
  if (error instanceof OriginDiffers) throw new ConfigurationError([`LOG_ORIGIN: ${error.message}`]);
};

const startHttp = async (parts: ProcessParts): Promise<Closing> => {
  const { config, stores, progress, service, metrics, log } = parts;
  const { facts, views, vault, work } = stores;
  const faults = [
    queueFaults({ work, queues, metrics: metrics.queues, log }),
    unqueuedMessages(() => countUnqueued(vault), { metrics: metrics.queues, log }),
    logFaults(vault, metrics.auditLog),
    unreadableUsers(views),
  ];
  const board = stores.board && (await import('./http/pages/queue-board.js')).queueBoard(stores.board(queues));
  const { publicUrl, callers, trustedProxies, corsOrigins, rateLimits: factor } = config;
  const limits = factor === undefined ? undefined : new RequestLimits(await openLimits(config, stores, log), factor);
  const app = routeContextOf(service);
  const guard = { callers, ...service.auth.guard };
  const health = healthOf({ facts, views, progress, metrics, faults, isStopping: () => stopping, log });
  const express = createExpressApp({
    routes: routesOf(app),
    signInRoutes: signInRoutesOf(app),
    app,
    guard,
    health,
    board,
    log,
    metrics: metrics.http,
    limits,
    trustedProxies,
    origins: { publicUrl, corsOrigins },
  });
  const onFull = (connections: number) =>
    log.warn({ connections }, 'too many connections: new connections are closed immediately');
  const server = await listen(express, config.host, config.port, { onFull }).catch(cannotListen);
  logAccess(config, log);
  log.info({ url: server.url, docs: `${server.url}/docs`, roles: config.roles }, `listening on ${server.url}`);
  log.flush();
  return async () => {
    await server.close(GRACE_MS);
    await settlesWithin(service.auth.signIns.settled(), SETTLING_MS);
    await limits?.close();
  };
};

const serviceIn = ({ config, stores, progress, log }: Omit<ProcessParts, 'service'>, unsent: Bell): Service =>
  serviceOf(
    { ...stores, progress },
    {
      ...config,
      quotaFactor: config.rateLimits ?? Number.POSITIVE_INFINITY,
      onError: (error) => log.error({ err: error }, 'a task that follows a response failed'),
      onUnsentCode: unsent.ring,
    },
  );

const cannotListen = (cause: unknown): never => {
  const reason = cause instanceof Error ? cause.message : String(cause);
  throw new ConfigurationError([`HOST, PORT: ${reason}: use an address of this machine and a free port`], { cause });
};

const logAccess = ({ callers, publicUrl, host }: Config, log: Log): void => {
  if (callers === 'open') {
    log.warn('the service runs open: anyone who can reach this address can read and change everything');
    return;
  }
  log.info(`callers must sign in; ${FIRST_ADMINISTRATOR}`);
  if (publicUrl === undefined && !isLoopback(host)) {
    log.warn('PUBLIC_URL is not set: cookies are Secure only if a trusted proxy reports that the request used HTTPS');
  }
};

const startWorker = async (parts: ProcessParts): Promise<readonly QueueWorker[]> => {
  const { config, stores, progress, metrics, log } = parts;
  const dependencies = { ...stores, progress, log, metrics: metrics.projections };
  const owned = config.mongoDbUrl === undefined ? { owner: DIRECTORY_OWNER } : {};
  const runner = new ProjectionRunner(dependencies, allProjections, owned);
  const upkeep = startUpkeep(stores, (error) => log.error({ err: error }, 'upkeep failed'));
  const growth = new LogGrowth({ stores, origin: config.logOrigin, witnesses: config.witnesses, log });
  const proofs = startProofs(stores, log);
  const deliveries = await startSending(config, stores, log);
  log.info({ projections: allProjections.map(({ name }) => name) }, 'working');
  return [deliveries, runner, growth, proofs, upkeep];
};

const startSending = async (config: Config, stores: AllStores, log: Log): Promise<QueueWorker> => {
  const onFailure = (error: unknown, { id, attempt }: Job) =>
    log.warn({ err: error, message: id, attempt }, 'failed to send a message; will retry while its code is valid');
  const { smtp, smsWebhook, callers } = config;
  if (smtp === undefined && callers === 'required') {
    log.warn('SMTP_URL is not set: codes are not sent, but written to files in DATA_DIR/outbox for a day');
  }
  log.info({ email: smtp ? 'SMTP' : 'outbox', sms: smsWebhook ? 'webhook' : 'outbox' }, 'sending messages');
  return startDeliveries({ ...stores, notifier: await notifierOf(config, stores.outbox), onFailure });
};

const stopOnSignals = (close: Closing, log: Log): void => {
  const stop = async (signal: string) => {
    if (stopping) return;
    stopping = true;
    log.info({ signal }, 'stopping');
    setTimeout(() => {
      log.error('failed to close everything in time');
      process.exit(1);
    }, LAST_MS).unref();
    await close();
    log.info('stopped');
    log.flush(() => process.exit(0));
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void stop(signal));
};

// How much the heap may grow beyond its live objects before V8 collects garbage, in percent. By default, V8 lets a
// small heap grow to a multiple: after 10,000 questionnaires, 33 of 180 MB were live. More frequent collections take up
// to a tenth more CPU under full load.
const HEAP_GROWTH = 60;

const main = async (): Promise<void> => {
  setFlagsFromString(`--heap-growing-percent=${HEAP_GROWTH}`);
  const config = readConfig(process.env);
  const log = openLog(config.logLevel);
  stopOnSignals(await start(config, log), log);
};

const endWith = (error: unknown): void => {
  const message = error instanceof Error ? error.message : String(error);
  const isOurs = error instanceof ConfigurationError;
  process.stderr.write(`${isOurs ? message : `The service could not start: ${message}`}\n`);
  process.exit(1);
};

main().catch(endWith);
