// The Express application: the handlers of every request, the routes, and the responses to failures.
import express, { type ErrorRequestHandler, type Express, type RequestHandler } from 'express';
import { messageOf, StoreUnavailable } from '../infrastructure/errors.js';
import type { Log } from '../infrastructure/log.js';
import { Overloaded, pace } from '../infrastructure/pace.js';
import { type Guard, gateAt } from './access/gate.js';
import type { RequestLimits } from './access/rate-limits.js';
import { openApiOf } from './openapi/document.js';
import { leadToSignIn, type WebClient } from './pages/console.js';
import { docsRouter } from './pages/docs.js';
import type { Health } from './pages/health.js';
import { homeRouter } from './pages/home.js';
import type { Board } from './pages/queue-board.js';
import { verifierRouter } from './pages/verifier.js';
import { problemFormatsOf } from './problems/formats.js';
import { Problem, problemOf } from './problems/problems.js';
import { BodyReader } from './request/bodies.js';
import { ORIGIN_SETTINGS, type OriginSettings } from './request/origins.js';
import { contextOf } from './response/request-context.js';
import { sendProblem, sendText } from './response/sending.js';
import type { RouteContext } from './route/context.js';
import { Idempotency } from './route/idempotency.js';
import { bodyOf } from './route/remaking.js';
import { type RouteGroup, servedRoutes } from './route/routing.js';
import { entrance, type HttpMetrics } from './server/entrance.js';
import { Load, shedding, shedReport } from './server/overload.js';
import { UnreadResponses } from './server/unread-responses.js';

export interface ExpressAppOptions {
  readonly groups: readonly RouteGroup[];
  readonly app: Pick<RouteContext, 'streams' | 'vault' | 'serviceKey' | 'personKeys' | 'opaque'>;
  readonly guard: Guard;
  readonly health: Health;
  /** The page of the job queues, if there are queues in Redis. */
  readonly board: Board | undefined;
  /** The web client, if the service serves it. */
  readonly webClient: WebClient | undefined;
  readonly log: Log;
  readonly metrics: HttpMetrics;
  /** The limits of the auth routes; undefined if they have none. */
  readonly limits: RequestLimits | undefined;
  /** The proxies whose X-Forwarded-For, -Proto and -Host are trusted: addresses, networks, and the word loopback. */
  readonly trustedProxies: readonly string[];
  readonly origins: OriginSettings;
}

/** The prefixes whose unknown paths are rate limited, too. */
const SIGN_IN_PREFIXES = ['/auth-service', '/api'];

/** Returns the application. */
export const createExpressApp = (options: ExpressAppOptions): Express => {
  const { guard, health, board, webClient, limits, log } = options;
  const { opaque } = options.app;
  const groups = [...options.groups, { routes: health.probes, prefixes: [''] }];
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.enable('case sensitive routing');
  app.set('trust proxy', options.trustedProxies);
  app.set(ORIGIN_SETTINGS, options.origins);
  // Responses under these prefixes contain tokens next to client input, so their compressed length could reveal the
  // tokens (BREACH).
  const entered = { uncompressed: SIGN_IN_PREFIXES, problemsAt: problemFormatsOf(groups) };
  app.use(entrance({ ...options, ...guard, ...options.origins, ...entered }));
  const load = new Load();
  const exemptPaths = health.probes.map(({ path }) => path);
  app.use(shedding({ load, unread: new UnreadResponses(load), exemptPaths }));
  const idempotency = new Idempotency(options.app, (made, walker) => bodyOf({ ...options.app, walker }, made));
  const bodies = new BodyReader(load);
  app.use(servedRoutes(groups, { idempotency, guard, limits, bodies, opaque }));
  if (limits !== undefined) app.use(SIGN_IN_PREFIXES, limits.ofAddress('other'));
  app.use(atOurPace, writtenByExpress);
  app.use(homeRouter({ status: health.status, callers: guard.callers, webClient }));
  if (board !== undefined) {
    app.use(board.path, gateAt(board.who, guard, bodies), board.router);
    if (webClient !== undefined) app.use(board.path, leadToSignIn(board.path));
  }
  if (webClient !== undefined) app.use(webClient.router);
  app.use(docsRouter(() => openApiOf(groups, guard.callers)));
  app.use(verifierRouter());
  app.use(() => {
    throw new Problem('route-not-found');
  });
  app.use(failed(log, shedReport(options.metrics, log)));
  return app;
};

const atOurPace: RequestHandler = async (_request, _response, next) => {
  await pace.goOn();
  next();
};

// From here on, Express and libraries write the responses. Express also sends JSON and rendered pages with `send`.
const writtenByExpress: RequestHandler = (_, response, next) => {
  contextOf(response).head.set();
  const { send } = response;
  response.send = (body) => {
    if (typeof body !== 'string') return send.call(response, body);
    if (response.get('Content-Type') === undefined) response.type('html');
    sendText(response, response.statusCode, [], body)?.catch(next);
    return response;
  };
  next();
};

/** Logs a failure that an operator should know about. Only a failure that nobody expects has a stack. */
const logFault = (log: Log, error: unknown, requestId: string): void => {
  const { status, code } = problemOf(error);
  if (status < 500) return;
  if (code === 'internal-error') log.error({ err: error, requestId }, 'a request failed');
  else log.warn({ requestId, code, ...causeOf(error) }, 'a request was rejected; its client may retry');
};

const causeOf = (error: unknown): object => {
  const cause = error instanceof Error && error.cause instanceof StoreUnavailable ? error.cause : error;
  if (cause instanceof StoreUnavailable) return { err: cause };
  return error instanceof Problem ? {} : { reason: messageOf(error) };
};

const failed =
  (log: Log, onShed: () => void): ErrorRequestHandler =>
  (error, _request, response, _next) => {
    const problem = problemOf(error);
    const { requestId } = contextOf(response);
    if (error instanceof Overloaded) onShed();
    else logFault(log, error, requestId);
    if (!response.headersSent) return sendProblem(response, problem);
    response.destroy();
    return undefined;
  };
