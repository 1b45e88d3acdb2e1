// Serves routes: finds the route of a request by its path and method, and runs the handler of the route.
import type { RequestHandler } from 'express';
import { countsAddresses } from '../edge/rate-limits.js';
import { Addresses } from './addresses.js';
import { type HandlerServices, handlerOf } from './handler.js';
import { type Handle, otherMethods } from './methods.js';
import { contextOf } from './request-context.js';
import { type Route, takesRest } from './route.js';

/** Routes that are served together, and the prefixes of their paths; the empty prefix leaves a path as it is. */
export interface RouteGroup {
  readonly routes: readonly Route[];
  readonly prefixes: readonly string[];
}

interface Served {
  readonly prefix: string;
  /** The path without the prefix, as OpenAPI shows it. */
  readonly route: string;
  readonly handle: Handle;
}

/** Returns a handler that serves routes, and lets pass the requests to other paths. */
export const servedRoutes = (groups: readonly RouteGroup[], services: HandlerServices): RequestHandler => {
  const addresses = new Addresses<Served>();
  for (const { routes, prefixes } of groups) {
    for (const route of new Set(routes.map(({ path }) => path))) {
      const here = routes.filter(({ path }) => path === route);
      const handle = handleAt(here, services);
      for (const prefix of prefixes) addresses.add(prefix + route, { prefix, route, handle }, here.some(takesRest));
    }
  }
  return (request, response, next) => {
    const found = addresses.find(request.path);
    if (found === undefined) return next();
    const { prefix, route, handle } = found.value;
    request.params = found.params;
    Object.assign(contextOf(response), { prefix, route });
    return handle(request, response);
  };
};

/** Returns the handler of all methods at a path. */
const handleAt = (here: readonly Route[], services: HandlerServices): Handle => {
  const handlers = new Map(here.map((route) => [route.method.toUpperCase(), handlerOf(route, services)]));
  const get = handlers.get('GET');
  if (get !== undefined) handlers.set('HEAD', get);
  const other = otherMethods(here.map(({ method }) => method));
  const handle: Handle = (request, response) => (handlers.get(request.method) ?? other)(request, response);
  return countedByAddress(here, services, handle);
};

// Every method at a path counts, also the methods that it does not take.
const countedByAddress = (here: readonly Route[], { limits }: HandlerServices, handle: Handle): Handle => {
  const rates = [...new Set(here.map(({ access }) => access.rate))].filter(countsAddresses);
  if (limits === undefined || rates.length === 0) return handle;
  return async (request, response) => {
    for (const rate of rates) await limits.countAddress(rate, request, response);
    return handle(request, response);
  };
};
