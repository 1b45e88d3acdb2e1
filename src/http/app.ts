// The Express application: what every request passes, the routes from their lists, and the answer to every failure.
import type { KeyObject } from 'node:crypto';
import express, { type ErrorRequestHandler, type Express, type RequestHandler, type Router } from 'express';
import { newUuid } from '../commands/uuid.js';
import type { Log } from '../infrastructure/log.js';
import type { Vault } from '../infrastructure/vault/vault.js';
import { crossOrigin } from './cors.js';
import { DOCS_PATHS, docsRouter } from './docs.js';
import { type Guard, gateAt } from './gate.js';
import { contextOf, handlerOf, type Means } from './handler.js';
import { Idempotency } from './idempotency.js';
import type { RequestLimits } from './limits.js';
import { otherMethods } from './methods.js';
import type { HttpMetrics } from './metrics.js';
import { openApiOf } from './openapi.js';
import { OPERATIONS_PATHS } from './operations.js';
import { ORIGIN_SETTINGS, type OriginSettings, siteOf } from './origins.js';
import { Problem, problemDocument, problemOf } from './problems.js';
import { BOARD_PATH } from './queue-board.js';
import type { Route } from './route.js';
import { securityHeaders } from './security-headers.js';

export interface AppOptions {
  /** The administration routes, served at / and under /admin-service. */
  readonly routes: readonly Route[];
  /** The routes that are served at their own paths alone. */
  readonly signInRoutes: readonly Route[];
  readonly guard: Guard;
  readonly operations: Router;
  /** The page of the job queues, where there is one. */
  readonly board: Router | undefined;
  readonly vault: Vault;
  /** Gives a key of the service's own by its name. */
  readonly serviceKey: (name: string) => Promise<KeyObject>;
  readonly log: Log;
  readonly metrics: HttpMetrics;
  /** The limits of the auth routes; undefined where they have none. */
  readonly limits: RequestLimits | undefined;
  /** The proxies whose X-Forwarded-For, -Proto and -Host are believed: addresses, networks, and the word loopback. */
  readonly trustedProxies: readonly string[];
  readonly origins: OriginSettings;
}

/** The prefix under which the administration routes are served, too. */
const ADMINISTRATION = '/admin-service';

/** Makes the application. */
export const createApp = (options: AppOptions): Express => {
  const { routes, signInRoutes, guard, operations, serviceKey, board, vault, log, metrics, limits } = options;
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.enable('case sensitive routing');
  app.set('trust proxy', options.trustedProxies);
  app.set(ORIGIN_SETTINGS, options.origins);
  app.use(begin(log, metrics));
  app.use(securityHeaders);
  app.use(hostNamed);
  if (guard.callers === 'open') app.use(loopbackNamesOnly, ownPagesOnly);
  const { corsOrigins } = options.origins;
  if (corsOrigins.length > 0) app.use(crossOrigin(corsOrigins));
  if (limits !== undefined) app.use(limits.ofAddress);
  const idempotency = new Idempotency(vault, () => serviceKey('idempotency'));
  const router = routerOf(routes, { idempotency, guard, limits });
  app.use(router);
  app.use(ADMINISTRATION, underPrefix(ADMINISTRATION), router);
  app.use(routerOf(signInRoutes, { idempotency, guard, limits }));
  for (const path of [...OPERATIONS_PATHS, ...DOCS_PATHS]) app.use(path, gateAt({ method: 'get', path }, guard));
  app.use(operations);
  if (board !== undefined) app.use(BOARD_PATH, gateAt({ method: 'all', path: BOARD_PATH }, guard), board);
  app.use(docsRouter(openApiOf(routes, signInRoutes, guard.callers)));
  app.use(() => {
    throw new Problem('route-not-found');
  });
  app.use(failed(log));
  return app;
};

const routerOf = (routes: readonly Route[], means: Means): Router => {
  const router = express.Router({ caseSensitive: true });
  for (const path of new Set(routes.map((route) => route.path))) {
    const here = routes.filter((route) => route.path === path);
    const address = router.route(path.replaceAll(/\{(\w+)\}/g, ':$1'));
    for (const route of here) address[route.method](handlerOf(route, means));
    address.all(otherMethods(here.map(({ method }) => method)));
  }
  return router;
};

const underPrefix =
  (prefix: string): RequestHandler =>
  (_, response, next) => {
    response.locals['prefix'] = prefix;
    next();
  };

/** Names the request, and reports it when it is answered. */
const begin =
  (log: Log, metrics: HttpMetrics): RequestHandler =>
  (request, response, next) => {
    const started = process.hrtime.bigint();
    const requestId = newUuid();
    const traceId = traceOf(request.headers['traceparent']) ?? requestId.replaceAll('-', '');
    Object.assign(response.locals, { requestId, traceId, prefix: '' });
    response.setHeader('X-Request-Id', requestId);
    const { method, path } = request;
    response.once('close', () => {
      const seconds = Number(process.hrtime.bigint() - started) / 1e9;
      const status = response.writableFinished ? response.statusCode : 499;
      metrics.answered(method, String(response.locals['route'] ?? 'none'), status, seconds);
      const { userId } = response.locals;
      log.info({ requestId, traceId, userId, method, path, status, ms: Math.round(seconds * 1e5) / 100 }, 'request');
    });
    next();
  };

// W3C Trace Context, 3.2: version, trace id, parent id, flags; neither id may be all zeros.
const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(-.*)?$/;
const traceOf = (traceparent: string | string[] | undefined): string | undefined =>
  TRACEPARENT.exec(String(traceparent))?.[1];

// RFC 9112, 3.2. Node.js would refuse none, too, but with an answer that is no problem document; of two it takes the
// first, where a proxy in front may go by the last.
const hostNamed: RequestHandler = ({ httpVersion, rawHeaders }, _, next) => {
  const hosts = rawHeaders.filter((name, at) => at % 2 === 0 && name.toLowerCase() === 'host').length;
  if (hosts > 1 || (hosts === 0 && httpVersion === '1.1')) throw new Problem('malformed-request');
  next();
};

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?$/i;
const loopbackNamesOnly: RequestHandler = (request, _, next) => {
  const { host } = request.headers;
  if (host !== undefined && !LOOPBACK.test(host)) throw new Problem('misdirected-request');
  next();
};

// Whoever may do everything may be made to by the page of somebody else: it may have a browser post without asking first
// (Fetch, "CORS-safelisted"). Browsers say so; a header `origin` alone is sent by other clients, too.
const ownPagesOnly: RequestHandler = (request, _, next) => {
  const isSafe = ['GET', 'HEAD', 'OPTIONS'].includes(request.method);
  const isCrossSite = request.headers['sec-fetch-site'] === 'cross-site' && siteOf(request) === 'other';
  if (!isSafe && isCrossSite) throw new Problem('cross-site-request');
  next();
};

const failed =
  (log: Log): ErrorRequestHandler =>
  (error, _request, response, _next) => {
    const problem = problemOf(error);
    const { requestId } = contextOf(response);
    if (problem.status >= 500) log.error({ err: error, requestId }, 'a request failed');
    if (response.headersSent) {
      response.destroy();
      return;
    }
    const body = problemDocument(problem, requestId);
    response.writeHead(problem.status, {
      // RFC 9110, 15.5.2: a 401 names a way to sign in.
      ...(problem.status === 401 && { 'WWW-Authenticate': 'Bearer' }),
      ...problem.headers,
      'Content-Type': 'application/problem+json; charset=utf-8',
      'Content-Length': Buffer.byteLength(body),
      'Cache-Control': 'no-store',
    });
    response.end(body);
  };
