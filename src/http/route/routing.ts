// Serves routes. Express matches the path of a request, and the method selects the handler.
import express, { type RequestHandler, type Router } from 'express';
import type { ProblemFormat } from '../problems/formats.js';
import { type Handle, otherMethods } from '../response/methods.js';
import { contextOf } from '../response/request-context.js';
import { type HandlerServices, handlerOf } from './handler.js';
import { expressPath, has, type Route } from './route.js';

/** Routes that share the prefixes of their paths. The empty prefix leaves a path unchanged. */
export interface RouteGroup {
  readonly routes: readonly Route[];
  readonly prefixes: readonly string[];
  /** How problems are written at every path below the prefixes. Default: application/problem+json. */
  readonly problems?: ProblemFormat;
  /** The media types that bodies may have. All of them are JSON. Default: application/json. */
  readonly bodyTypes?: readonly string[];
}

/**
 * Returns a handler that serves routes and passes on requests to other paths. Express tries the patterns of a router
 * one after another, so the routes with the same prefix and first segment have their own router.
 */
export const servedRoutes = (groups: readonly RouteGroup[], services: HandlerServices): RequestHandler => {
  const routers = new Map<string, Router>();
  const named = groups.flatMap(({ prefixes }) => prefixes.filter((prefix) => prefix !== ''));
  const beginning = new RegExp(`^(${named.join('|')})?/[^/]*`);
  const beginningOf = (path: string): string => beginning.exec(path)?.[0] ?? '';

  const serve = (path: string, { routes, bodyTypes = services.bodyTypes }: RouteGroup, prefix: string): void => {
    const atPath = routes.filter((route) => expressPath(route) === path);
    const handle = handleAt(atPath, { ...services, bodyTypes });
    const start = beginningOf(prefix + path);
    // A proxy that blocks /metrics must not have to block /metrics/ as well.
    const strict = atPath.some((route) => has(route, 'probe'));
    const router = routers.get(start) ?? express.Router({ caseSensitive: true, strict });
    routers.set(start, router);
    router.all(prefix + path, (request, response) => {
      Object.assign(contextOf(response), { prefix, route: atPath[0]?.path });
      return handle(request, response);
    });
  };
  for (const group of groups) {
    for (const path of new Set(group.routes.map(expressPath))) {
      for (const prefix of group.prefixes) serve(path, group, prefix);
    }
  }
  return (request, response, next) => {
    const router = routers.get(beginningOf(request.path));
    if (router === undefined) next();
    else router(request, response, next);
  };
};

/** Returns the handler of all methods at a path. */
const handleAt = (atPath: readonly Route[], services: HandlerServices): Handle => {
  const handlers = new Map(atPath.map((route) => [route.method.toUpperCase(), handlerOf(route, services)]));
  const get = handlers.get('GET');
  // A GET that sends a message is not safe, so HEAD must not stand for it (RFC 9110, 9.2.1).
  if (get !== undefined && !atPath.some((route) => has(route, 'message'))) handlers.set('HEAD', get);
  const other = otherMethods([...handlers.keys()]);
  const handle: Handle = (request, response) => (handlers.get(request.method) ?? other)(request, response);
  return countedByAddress(atPath, services, handle);
};

// Requests with unsupported methods count, too.
const countedByAddress = (atPath: readonly Route[], { limits }: HandlerServices, handle: Handle): Handle => {
  const rates = new Set(atPath.flatMap(({ access }) => access.rate ?? []));
  if (limits === undefined || rates.size === 0) return handle;
  return async (request, response) => {
    for (const rate of rates) await limits.countAddress(rate, request, response);
    return handle(request, response);
  };
};
