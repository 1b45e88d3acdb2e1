// The role of a process that serves HTTP.
import { countUnqueued } from './auth/codes/waiting-messages.js';
import { countPromises } from './auth/decisions/promises.js';
import { loadEasyPasswords } from './auth/passwords/rules.js';
import { type Config, ConfigurationError } from './config.js';
import { RequestLimits } from './http/access/rate-limits.js';
import { createExpressApp } from './http/express-app.js';
import { builtWebClient, type WebClient } from './http/pages/console.js';
import { healthOf } from './http/pages/health.js';
import { routeContextOf } from './http/route/context.js';
import { groupsOf } from './http/routes.js';
import { listen } from './http/server/server.js';
import { settlesWithin } from './infrastructure/async.js';
import { messageOf } from './infrastructure/errors.js';
import type { FaultSource } from './infrastructure/fault.js';
import type { Log } from './infrastructure/log.js';
import { isLoopback } from './infrastructure/loopback.js';
import type { AllStores } from './infrastructure/stores.js';
import type { Metrics } from './metrics.js';
import { queues } from './operations/jobs.js';
import { queueFaults, unqueuedMessages } from './operations/queue-faults.js';
import { refusedMessages } from './operations/refused-messages.js';
import type { Progress } from './projections/progress.js';
import { unreadableUsers } from './projections/unreadable-users.js';
import type { Service } from './service.js';
import { FIRST_ADMINISTRATOR } from './settings/web.js';
import { openLimits } from './stores.js';
import { logFaults } from './transparency/faults.js';

// Running requests get most of the 10 s from SIGTERM to exit.
const GRACE_MS = 6_000;
// How long the tasks that responses did not wait for may take after the last request.
const SETTLING_MS = 1_000;

export interface SharedParts {
  readonly config: Config;
  readonly stores: AllStores;
  readonly progress: Progress;
  readonly service: Service;
  readonly metrics: Metrics;
  readonly log: Log;
  readonly outages: { readonly faults: FaultSource };
  readonly isStarting: () => boolean;
  readonly isStopping: () => boolean;
}

/** Starts to serve HTTP. Returns the function that ends it after the running requests. */
export const startHttp = async (shared: SharedParts): Promise<() => Promise<void>> => {
  const { config, stores, service, log } = shared;
  const { publicUrl, callers, trustedProxies, corsOrigins, rateLimits: factor } = config;
  const { handle } = service;
  const board =
    stores.board && (await import('./http/pages/queue-board.js')).queueBoard({ ...stores.board(queues), handle });
  const limits = factor === undefined ? undefined : new RequestLimits(await openLimits(config, stores, log), factor);
  await loadEasyPasswords();
  const app = routeContextOf(service, config);
  const express = createExpressApp({
    groups: groupsOf(app),
    app,
    guard: { callers, ...service.auth.guard },
    health: healthOf({ ...stores, ...shared, faults: faultsIn(shared) }),
    board,
    webClient: webClientIn(shared),
    log,
    metrics: shared.metrics.http,
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
  // On a terminal, the addresses must not be lost among the lines of the log.
  const addresses = `The service is at ${server.url}, and its API reference is at ${server.url}/docs`;
  if (process.stdout.isTTY) process.stdout.write(`\n${addresses}\n\n`);
  return async () => {
    await server.close(GRACE_MS);
    await settlesWithin(service.auth.signIns.settled(), SETTLING_MS);
    await limits?.close();
  };
};

/** Logs how to create the first administrator, if callers must sign in and there is none. */
export const adviseFirstAdministrator = async ({ config, service, log }: SharedParts): Promise<void> => {
  if (config.callers === 'open') return;
  try {
    if (!(await service.administrators.exists())) log.info(`there is no administrator: ${FIRST_ADMINISTRATOR}`);
  } catch (error) {
    log.warn({ err: error }, 'failed to look for an administrator');
  }
};

const webClientIn = ({ config, log }: SharedParts): WebClient | undefined => {
  const webClient = config.hasWebClient ? builtWebClient() : undefined;
  if (config.hasWebClient && webClient === undefined) {
    log.warn('the web client is not built, so the service runs without it: run npm run build, or set CONSOLE=off');
  }
  return webClient;
};

const faultsIn = ({ stores, service, metrics, log, outages }: SharedParts): readonly FaultSource[] => {
  const { work, vault, views, refusedWrites, keyring } = stores;
  const unqueued = async () => (await countUnqueued(vault)) + (await countPromises(vault));
  return [
    queueFaults({ work, queues, refusedWrites, metrics: metrics.queues, log }),
    unqueuedMessages(unqueued, { metrics: metrics.queues, log }),
    async () => refusedWrites.faults('log', 'views', 'vault'),
    async () => service.streams.clockFaults(),
    () => keyring.faults(),
    outages.faults,
    logFaults(vault, metrics.auditLog),
    refusedMessages(vault),
    unreadableUsers(views),
  ];
};

const cannotListen = (cause: unknown): never => {
  const fault = `HOST, PORT: ${messageOf(cause)}: use an address of this machine and a free port`;
  throw new ConfigurationError([fault], { cause });
};

const logAccess = ({ callers, publicUrl, host }: Config, log: Log): void => {
  if (callers === 'open') {
    log.warn('authentication is off: anyone who can reach this address can read and change everything');
    return;
  }
  log.info('callers must sign in');
  if (publicUrl === undefined && !isLoopback(host)) {
    log.warn('PUBLIC_URL is not set: cookies are Secure only if a trusted proxy reports that the request used HTTPS');
  }
};
