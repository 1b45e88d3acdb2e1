// What is asked of a request before it is read: who bears its token, whether they may call the route, and whether its site may.
import type { Request, RequestHandler, Response } from 'express';
import type { Bearer } from '../../auth/tokens/access-tokens.js';
import { StoreUnavailable } from '../../infrastructure/errors.js';
import { tokenIn } from '../edge/client.js';
import { readCookies, signInCookies } from '../edge/cookies.js';
import { siteOf } from '../edge/origins.js';
import {
  asksForToken,
  type Callers,
  isAdministrator,
  type Rule,
  refuseOldSignIn,
  refuseUnlessAllowed,
} from './access.js';
import { isSafe } from './methods.js';
import { Problem } from './problems.js';
import { contextOf } from './request-context.js';
import type { Route } from './route.js';

/** What the guard decides with. Its functions reject with `StoreUnavailable` while a store that they read is away. */
export interface Guard {
  readonly callers: Callers;
  /** Returns who bears an access token; undefined if it does not hold. Hears within 5 s of what other processes end. */
  readonly bearerOf: (token: string) => Promise<Bearer | undefined>;
  /** Returns the same as of now, with the roles that the bearer has now. */
  readonly bearerNow: (token: string) => Promise<Bearer | undefined>;
  /** Returns the user of a session; undefined if no session has this id. */
  readonly holderOf: (sessionId: string) => Promise<string | undefined>;
}

/**
 * Returns the bearer of the token; undefined if there is none. Throws, or rejects, if the request may not pass to the route.
 * Only a token takes time.
 */
export const passGate = (
  route: Route,
  response: Response,
  guard: Guard,
): Bearer | undefined | Promise<Bearer | undefined> => {
  const token = tokenFor(route.access.who, response.req);
  if (token !== undefined) return passWith(token, route, { response, guard });
  refuseNobody(route.access.who, guard);
  refuseOtherSites(route, response.req);
  return undefined;
};

const passWith = async (token: string, route: Route, { response, guard }: Passing): Promise<Bearer> => {
  const { who } = route.access;
  const bearer = await admitted(token, who, { response, guard });
  if (asksForToken(who, guard.callers)) refuseOldSignIn(route.access, bearer);
  refuseOtherSites(route, response.req);
  return bearer;
};

interface Passing {
  readonly response: Response;
  readonly guard: Guard;
}

/** Returns the gate before a page that is outside the routes. */
export const gateAt =
  (rule: Rule, guard: Guard): RequestHandler =>
  async (request, response, next) => {
    const token = tokenFor(rule, request);
    if (token === undefined) refuseNobody(rule, guard);
    else await admitted(token, rule, { response, guard });
    next();
  };

/**
 * Resolves to whether the sender of a request to a page for everybody may see what administrators see. A bad token is
 * refused nothing, and while no token can be looked at, nobody is an administrator.
 */
export const seesAll = async ({ headers }: Request, { callers, bearerOf }: Guard): Promise<boolean> => {
  const token = tokenIn(headers.authorization);
  if (callers === 'open' || token === undefined) return callers === 'open';
  try {
    return isAdministrator(callers, await bearerOf(token));
  } catch (error) {
    if (error instanceof StoreUnavailable) return false;
    throw error;
  }
};

const refuseNobody = (rule: Rule, { callers }: Guard): void => {
  if (asksForToken(rule, callers)) throw new Problem('sign-in-required');
};

const admitted = async (token: string, rule: Rule, { response, guard }: Passing): Promise<Bearer> => {
  const { req: request } = response;
  // A role that was lost may do nothing more, so whatever may write is judged by what the caller may do now.
  const bearer = await (isSafe(request.method) ? guard.bearerOf(token) : guard.bearerNow(token));
  if (bearer === undefined) {
    throw new Problem('token-refused', { headers: { 'WWW-Authenticate': 'Bearer error="invalid_token"' } });
  }
  // For the access log: who was refused is known as well as who was let in.
  contextOf(response).userId = bearer.userId;
  if (!asksForToken(rule, guard.callers)) return bearer;
  const id = String(request.params['id'] ?? '').toLowerCase();
  await refuseUnlessAllowed(rule, bearer, { id, holder: () => guard.holderOf(id) });
  return bearer;
};

/** Returns the token that a rule looks at. */
const tokenFor = ({ token, takesCookie }: Rule, { headers }: Request): string | undefined => {
  if (token === 'unread') return undefined;
  const cookie = takesCookie ? readCookies(headers.cookie).get(signInCookies.token) : undefined;
  return tokenIn(headers.authorization) ?? cookie;
};

// The page of another site must not make a browser use, or change, the cookies that it has of this one; a listed origin
// is trusted with them. A request that names neither its site nor its origin is sent by no browser: on a POST, each
// browser sends at least one of the two (Fetch, "append a request Origin header").
const refuseOtherSites = ({ usesCookies }: Route, request: Request): void => {
  if (usesCookies && siteOf(request) === 'other') throw new Problem('cross-site-request');
};
