// How often callers may ask for a route: the rate classes, and the headers that report them
// (draft-ietf-httpapi-ratelimit-headers).
import type { Request, RequestHandler, Response } from 'express';
import type { Bearer } from '../../auth/tokens/access-tokens.js';
import type { Quota, RateLimits } from '../../infrastructure/rate-limits/rate-limits.js';
import { Problem } from '../kernel/problems.js';
import { addressOf } from './client.js';

interface Quotas {
  /** The window in seconds. */
  readonly windowS: number;
  /** Requests of an address in a window: hundreds of people may share the one of a hospital. */
  readonly perAddress: number;
  /** Requests of a signed-in user in a window, at whatever addresses; absent where its routes read no token. */
  readonly perUser?: number;
}

// Who guesses passwords is slowed down by auth/sessions/failures.ts, whatever the quota. What makes an account, sends a message or
// changes a password is strict.
const classes = {
  'sign-in': { windowS: 60, perAddress: 600 },
  session: { windowS: 60, perAddress: 3_000, perUser: 120 },
  'sign-up': { windowS: 600, perAddress: 30 },
  code: { windowS: 600, perAddress: 30, perUser: 10 },
  activation: { windowS: 600, perAddress: 60 },
  password: { windowS: 600, perAddress: 60, perUser: 20 },
  other: { windowS: 60, perAddress: 600, perUser: 120 },
} as const satisfies Record<string, Quotas>;

// Counts only users without an approved profile: anybody can sign up. No person works this fast.
const unapproved: readonly Quota[] = [
  { name: 'unapproved', requests: 60, windowS: 60 },
  { name: 'unapproved-hour', requests: 600, windowS: 3_600 },
];

/** A class whose requests are counted by address too, by its name in RateLimit-Policy. */
export type RateClass = keyof typeof classes;

/**
 * How often callers may ask for a route. `unapproved`: counts users without an approved profile; for routes that record an
 * event or fold a stream. `unlimited`: for reads of the views, which count as `unapproved` only if they ask for `asOf`.
 */
export type Rate = RateClass | 'unapproved' | 'unlimited';

/** Returns whether requests of a class are counted by address. */
export const countsAddresses = (rate: Rate): rate is RateClass => rate !== 'unapproved' && rate !== 'unlimited';

/** Counts requests by rate class and refuses those above the quota with 429. */
export class RequestLimits {
  readonly #limits: RateLimits;
  readonly #factor: number;

  /** `factor` multiplies every quota. */
  constructor(limits: RateLimits, factor: number) {
    this.#limits = limits;
    this.#factor = factor;
  }

  /** Counts a request of a class by its address. */
  countAddress(rate: RateClass, request: Request, response: Response): Promise<void> {
    const { perAddress: requests, windowS } = classes[rate];
    return this.#take({ name: rate, requests, windowS }, addressOf(request), response);
  }

  /** Returns a handler that counts requests of a class by address. */
  ofAddress(rate: RateClass): RequestHandler {
    return async (request, response, next) => {
      await this.countAddress(rate, request, response);
      next();
    };
  }

  /** Counts a request of a class by its user. Does nothing if the request has no token. */
  async ofUser(rate: Rate, bearer: Bearer | undefined, response: Response): Promise<void> {
    if (bearer === undefined) return;
    const isInThePast = rate === 'unlimited' && response.req.query['asOf'] !== undefined;
    const quotas = quotasOf(isInThePast ? 'unapproved' : rate, bearer);
    for (const quota of quotas) await this.#take(quota, bearer.userId, response);
  }

  /** Lets go of the counts. */
  close(): Promise<void> {
    return this.#limits.close();
  }

  async #take({ name, requests, windowS }: Quota, caller: string, response: Response): Promise<void> {
    const quota = { name, windowS, requests: Math.max(1, Math.round(requests * this.#factor)) };
    const { isOver, remaining, resetS } = await this.#limits.take(quota, caller);
    add(response, 'RateLimit-Policy', `"${quota.name}";q=${quota.requests};w=${quota.windowS}`);
    add(response, 'RateLimit', `"${quota.name}";r=${remaining};t=${resetS}`);
    if (!isOver) return;
    const extensions = { 'violated-policies': [quota.name] };
    throw new Problem('too-many-requests', { headers: { 'Retry-After': `${resetS}` }, extensions });
  }
}

const quotasOf = (rate: Rate, { roles }: Bearer): readonly Quota[] => {
  if (rate === 'unlimited') return [];
  if (rate === 'unapproved') return roles.length === 0 ? unapproved : [];
  const { perUser, windowS }: Quotas = classes[rate];
  return perUser === undefined ? [] : [{ name: `${rate}-user`, requests: perUser, windowS }];
};

// Lists in one field (RFC 9651, 3.1), which is easier to read than many.
const add = (response: Response, field: string, item: string): void => {
  const before = response.getHeader(field);
  response.setHeader(field, before === undefined ? item : `${before}, ${item}`);
};
