// Checks a request: the bearer of the token, the access rule of the route, and the site that sent the request. Checks it
// before its body is read, and again after each wait, because the caller may lose every right in the meantime.
import type { Request, RequestHandler, Response } from 'express';
import type { Bearer } from '../../auth/tokens/access-tokens.js';
import { lastKnown } from '../../infrastructure/async.js';
import { StoreUnavailable } from '../../infrastructure/errors.js';
import { Problem } from '../problems/problems.js';
import { type BodyReader, hasArrived } from '../request/bodies.js';
import { tokenIn } from '../request/client.js';
import { readCookies, signInCookies } from '../request/cookies.js';
import { siteOf } from '../request/origins.js';
import { isSafe } from '../response/methods.js';
import { contextOf } from '../response/request-context.js';
import { type Access, type Callers, type Rule, refuseOldSignIn, refuseUnlessAllowed, requiresToken } from './access.js';

/**
 * The dependencies of access checks. The functions reject with `StoreUnavailable` while a store that they read is
 * unavailable.
 */
export interface Guard {
  readonly callers: Callers;
  /**
   * Returns the bearer of an access token; undefined if the token is invalid or its session ended more than 5 s ago.
   */
  readonly bearerOf: (token: string) => Promise<Bearer | undefined>;
  /**
   * Returns the bearer with the current roles; undefined if the token is invalid or its session has ended.
   * `mayHaveExpired`: a token that was verified before may have expired since.
   */
  readonly currentBearerOf: (token: string, mayHaveExpired?: boolean) => Promise<Bearer | undefined>;
  /** Returns the user of a session; undefined if no session has this id. */
  readonly holderOf: (sessionId: string) => Promise<string | undefined>;
}

export interface Gated {
  readonly access: Pick<Access, 'who' | 'maxAuthAgeS'>;
  readonly usesCookies?: boolean;
}

export class Admission {
  /** The bearer of the token, as of the last check; undefined if the request has no token. */
  bearer: Bearer | undefined;
  readonly #route: Gated;
  readonly #response: Response;
  readonly #guard: Guard;
  #hadArrived = false;

  constructor(route: Gated, response: Response, guard: Guard) {
    this.#route = route;
    this.#response = response;
    this.#guard = guard;
    contextOf(response).admission = this;
  }

  /** Checks the request. Rejects with a `Problem` if the request may not reach the route. */
  async check(): Promise<void> {
    this.bearer = await passGate(this.#route, this.#response, this.#guard);
    this.#hadArrived = hasArrived(this.#response.req);
  }

  /** Checks a request that may write again, unless its body had arrived at the last check. */
  async checkAfterBody(): Promise<void> {
    if (!isSafe(this.#response.req.method) && !this.#hadArrived) await this.check();
  }

  /**
   * Checks a request whose response takes long. The response may outlast the access token and the maximum age of the
   * sign-in, but no session and no role.
   */
  async checkLasting(): Promise<void> {
    const bearerOf = (token: string) => this.#guard.currentBearerOf(token, true);
    const { who } = this.#route.access;
    const guard = { ...this.#guard, bearerOf, currentBearerOf: bearerOf };
    await passGate({ ...this.#route, access: { who } }, this.#response, guard);
  }
}

/**
 * Returns the bearer of the token; undefined if the request has no token. Rejects with a `Problem` if the request may
 * not reach the route.
 */
const passGate = async (route: Gated, response: Response, guard: Guard): Promise<Bearer | undefined> => {
  const { req: request } = response;
  const { who } = route.access;
  const token = tokenFor(who, request);
  if (token !== undefined && who.token === 'if-valid') return bearerIfValid(token, guard);
  const isRequired = requiresToken(who, guard.callers);
  if (token === undefined && isRequired) throw new Problem('sign-in-required');
  const bearer = token === undefined ? undefined : await validBearer(token, response, guard);
  if (bearer !== undefined && isRequired) {
    const id = String(request.params['id'] ?? '').toLowerCase();
    await refuseUnlessAllowed(who, bearer, { id, holder: () => guard.holderOf(id) });
    refuseOldSignIn(route.access, bearer);
  }
  refuseOtherSites(route, request);
  return bearer;
};

const validBearer = async (token: string, response: Response, guard: Guard): Promise<Bearer> => {
  // A revoked role must not write, so a request that may write is checked against the caller's current roles.
  const bearer = await (isSafe(response.req.method) ? guard.bearerOf(token) : guard.currentBearerOf(token));
  if (bearer === undefined) {
    throw new Problem('token-refused', { headers: { 'WWW-Authenticate': 'Bearer error="invalid_token"' } });
  }
  // Set before the access check, so that the access log also names rejected callers.
  contextOf(response).userId = bearer.userId;
  return bearer;
};

const PAGE_BODY_BYTES = 16_384;

/** Returns a handler that applies an access rule to a page outside the routes, whose actions need no body. */
export const gateAt =
  (who: Rule, guard: Guard, bodies: BodyReader): RequestHandler =>
  async (request, response, next) => {
    const admission = new Admission({ access: { who } }, response, guard);
    await admission.check();
    if (!isSafe(request.method)) await bodies.read(request, PAGE_BODY_BYTES);
    await admission.checkAfterBody();
    contextOf(response).bearer = admission.bearer;
    next();
  };

// A probe has to respond while the vault, which has the sessions, is silent.
const TOKEN_DEADLINE_MS = 100;

const bearerIfValid = (token: string, { bearerOf }: Guard): Promise<Bearer | undefined> =>
  lastKnown<Bearer | undefined>(() => bearerOf(token), undefined, { deadlineMs: TOKEN_DEADLINE_MS })().catch(
    (error: unknown) => {
      if (error instanceof StoreUnavailable) return undefined;
      throw error;
    },
  );

const tokenFor = ({ token, acceptsCookie }: Rule, { headers }: Request): string | undefined => {
  if (token === 'ignored') return undefined;
  const cookie = acceptsCookie ? readCookies(headers.cookie).get(signInCookies.token) : undefined;
  return tokenIn(headers.authorization) ?? tokenIn(cookie);
};

// A page of another site must not make a browser send or change the cookies of this site. A listed origin is trusted. A
// request without Sec-Fetch-Site and Origin does not come from a browser: on a POST, every browser sends at least one
// of these headers (Fetch, "append a request Origin header").
const refuseOtherSites = ({ usesCookies }: Gated, request: Request): void => {
  if (usesCookies && siteOf(request) === 'other') throw new Problem('cross-site-request');
};
