// The composition root: reads the configuration, opens the stores, starts the roles, stops them in order.
import { setTimeout as pause } from 'node:timers/promises';
import { pino } from 'pino';
import { codeKey } from './auth/auth.js';
import { startDeliveries } from './auth/deliveries.js';
import { startUpkeep } from './commands/upkeep.js';
import { type Config, ConfigurationError, readConfig } from './config.js';
import { createApp } from './http/app.js';
import { RequestLimits } from './http/limits.js';
import { createMetrics, type Metrics } from './http/metrics.js';
import { operationsRouter } from './http/operations.js';
import { boardRouter } from './http/queue-board.js';
import { routesOf, signInRoutesOf } from './http/routes.js';
import { listen } from './http/server.js';
import { serviceOf } from './http/service.js';
import { type Log, serializers } from './infrastructure/log.js';
import { watchSealing } from './infrastructure/sealing/watch.js';
import { MasterKeyUnknown } from './infrastructure/sealing/wrapping.js';
import type { Job, QueueWorker } from './infrastructure/work/work.js';
import { allProjections } from './projections/all.js';
import { Progress } from './projections/progress.js';
import { startRebuilds } from './projections/rebuilds.js';
import { ProjectionRunner } from './projections/runner.js';
import { queues } from './queues.js';
import { isLoopback } from './settings/loopback.js';
import { FIRST_ADMINISTRATOR } from './settings/sign-in.js';
import { type AllStores, notifierOf, openLimits, openStores } from './stores.js';

// SIGTERM to exit takes 10 s at most: requests get the most of it.
const GRACE_MS = 7_000;
const LAST_MS = 9_500;
const RETRY_MS = 1_000;

interface Parts {
  readonly config: Config;
  readonly stores: AllStores;
  readonly progress: Progress;
  readonly metrics: Metrics;
  readonly log: Log;
}

/** What is to be closed when the process stops, first to last. */
type Closing = () => Promise<void>;

let stopping = false;

const start = async (config: Config, log: Log): Promise<readonly Closing[]> => {
  const metrics = createMetrics();
  const stores = openStores(config, {
    onError: (error) => log.warn({ err: error }, 'background work failed; trying again'),
    sealing: watchSealing(log, metrics.sealing),
  });
  const checked = checkMasterKeys(stores, log);
  if (config.mongoDbUrl === undefined) await checked;
  else checked.catch(endWith);
  void prepareViews(stores, log);
  const parts = { config, stores, progress: new Progress(stores.views), metrics, log };
  const closings = [
    ...(config.roles.includes('http') ? [await startHttp(parts)] : []),
    ...(config.roles.includes('worker') ? startWorker(parts) : []),
  ];
  return [...closings, () => stores.close()];
};

// An engine that is down at start is tried until it is up; until then the service is alive but not ready.
const prepareViews = async ({ views }: AllStores, log: Log): Promise<void> => {
  while (!stopping) {
    try {
      await Promise.all(allProjections.map((projection) => views.prepare(projection)));
      return;
    } catch (error) {
      log.warn({ err: error }, 'the read models cannot be prepared; trying again');
      await pause(RETRY_MS);
    }
  }
};

// With other master keys than the vault's, nothing personal could be read, and what is made now could not be read later.
const checkMasterKeys = async ({ keyring }: AllStores, log: Log): Promise<void> => {
  while (!stopping) {
    try {
      await keyring.check();
      return;
    } catch (error) {
      if (error instanceof MasterKeyUnknown) throw new ConfigurationError([`MASTER_KEY: ${error.message}`]);
      log.warn({ err: error }, 'the keys in the vault cannot be looked at; trying again');
      await pause(RETRY_MS);
    }
  }
};

const startHttp = async ({ config, stores, progress, metrics, log }: Parts): Promise<Closing> => {
  const { facts, views, vault } = stores;
  const projections = allProjections.map(({ name }) => name);
  const operations = operationsRouter({ facts, views, metrics, projections, isStopping: () => stopping });
  const board = stores.board && boardRouter(stores.board(queues));
  const onError = (error: unknown) => log.error({ err: error }, 'what follows an answer could not be done');
  const { publicUrl, serviceAccount, isActivationRequired, callers, web } = config;
  const limits = limitsOf({ config, stores, log });
  const authSettings = { publicUrl, serviceAccount, isActivationRequired, onError };
  const service = serviceOf({ ...stores, progress, authSettings });
  const app = createApp({
    routes: routesOf(service),
    signInRoutes: signInRoutesOf(service),
    guard: { callers, ...service.auth.guard },
    operations,
    board,
    vault,
    serviceKey: stores.serviceKey,
    log,
    metrics: metrics.http,
    limits,
    trustedProxies: web.trustedProxies,
    origins: { publicUrl, corsOrigins: web.corsOrigins },
  });
  const onFull = (connections: number) =>
    log.warn({ connections }, 'too many connections: new ones are closed at once');
  const server = await listen(app, config.host, config.port, { onFull }).catch(cannotListen);
  sayWhoMay(config, log);
  log.info({ url: server.url, docs: `${server.url}/docs`, roles: config.roles }, `listening on ${server.url}`);
  return async () => {
    await server.close(GRACE_MS);
    await service.auth.settled();
    await limits?.close();
  };
};

const cannotListen = (cause: unknown): never => {
  const reason = cause instanceof Error ? cause.message : String(cause);
  throw new ConfigurationError([`HOST, PORT: ${reason}: name an address of this machine and a free port`], { cause });
};

const sayWhoMay = ({ callers, publicUrl, host }: Config, log: Log): void => {
  if (callers === 'open') {
    log.warn('the service runs open: whoever reaches this address may read and change everything');
    return;
  }
  log.info(`callers must sign in; ${FIRST_ADMINISTRATOR}`);
  if (publicUrl === undefined && !isLoopback(host)) {
    log.warn('PUBLIC_URL is not set: cookies are Secure only where a trusted proxy says that a request came by HTTPS');
  }
};

const limitsOf = ({ config, stores, log }: Pick<Parts, 'config' | 'stores' | 'log'>): RequestLimits | undefined => {
  const factor = config.web.rateLimits;
  return factor === undefined ? undefined : new RequestLimits(openLimits(config, stores, log), factor);
};

const startWorker = ({ config, stores, progress, metrics, log }: Parts): readonly Closing[] => {
  const { facts, views } = stores;
  const runner = new ProjectionRunner({ facts, views, progress, log, metrics: metrics.projections }, allProjections);
  const upkeep = startUpkeep(stores, (error) => log.error({ err: error }, 'upkeep failed'));
  const rebuilds = startRebuilds(stores, allProjections);
  const deliveries = startSending(config, stores, log);
  log.info({ projections: allProjections.map(({ name }) => name) }, 'working');
  return [() => deliveries.close(), () => rebuilds.close(), () => runner.close(), () => upkeep.close()];
};

const startSending = (config: Config, { vault, work, serviceKey }: AllStores, log: Log): QueueWorker => {
  const key = () => codeKey(serviceKey);
  const onFailure = (error: unknown, { id, attempt }: Job) =>
    log.warn({ err: error, message: id, attempt }, 'a message could not be sent; trying again while it is of use');
  const { smtp, smsWebhook, callers } = config;
  if (smtp === undefined && callers === 'required') {
    log.warn('SMTP_URL is not set: codes reach nobody, but stand in files of DATA_DIR/outbox for a day');
  }
  log.info({ email: smtp ? 'SMTP' : 'outbox', sms: smsWebhook ? 'webhook' : 'outbox' }, 'sending messages');
  return startDeliveries({ vault, work, notifier: notifierOf(config), key, onFailure });
};

const stopOnSignals = (closings: readonly Closing[], log: Log): void => {
  const stop = async (signal: string) => {
    if (stopping) return;
    stopping = true;
    log.info({ signal }, 'stopping');
    setTimeout(() => {
      log.error('not everything could be closed in time');
      process.exit(1);
    }, LAST_MS).unref();
    for (const close of closings) await close();
    log.info('stopped');
    log.flush(() => process.exit(0));
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void stop(signal));
};

const main = async (): Promise<void> => {
  const config = readConfig(process.env);
  const log = pino({ level: config.logLevel, serializers }, pino.destination({ fd: 1, sync: false }));
  stopOnSignals(await start(config, log), log);
};

const endWith = (error: unknown): void => {
  const message = error instanceof Error ? error.message : String(error);
  const isOurs = error instanceof ConfigurationError;
  process.stderr.write(`${isOurs ? message : `The service could not start: ${message}`}\n`);
  process.exit(1);
};

main().catch(endWith);
