// The composition root: reads the configuration, opens the stores, starts the roles, stops them in order.
import { setTimeout as pause } from 'node:timers/promises';
import { pino } from 'pino';
import { Passwords } from './auth/passwords.js';
import { commandHandler } from './commands/handle-command.js';
import { Streams } from './commands/streams.js';
import { startUpkeep } from './commands/upkeep.js';
import { type Config, ConfigurationError, readConfig } from './config.js';
import { createApp } from './http/app.js';
import { createMetrics, type Metrics } from './http/metrics.js';
import { operationsRouter } from './http/operations.js';
import { Reader } from './http/reading.js';
import { routesOf } from './http/routes.js';
import { listen } from './http/server.js';
import type { Log } from './infrastructure/log.js';
import { allProjections } from './projections/all.js';
import { Progress } from './projections/progress.js';
import { ProjectionRunner } from './projections/runner.js';
import { type AllStores, openStores } from './stores.js';

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
  const stores = openStores(config, (error) => log.warn({ err: error }, 'background work failed; trying again'));
  void prepareViews(stores, log);
  const parts = { config, stores, progress: new Progress(stores.views), metrics: createMetrics(), log };
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

const startHttp = async ({ config, stores, progress, metrics, log }: Parts): Promise<Closing> => {
  const { facts, views, vault } = stores;
  const streams = new Streams(facts);
  const reader = new Reader(views, streams, progress);
  const service = { handle: commandHandler(streams), streams, views, reader, passwords: new Passwords(vault) };
  const projections = allProjections.map(({ name }) => name);
  const operations = operationsRouter({ facts, views, metrics, projections, isStopping: () => stopping });
  const app = createApp({ routes: routesOf(service), operations, vault, log, metrics: metrics.http, open: true });
  const server = await listen(app, config.host, config.port);
  log.warn('the service runs open: whoever reaches this address may read and change everything');
  log.info({ url: server.url, docs: `${server.url}/docs`, roles: config.roles }, `listening on ${server.url}`);
  return () => server.close(GRACE_MS);
};

const startWorker = ({ stores, progress, metrics, log }: Parts): readonly Closing[] => {
  const { facts, views } = stores;
  const runner = new ProjectionRunner({ facts, views, progress, log, metrics: metrics.projections }, allProjections);
  const upkeep = startUpkeep(stores, (error) => log.warn({ err: error }, 'upkeep could not be planned'));
  log.info({ projections: allProjections.map(({ name }) => name) }, 'working');
  return [() => runner.close(), () => upkeep.close()];
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
  const log = pino({ level: config.logLevel }, pino.destination({ fd: 1, sync: false }));
  stopOnSignals(await start(config, log), log);
};

main().catch((error: unknown) => {
  const message = error instanceof Error ? error.message : String(error);
  const isOurs = error instanceof ConfigurationError;
  process.stderr.write(`${isOurs ? message : `The service could not start: ${message}`}\n`);
  process.exit(1);
});
