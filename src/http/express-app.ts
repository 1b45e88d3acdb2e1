// The Express application: what every request passes, the routes from their lists, and the response to every failure.
import type { KeyObject } from 'node:crypto';
import express, { type ErrorRequestHandler, type Express, type RequestHandler, type Router } from 'express';
import type { SignIns } from '../auth/sessions/sign-ins.js';
import { newUuid } from '../commands/uuid.js';
import type { Log } from '../infrastructure/log.js';
import { isLoopback } from '../infrastructure/loopback.js';
import type { PersonKeys } from '../infrastructure/sealing/joint.js';
import type { Vault } from '../infrastructure/vault/vault.js';
import { compressedExcept } from './edge/compression.js';
import { crossOrigin } from './edge/cors.js';
import { ORIGIN_SETTINGS, type OriginSettings, siteOf } from './edge/origins.js';
import { Load, shedding } from './edge/overload.js';
import { countsAddresses, type RequestLimits } from './edge/rate-limits.js';
import { httpsFromNowOn, securityHeaders } from './edge/security-headers.js';
import { BodyReader } from './kernel/bodies.js';
import { type Guard, gateAt } from './kernel/gate.js';
import { type HandlerServices, handlerOf } from './kernel/handler.js';
import { Idempotency } from './kernel/idempotency.js';
import { isSafe, otherMethods } from './kernel/methods.js';
import type { LoadOpaque } from './kernel/opaque.js';
import { headersOf, Problem, problemDocument, problemOf } from './kernel/problems.js';
import { contextOf, noteRoute, type RequestContext } from './kernel/request-context.js';
import { expressPath, type Route } from './kernel/route.js';
import { docsRouter } from './pages/docs.js';
import { HEALTH_PATHS } from './pages/health.js';
import { openApiOf } from './pages/openapi.js';
import type { Board } from './pages/queue-board.js';
import { queueSignIn } from './pages/queue-sign-in.js';

/** Counts requests. */
export interface HttpMetrics {
  answered(method: string, route: string, status: number, seconds: number): void;
  /** Counts a request that was refused because too many were waiting. */
  shed(): void;
}

export interface ExpressAppOptions {
  /** The administration routes, served at / and under /admin-service. */
  readonly routes: readonly Route[];
  /** The routes that are served at their own paths alone. */
  readonly signInRoutes: readonly Route[];
  readonly guard: Guard;
  readonly signIns: SignIns;
  readonly health: Router;
  /** The page of the job queues, if there are queues in Redis. */
  readonly board: Board | undefined;
  readonly vault: Vault;
  readonly opaque: LoadOpaque;
  /** Gives a key of the service's own by its name. */
  readonly serviceKey: (name: string) => Promise<KeyObject>;
  readonly personKeys: PersonKeys;
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
/** The prefixes under which also unknown addresses are limited. */
const SIGN_IN_PREFIXES = ['/auth-service', '/api'];

/** Makes the application. */
export const createExpressApp = (options: ExpressAppOptions): Express => {
  const { routes, signInRoutes, guard, health, serviceKey, personKeys, board, vault, log, metrics } = options;
  const { limits, opaque } = options;
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.enable('case sensitive routing');
  app.set('trust proxy', options.trustedProxies);
  app.set(ORIGIN_SETTINGS, options.origins);
  app.use(begin(log, metrics));
  app.use(securityHeaders, httpsFromNowOn);
  app.use(hostNamed);
  if (guard.callers === 'open') app.use(loopbackNamesOnly);
  const { corsOrigins } = options.origins;
  if (corsOrigins.length > 0) app.use(crossOrigin(corsOrigins));
  if (guard.callers === 'open') app.use(ownPagesOnly);
  app.use(shedding({ load: new Load(), spared: HEALTH_PATHS, metrics, log }));
  // What these respond with holds tokens beside what a client sent: its compressed length could reveal them (BREACH).
  app.use(compressedExcept(SIGN_IN_PREFIXES));
  const idempotency = new Idempotency({ vault, secret: () => serviceKey('idempotency'), personKeys });
  const bodies = new BodyReader();
  const services = { idempotency, guard, limits, bodies, opaque };
  const router = routerOf(routes, services);
  app.use(router);
  app.use(ADMINISTRATION, underPrefix(ADMINISTRATION), router);
  app.use(routerOf(signInRoutes, services));
  if (limits !== undefined) app.use(SIGN_IN_PREFIXES, limits.ofAddress('other'));
  app.use(health);
  if (board !== undefined) {
    const signIn = queueSignIn({ board: board.path, signIns: options.signIns, bodies, limits });
    app.use(signIn.router);
    app.use(board.path, gateAt(board.who, guard), board.router, signIn.instead);
  }
  app.use(docsRouter(() => openApiOf(routes, signInRoutes, guard.callers)));
  app.use(() => {
    throw new Problem('route-not-found');
  });
  app.use(failed(log));
  return app;
};

const routerOf = (routes: readonly Route[], services: HandlerServices): Router => {
  const router = express.Router({ caseSensitive: true });
  for (const path of new Set(routes.map((route) => route.path))) {
    const here = routes.filter((route) => route.path === path);
    const [first] = here;
    if (first === undefined) continue;
    const address = router.route(expressPath(first));
    address.all(noteRoute(path));
    for (const limit of limitsAt(here, services)) address.all(limit);
    for (const route of here) address[route.method](handlerOf(route, services));
    address.all(otherMethods(here.map(({ method }) => method)));
  }
  return router;
};

// Every method at an address counts, also the methods that it does not take.
const limitsAt = (here: readonly Route[], { limits }: HandlerServices): readonly RequestHandler[] =>
  [...new Set(here.map(({ access }) => access.rate))].flatMap((rate) =>
    limits !== undefined && countsAddresses(rate) ? [limits.ofAddress(rate)] : [],
  );

const underPrefix =
  (prefix: string): RequestHandler =>
  (_, response, next) => {
    contextOf(response).prefix = prefix;
    next();
  };

// Stands for every address that has no route: a path that a client made up can hold personal data.
const NO_ROUTE = 'none';

/** Names the request, and reports it when it is answered. */
const begin =
  (log: Log, metrics: HttpMetrics): RequestHandler =>
  (request, response, next) => {
    const started = process.hrtime.bigint();
    const requestId = newUuid();
    const traceId = traceOf(request.headers['traceparent']) ?? requestId.replaceAll('-', '');
    const context: RequestContext = Object.assign(response.locals, { requestId, traceId, prefix: '' });
    response.setHeader('X-Request-Id', requestId);
    response.once('close', () => {
      const seconds = Number(process.hrtime.bigint() - started) / 1e9;
      const status = response.writableFinished ? response.statusCode : 499;
      const { userId, prefix, route = NO_ROUTE } = context;
      metrics.answered(request.method, route, status, seconds);
      const ms = Math.round(seconds * 1e5) / 100;
      const path = route === NO_ROUTE ? route : `${prefix}${route}`;
      log.info({ requestId, traceId, userId, method: request.method, path, status, ms }, 'request');
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
  if (hosts > 1 || (hosts === 0 && httpVersion !== '1.0')) throw new Problem('malformed-request');
  next();
};

const loopbackNamesOnly: RequestHandler = (request, _, next) => {
  const { host } = request.headers;
  if (host !== undefined && !isLoopback(host.replace(/:\d+$/, ''))) throw new Problem('misdirected-request');
  next();
};

// In open mode every caller may do everything, so a page of another site could misuse a browser on this machine. Without a
// preflight, a page may send a simple request (Fetch, "CORS-safelisted"), which is never JSON. A browser that omits
// Sec-Fetch-Site still sends the origin of the page. Other clients use `origin` as they like, and send JSON.
const ownPagesOnly: RequestHandler = (request, _, next) => {
  const { 'sec-fetch-site': site, 'content-type': type = '', origin } = request.headers;
  const isSimple = request.method === 'POST' && !/^application\/json\b/i.test(type);
  const isPosted = isSimple && site === undefined && isForeignPage(origin);
  const isCrossSite = (site === 'cross-site' || isPosted) && siteOf(request) === 'other';
  if (!isSafe(request.method) && isCrossSite) throw new Problem('cross-site-request');
  next();
};

// A page on another port of this machine belongs to the same site.
const isForeignPage = (origin = ''): boolean =>
  origin === 'null' || (/^https?:/.test(origin) && URL.canParse(origin) && !isLoopback(new URL(origin).hostname));

/** Logs a failure that an operator should know of. A refusal by the service itself has no stack worth reading. */
const tell = (log: Log, error: unknown, requestId: string): void => {
  const { status, code } = problemOf(error);
  // Overload is counted, and logged once a minute.
  if (status < 500 || code === 'overloaded') return;
  if (error instanceof Problem) log.warn({ requestId, code }, 'a request was refused for now');
  else log.error({ err: error, requestId }, 'a request failed');
};

const failed =
  (log: Log): ErrorRequestHandler =>
  (error, _request, response, _next) => {
    const problem = problemOf(error);
    const { requestId } = contextOf(response);
    tell(log, error, requestId);
    if (response.headersSent) {
      response.destroy();
      return;
    }
    const body = problemDocument(problem, requestId);
    response.writeHead(problem.status, {
      ...headersOf(problem),
      'Content-Type': 'application/problem+json; charset=utf-8',
      'Content-Length': Buffer.byteLength(body),
      'Cache-Control': 'no-store',
    });
    response.end(body);
  };
