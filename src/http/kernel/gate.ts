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
  /** Whose a session is; undefined where there is none with this id. */
  readonly holderOf: (sessionId: string) => Promise<string | undefined>;
}

/** Resolves to the bearer of the token; undefined if there is none. Rejects if the request may not pass to the route. */
export const passGate = async (route: Route, response: Response, guard: Guard): Promise<Bearer | undefined> => {
  const { who } = route.access;
  const bearer = await admitted(who, response, guard);
  if (bearer !== undefined && asksForToken(who, guard.callers)) refuseOldSignIn(route.access, bearer);
  refuseOtherSites(route, response.req);
  return bearer;
};

/** Returns the gate before a page that is none of the routes. */
export const gateAt =
  (rule: Rule, guard: Guard): RequestHandler =>
  (_, response, next) => {
    admitted(rule, response, guard).then(() => next(), next);
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

const admitted = async (rule: Rule, response: Response, guard: Guard): Promise<Bearer | undefined> => {
  const bearer = await whoBears(rule, response.req, guard);
  // For the access log: who was refused is known as well as who was let in.
  contextOf(response).userId = bearer?.userId;
  const isAsked = asksForToken(rule, guard.callers);
  if (bearer === undefined) {
    if (isAsked) throw new Problem('sign-in-required');
    return undefined;
  }
  const id = String(response.req.params['id'] ?? '').toLowerCase();
  if (isAsked) await refuseUnlessAllowed(rule, bearer, { id, holder: () => guard.holderOf(id) });
  return bearer;
};

const whoBears = async ({ token, takesCookie }: Rule, { method, headers }: Request, guard: Guard) => {
  if (token === 'unread') return undefined;
  const cookie = takesCookie ? readCookies(headers.cookie).get(signInCookies.token) : undefined;
  const sent = tokenIn(headers.authorization) ?? cookie;
  if (sent === undefined) return undefined;
  // A role that was lost may do nothing more, so whatever may write is judged by what the caller may do now.
  const bearer = await (isSafe(method) ? guard.bearerOf(sent) : guard.bearerNow(sent));
  if (bearer !== undefined) return bearer;
  throw new Problem('token-refused', { headers: { 'WWW-Authenticate': 'Bearer error="invalid_token"' } });
};

// The page of another site must not make a browser use, or change, the cookies that it has of this one; a listed origin
// is trusted with them. A request that names neither its site nor its origin is sent by no browser: on a POST, each
// browser sends at least one of the two (Fetch, "append a request Origin header").
const refuseOtherSites = ({ usesCookies }: Route, request: Request): void => {
  if (usesCookies && siteOf(request) === 'other') throw new Problem('cross-site-request');
};
