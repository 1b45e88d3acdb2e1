// Serves routes. Express matches the path of a request, and the method selects the handler.
import express, { type RequestHandler, type Router } from 'express';
import { countsAddresses } from '../access/rate-limits.js';
import { type Handle, otherMethods } from '../response/methods.js';
import { contextOf } from '../response/request-context.js';
import { type HandlerServices, handlerOf } from './handler.js';
import { expressPath, type Route } from './route.js';

/** Routes that share the prefixes of their paths. The empty prefix leaves a path unchanged. */
export interface RouteGroup {
  readonly routes: readonly Route[];
  readonly prefixes: readonly string[];
}

/**
 * Returns a handler that serves routes and passes on requests to other paths. Express tries the patterns of a router
 * one after another, so the routes with the same start of their paths have their own router.
 */
export const servedRoutes = (groups: readonly RouteGroup[], services: HandlerServices): RequestHandler => {
  const routers = new Map<string, Router>();
  const beginningOf = beginningsAfter(groups.flatMap(({ prefixes }) => prefixes));
  for (const { routes, prefixes } of groups) {
    for (const [route, pathRoutes] of byPath(routes)) {
      const handle = handleAt(pathRoutes, services);
      for (const prefix of prefixes) {
        const beginning = beginningOf(prefix + route);
        const router = routers.get(beginning) ?? express.Router({ caseSensitive: true });
        routers.set(beginning, router);
        router.all(prefix + expressPath(pathRoutes[0]), (request, response) => {
          Object.assign(contextOf(response), { prefix, route });
          return handle(request, response);
        });
      }
    }
  }
  return (request, response, next) => {
    const router = routers.get(beginningOf(request.path));
    if (router === undefined) next();
    else router(request, response, next);
  };
};

type SamePath = readonly [Route, ...Route[]];

const byPath = (routes: readonly Route[]): ReadonlyMap<string, SamePath> => {
  const paths = new Map<string, SamePath>();
  for (const route of routes) {
    const before = paths.get(route.path);
    paths.set(route.path, before === undefined ? [route] : [...before, route]);
  }
  return paths;
};

/**
 * Returns a function that returns the start of a path: the prefix, if the path has one, and the first segment after it.
 */
const beginningsAfter = (prefixes: readonly string[]) => {
  const named = prefixes.filter((prefix) => prefix !== '');
  return (path: string): string => {
    const prefix = named.find((each) => path.startsWith(`${each}/`)) ?? '';
    const end = path.indexOf('/', prefix.length + 1);
    return end < 0 ? path : path.slice(0, end);
  };
};

/** Returns the handler of all methods at a path. */
const handleAt = (pathRoutes: readonly Route[], services: HandlerServices): Handle => {
  const handlers = new Map(pathRoutes.map((route) => [route.method.toUpperCase(), handlerOf(route, services)]));
  const get = handlers.get('GET');
  if (get !== undefined) handlers.set('HEAD', get);
  const other = otherMethods(pathRoutes.map(({ method }) => method));
  const handle: Handle = (request, response) => (handlers.get(request.method) ?? other)(request, response);
  return countedByAddress(pathRoutes, services, handle);
};

// Requests with unsupported methods count, too.
const countedByAddress = (pathRoutes: readonly Route[], { limits }: HandlerServices, handle: Handle): Handle => {
  const rates = [...new Set(pathRoutes.map(({ access }) => access.rate))].filter(countsAddresses);
  if (limits === undefined || rates.length === 0) return handle;
  return async (request, response) => {
    for (const rate of rates) await limits.countAddress(rate, request, response);
    return handle(request, response);
  };
};
