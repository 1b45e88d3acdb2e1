// The methods of an address: what it answers to those that it does not take.
import type { Request, RequestHandler, Response, Router } from 'express';
import { Problem } from './problems.js';
import { contextOf, noteRoute } from './request-context.js';

/** Answers a request. */
export type Handle = (request: Request, response: Response) => void | Promise<void>;

/** Returns whether a method is safe (RFC 9110, 9.2.1): a request by it changes nothing. */
export const isSafe = (method: string): boolean => ['GET', 'HEAD', 'OPTIONS'].includes(method);

/** Answers OPTIONS with what the address takes, and refuses every other method but `methods`, which come before it. */
export const otherMethods = (methods: readonly string[]): Handle => {
  const taken = methods.map((method) => method.toUpperCase());
  const allow = [...taken, ...(taken.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].join(', ');
  return (request, response) => {
    if (request.method !== 'OPTIONS') throw new Problem('method-not-allowed', { headers: { Allow: allow } });
    contextOf(response).head.write(204, ['Allow', allow]).end();
  };
};

/** Serves a page at a path, which takes GET alone. */
export const servePage = (router: Router, path: string, handle: RequestHandler): void => {
  router
    .route(path)
    .all(noteRoute(path))
    .get(handle)
    .all(otherMethods(['get']));
};
