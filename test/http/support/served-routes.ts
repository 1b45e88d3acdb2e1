// Serves routes without the rest of the service.
import express, { type ErrorRequestHandler, type Request, type RequestHandler, type Response } from 'express';
import type { Callers } from '../../../src/http/access/access.js';
import { problemJson } from '../../../src/http/problems/formats.js';
import { Problem, problemOf } from '../../../src/http/problems/problems.js';
import { ORIGIN_SETTINGS } from '../../../src/http/request/origins.js';
import { sendProblem } from '../../../src/http/response/sending.js';
import type { HandlerServices } from '../../../src/http/route/handler.js';
import { type RouteGroup, servedRoutes } from '../../../src/http/route/routing.js';
import { type EntranceOptions, entrance } from '../../../src/http/server/entrance.js';
import { listen } from '../../../src/http/server/server.js';
import { quiet } from '../../projections/support/replay.js';

/** Starts a server behind the entrance, with these handlers after it. */
export const serveBehindEntrance = async (options: Partial<EntranceOptions>, handlers: readonly RequestHandler[]) => {
  const { corsOrigins = [] } = options;
  const app = express().disable('x-powered-by').set(ORIGIN_SETTINGS, { publicUrl: undefined, corsOrigins });
  const metrics = { responded: () => undefined, shed: () => undefined };
  const usual = { log: quiet, metrics, callers: 'open', uncompressed: [], problemsAt: () => problemJson } as const;
  app.use(entrance({ ...usual, corsOrigins, ...options }), ...handlers);
  app.use((_request: Request, response: Response) => sendProblem(response, new Problem('route-not-found')));
  app.use(((error, _request, response, _next) => sendProblem(response, problemOf(error))) as ErrorRequestHandler);
  const { url, close } = await listen(app, '127.0.0.1', 0);
  return { url, close: () => close(0) };
};

/** Starts a server of these routes. `services` are those that the routes need. */
export const serve = (
  group: Partial<RouteGroup> & Pick<RouteGroup, 'routes'>,
  services: Partial<HandlerServices> = {},
  callers: Callers = 'open',
) => {
  const routes = servedRoutes([{ prefixes: [''], ...group }], { guard: { callers }, ...services } as HandlerServices);
  return serveBehindEntrance({ callers }, [routes]);
};
