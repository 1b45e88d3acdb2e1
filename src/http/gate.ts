// What is asked of a request before it is read: who bears its token, and whether its site may call the route.
import type { Request } from 'express';
import type { Bearer } from '../auth/tokens.js';
import { tokenIn } from './client.js';
import { readCookies, signInCookies } from './cookies.js';
import { siteOf } from './origins.js';
import { Problem } from './problems.js';
import type { Route } from './route.js';

/** Says who bears an access token; undefined where it does not hold. */
export type Authenticate = (token: string) => Promise<Bearer | undefined>;

/** Who bears the token of a request, undefined where it has none. Rejects where it may not pass. */
export const passed = async (route: Route, request: Request, bearerOf: Authenticate): Promise<Bearer | undefined> => {
  const bearer = await whoBears(route, request, bearerOf);
  refuseOtherSites(route, request);
  return bearer;
};

const whoBears = async ({ token }: Route, { headers }: Request, bearerOf: Authenticate) => {
  const sent = token === 'ignored' ? undefined : tokenIn(headers.authorization);
  if (sent === undefined) {
    if (token === 'required') throw new Problem('sign-in-required', { headers: { 'WWW-Authenticate': 'Bearer' } });
    return undefined;
  }
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
