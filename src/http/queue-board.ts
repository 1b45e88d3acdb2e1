// Bull Board at /admin/queues: the job queues, for whoever operates the service. It loads nothing from elsewhere.
import { createBullBoard } from '@bull-board/api';
import type { BaseAdapter } from '@bull-board/api/baseAdapter';
import { ExpressAdapter } from '@bull-board/express';
import express, { type ErrorRequestHandler, type RequestHandler, type Router } from 'express';
import { siteOf } from './origins.js';
import { Problem } from './problems.js';

/** Where it is served. */
export const BOARD_PATH = '/admin/queues';

/** What it is made from. */
export interface BoardOptions {
  readonly queues: readonly BaseAdapter[];
  /** Rejects with `StoreUnavailable` while the queues cannot answer. */
  readonly reachable: () => Promise<void>;
}

/** What an operator may do to the jobs that there are. Jobs are made, and their data said, by the service alone. */
const ALLOWED: readonly string[] = [
  '/api/queues/:queueName/:jobId/retry',
  '/api/queues/:queueName/retry/:queueStatus',
  '/api/queues/:queueName/:jobId/promote',
  '/api/queues/:queueName/promote',
  '/api/queues/:queueName/:jobId/clean',
  '/api/queues/:queueName/clean/:queueStatus',
  '/api/queues/:queueName/pause',
  '/api/queues/:queueName/resume',
  '/api/queues/pause',
  '/api/queues/resume',
];

/** The board, to be mounted at `BOARD_PATH`. */
export const boardRouter = ({ queues, reachable }: BoardOptions): Router => {
  const adapter = new ProblemAdapter();
  adapter.setBasePath(BOARD_PATH);
  const before = ({ method, route }: { method: string; route: string }) =>
    method === 'get' || ALLOWED.includes(route)
      ? ({ allow: true } as const)
      : ({ allow: false, status: 403, message: 'The service alone makes and changes jobs.' } as const);
  createBullBoard({
    queues: [...queues],
    serverAdapter: adapter,
    options: { handlerHooks: { before }, uiConfig: { boardTitle: 'Clinical protocols: queues' } },
  });
  const board = adapter.getRouter();
  board.disable('x-powered-by');

  const router = express.Router();
  router.use(named, policy, sameOriginOnly);
  router.use((request, _, next) => (request.path.startsWith('/static/') ? next() : reachable().then(next, next)));
  router.use(board);
  router.use(whereUnreachable(reachable));
  return router;
};

// Bull Board's own answer to what was thrown would tell its text to the client.
class ProblemAdapter extends ExpressAdapter {
  override setErrorHandler(): this {
    return super.setErrorHandler((error) => {
      throw error;
    });
  }
}

const named: RequestHandler = (_, response, next) => {
  response.locals['route'] = BOARD_PATH;
  next();
};

// Its page names a font of another site, which this leaves out, and sets styles in its elements.
const policy: RequestHandler = (_, response, next) => {
  response.setHeader(
    'Content-Security-Policy',
    "default-src 'none'; script-src 'self'; worker-src 'self'; style-src 'self' 'unsafe-inline'; font-src 'self'; " +
      "img-src 'self' data:; connect-src 'self'; base-uri 'self'; form-action 'none'; frame-ancestors 'none'",
  );
  next();
};

// A page of another site must not make a browser change a queue: what changes something says where it comes from.
const sameOriginOnly: RequestHandler = (request, _, next) => {
  const isSafe = ['GET', 'HEAD', 'OPTIONS'].includes(request.method);
  if (!isSafe && siteOf(request) !== 'own') throw new Problem('cross-site-request');
  next();
};

// What failed in the middle of an answer is told as what it is where the queues are gone.
const whereUnreachable =
  (reachable: BoardOptions['reachable']): ErrorRequestHandler =>
  (error, _request, _response, next) => {
    reachable().then(() => next(error), next);
  };
