// What is asked of a request before it is read: who bears its token, whether they may call the route, and whether its site may.
import type { Request, RequestHandler, Response } from 'express';
import type { Bearer } from '../auth/tokens.js';
import { tokenIn } from './client.js';
import { readCookies, signInCookies } from './cookies.js';
import { siteOf } from './origins.js';
import { asksForToken, type Callers, type Rule, refuseUnlessAllowed, ruleOf } from './policy.js';
import { Problem } from './problems.js';
import type { Route } from './route.js';

/** What the guard goes by. Both reject with `StoreUnavailable` while the sessions cannot be looked at. */
export interface Guard {
  readonly callers: Callers;
  /** Who bears an access token; undefined where it does not hold. */
  readonly bearerOf: (token: string) => Promise<Bearer | undefined>;
  /** Whose a session is; undefined where there is none with this id. */
  readonly holderOf: (sessionId: string) => Promise<string | undefined>;
}

/** Who bears the token of a request, undefined where it has none. Rejects where it may not pass. */
export type Pass = (request: Request, response: Response) => Promise<Bearer | undefined>;

/** The gate before a route. Throws where the policy has no rule for it. */
export const gateOf = (route: Route, guard: Guard): Pass => {
  const rule = ruleOf(route);
  return async (request, response) => {
    const bearer = await admitted(rule, { request, response }, guard);
    refuseOtherSites(route, request);
    return bearer;
  };
};

/** The gate before an address that is none of the routes: the pages and answers for operators. */
export const gateAt = (at: Parameters<typeof ruleOf>[0], guard: Guard): RequestHandler => {
  const rule = ruleOf(at);
  return (request, response, next) => {
    admitted(rule, { request, response }, guard).then(() => next(), next);
  };
};

interface Exchange {
  readonly request: Request;
  readonly response: Response;
}

const admitted = async (rule: Rule, { request, response }: Exchange, guard: Guard): Promise<Bearer | undefined> => {
  const bearer = await whoBears(rule, request, guard);
  // For the access log: who was refused is known as well as who was let in.
  response.locals['userId'] = bearer?.userId;
  const isAsked = asksForToken(rule, guard.callers);
  if (bearer === undefined) {
    if (isAsked) throw new Problem('sign-in-required');
    return undefined;
  }
  const id = String(request.params['id'] ?? '').toLowerCase();
  if (isAsked) await refuseUnlessAllowed(rule, bearer, { id, holder: () => guard.holderOf(id) });
  return bearer;
};

const whoBears = async ({ token, takesCookie }: Rule, { headers }: Request, { bearerOf }: Guard) => {
  if (token === 'unread') return undefined;
  const cookie = takesCookie ? readCookies(headers.cookie).get(signInCookies.token) : undefined;
  const sent = tokenIn(headers.authorization) ?? cookie;
  if (sent === undefined) return undefined;
  const bearer = await bearerOf(sent);
  if (bearer !== undefined) return bearer;
  throw new Problem('token-refused', { headers: { 'WWW-Authenticate': 'Bearer error="invalid_token"' } });
};

// The page of another site must not make a browser use, or change, the cookies that it has of this one; a listed origin
// is trusted with them.
const refuseOtherSites = ({ cookies }: Route, request: Request): void => {
  if (cookies === undefined) return;
  const site = siteOf(request);
  const isTrusting =
    cookies === 'trusted' && SIGN_IN_COOKIES.some((name) => readCookies(request.headers.cookie).has(name));
  if (site === 'other' || (site === 'unsaid' && isTrusting)) throw new Problem('cross-site-request');
};
const SIGN_IN_COOKIES = Object.values(signInCookies);
