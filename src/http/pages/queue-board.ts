// Bull Board at /admin/queues, which shows the job queues to operators. It loads nothing from other sites.
import { createBullBoard } from '@bull-board/api';
import type { BaseAdapter } from '@bull-board/api/baseAdapter';
import { ExpressAdapter } from '@bull-board/express';
import express, { type ErrorRequestHandler, type RequestHandler, type Router } from 'express';
import { administrators } from '../access/access.js';
import { Problem } from '../problems/problems.js';
import { siteOf } from '../request/origins.js';
import { isSafe } from '../response/methods.js';
import { noteRoute } from '../response/request-context.js';
import { contentPolicy } from './html.js';

/** The path of the board, and the callers who may open it. */
export const BOARD = { path: '/admin/queues', who: { ...administrators, acceptsCookie: true } } as const;

/** The board to mount at its path, behind the gate of its rule. */
export type Board = typeof BOARD & { readonly router: Router };

/** The options of the board. */
export interface BoardOptions {
  readonly queues: readonly BaseAdapter[];
  /** Rejects with `StoreUnavailable` while the queues are unavailable. */
  readonly reachable: () => Promise<void>;
}

/** The actions of operators on existing jobs. Only the service creates jobs and changes their data. */
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

/** Returns the board for these queues. */
export const queueBoard = ({ queues, reachable }: BoardOptions): Board => {
  const adapter = new ProblemAdapter();
  adapter.setBasePath(BOARD.path);
  const before = ({ method, route }: { method: string; route: string }) =>
    method === 'get' || ALLOWED.includes(route)
      ? ({ allow: true } as const)
      : ({ allow: false, status: 403, message: 'Only the service creates and changes jobs.' } as const);
  createBullBoard({
    queues: [...queues],
    serverAdapter: adapter,
    options: { handlerHooks: { before }, uiConfig: { boardTitle: 'Clinical protocols: queues' } },
  });
  const board = adapter.getRouter();
  board.disable('x-powered-by');

  const router = express.Router();
  router.use(noteRoute(BOARD.path), contentPolicy(POLICY), sameOriginOnly);
  router.use((request, _, next) => (request.path.startsWith('/static/') ? next() : reachable().then(next, next)));
  router.use(board);
  router.use(whereUnreachable(reachable));
  return { ...BOARD, router };
};

// Bull Board's own error handler would send the text of an error to the client.
class ProblemAdapter extends ExpressAdapter {
  override setErrorHandler(): this {
    return super.setErrorHandler((error) => {
      throw error;
    });
  }
}

// The page refers to a font of another site, which this policy blocks, and sets inline styles.
const POLICY =
  "default-src 'none'; script-src 'self'; worker-src 'self'; style-src 'self' 'unsafe-inline'; font-src 'self'; " +
  "img-src 'self' data:; connect-src 'self'; base-uri 'self'; form-action 'none'; frame-ancestors 'none'";

// Pages of other sites must not make a browser change a queue, so a change must come from the same site.
const sameOriginOnly: RequestHandler = (request, _, next) => {
  if (!isSafe(request.method) && siteOf(request) !== 'own') throw new Problem('cross-site-request');
  next();
};

// If the queues are unavailable, reports that instead of the resulting error.
const whereUnreachable =
  (reachable: BoardOptions['reachable']): ErrorRequestHandler =>
  (error, _request, _response, next) => {
    reachable().then(() => next(error), next);
  };
