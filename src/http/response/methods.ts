// The HTTP methods of a path, and the responses to methods that the path does not support.
import type { Request, RequestHandler, Response, Router } from 'express';
import { Problem } from '../problems/problems.js';
import { contextOf, noteRoute } from './request-context.js';

/** Handles a request. */
export type Handle = (request: Request, response: Response) => void | Promise<void>;

/** Returns whether a method is safe (RFC 9110, 9.2.1), so that its requests change nothing. */
export const isSafe = (method: string): boolean => ['GET', 'HEAD', 'OPTIONS'].includes(method);

/**
 * Returns the handler of all methods except `methods`. It responds to OPTIONS with Allow, and rejects the others with
 * 405.
 */
export const otherMethods = (methods: readonly string[]): Handle => {
  const allow = [...methods, 'OPTIONS'].join(', ');
  return (request, response) => {
    if (request.method !== 'OPTIONS') throw new Problem('method-not-allowed', { headers: { Allow: allow } });
    contextOf(response).head.write(204, ['Allow', allow]).end();
  };
};

/** Serves a page at a path that supports only GET. */
export const servePage = (router: Router, path: string, handle: RequestHandler): void => {
  router
    .route(path)
    .all(noteRoute(path))
    .get(handle)
    .all(otherMethods(['GET', 'HEAD']));
};
