// Bull Board at /admin/queues, which shows the job queues to operators. It loads nothing from other sites.
import { createBullBoard } from '@bull-board/api';
import type { BaseAdapter } from '@bull-board/api/baseAdapter';
import { ExpressAdapter } from '@bull-board/express';
import express, { type ErrorRequestHandler, type RequestHandler, type Router } from 'express';
import type { CommandHandler } from '../../commands/handle-command.js';
import { AUDIT_LOG_ID, auditLog } from '../../domain/audit-log.js';
import { administrators } from '../access/access.js';
import { Problem } from '../problems/problems.js';
import { siteOf } from '../request/origins.js';
import { isSafe } from '../response/methods.js';
import { contextOf, noteRoute } from '../response/request-context.js';
import { contextBy } from '../route/handler.js';
import { contentPolicy } from './html.js';

export const BOARD = { path: '/admin/queues', who: { ...administrators, acceptsCookie: true } } as const;

/** The board to mount at its path, behind the gate of its rule. */
export type Board = typeof BOARD & { readonly router: Router };

export interface BoardOptions {
  readonly queues: readonly BaseAdapter[];
  /** Rejects with `StoreUnavailable` while the queues are unavailable. */
  readonly reachable: () => Promise<void>;
  readonly handle: CommandHandler;
}

/** The actions on a failed job, and the commands that record them. Everything else on the page only reads. */
const ACTIONS = { retry: 'RecordRetryOfFailedJob', clean: 'RecordRemovalOfFailedJob' } as const;

export const queueBoard = ({ queues, reachable, handle }: BoardOptions): Board => {
  const adapter = new ProblemAdapter();
  adapter.setBasePath(BOARD.path);
  const options = { uiConfig: { boardTitle: 'Job queues' } };
  createBullBoard({ queues: [...queues], serverAdapter: adapter, options });
  const board = adapter.getRouter();
  board.disable('x-powered-by');

  const router = express.Router();
  router.use(noteRoute(BOARD.path), contentPolicy(POLICY), sameOriginOnly, withoutFont);
  router.use((request, _, next) => (request.path.startsWith('/static/') ? next() : reachable().then(next, next)));
  router.use(recordedActions(queues, handle));
  router.use(board);
  router.use(whereUnreachable(reachable));
  return { ...BOARD, router };
};

/** Passes on what only reads, and an action on a failed job once it is recorded. Refuses everything else. */
const recordedActions = (queues: readonly BaseAdapter[], handle: CommandHandler): Router => {
  const router = express.Router();
  const entries = Object.entries(ACTIONS) as [keyof typeof ACTIONS, (typeof ACTIONS)[keyof typeof ACTIONS]][];
  for (const [action, type] of entries) {
    router.put(`/api/queues/:queueName/:jobId/${action}`, async ({ params }, response, next) => {
      const { queueName, jobId } = params;
      const queue = queues.find((each) => each.getName() === queueName);
      const job = await queue?.getJob(jobId);
      if (queue === undefined || (await job?.getState()) !== 'failed') return next();
      const data = { queue: queue.getDisplayName() || queueName, jobId };
      await handle(auditLog, AUDIT_LOG_ID, { type, data }, contextBy(response, contextOf(response).bearer));
      next('router');
    });
  }
  const error = 'This page only retries or removes single failed jobs.';
  router.use(({ method }, response, next) => (isSafe(method) ? next() : void response.status(403).json({ error })));
  return router;
};

// Bull Board's own error handler would send the text of an error to the client.
class ProblemAdapter extends ExpressAdapter {
  override setErrorHandler(): this {
    return super.setErrorHandler((error) => {
      throw error;
    });
  }
}

// The page sets inline styles.
const POLICY =
  "default-src 'none'; script-src 'self'; worker-src 'self'; style-src 'self' 'unsafe-inline'; font-src 'self'; " +
  "img-src 'self' data:; connect-src 'self'; base-uri 'self'; form-action 'none'; frame-ancestors 'none'";

// The page refers to a font of another site. In JSON, quotes are escaped, so nothing there matches.
const FONT = /<link href="https:[^>]*>/;
const withoutFont: RequestHandler = (_, response, next) => {
  const send = response.send.bind(response);
  response.send = (body) => send(typeof body === 'string' ? body.replace(FONT, '') : body);
  next();
};

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
