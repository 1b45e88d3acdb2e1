// Limits how often callers may call a route: the rate classes, and the headers that report them
// (draft-ietf-httpapi-ratelimit-headers).
import type { Request, RequestHandler, Response } from 'express';
import type { Bearer } from '../../auth/tokens/access-tokens.js';
import type { OwnRateLimits, Quota, RateLimits } from '../../infrastructure/rate-limits/rate-limits.js';
import { Problem } from '../problems/problems.js';
import { addressOf } from '../request/client.js';

interface Quotas {
  readonly windowS: number;
  /** The requests of an address in a window. Hundreds of people may share the address of a hospital. */
  readonly perAddress: number;
  /**
   * The requests of a signed-in user in a window, from any address; absent if the routes of the class read no token.
   */
  readonly perUser?: number;
}

// Whatever the quota, auth/sessions/failures.ts slows down password guessing. Routes that create an account, send a
// message or change a password have strict quotas.
const classes = {
  'sign-in': { windowS: 60, perAddress: 600 },
  session: { windowS: 60, perAddress: 3_000, perUser: 120 },
  'sign-up': { windowS: 600, perAddress: 30 },
  code: { windowS: 600, perAddress: 30, perUser: 10 },
  activation: { windowS: 600, perAddress: 60 },
  password: { windowS: 600, perAddress: 60, perUser: 20 },
  other: { windowS: 60, perAddress: 600, perUser: 120 },
} as const satisfies Record<string, Quotas>;

// Applies only to users without an approved profile, because anyone can sign up. No person works this fast.
const unapproved: readonly Quota[] = [
  { name: 'unapproved', requests: 60, windowS: 60 },
  { name: 'unapproved-hour', requests: 600, windowS: 3_600 },
];

// Applies to every request of a user that counts as a write, except for administrators. What users write, and what
// audits record of their reads, is kept permanently.
const writes: Quota = { name: 'writes', requests: 120, windowS: 60 };

// Applies to sign-ins with the right password. Each is recorded permanently, even if it is refused.
const signIns: Quota = { name: 'sign-in-user', requests: 120, windowS: 3_600 };

const MIB = 1_048_576;
// Apply to the unpacked bytes of bodies. Each address has hundreds of people, and a body of a few bytes may unpack to 1 MiB.
const bytesOfUser = (bearer: Bearer): Quota => ({
  name: 'body-bytes-user',
  requests: (bearer.roles.length === 0 ? 8 : 128) * MIB,
  windowS: 60,
});
const bytesOfAddress: Quota = { name: 'body-bytes', requests: 512 * MIB, windowS: 60 };

// Applies to the events that are folded for reads of the past, except for overseers. A user can make a stream long.
const pastEvents: Quota = { name: 'past-events', requests: 300_000, windowS: 60 };

/** A class whose requests are also counted by address. RateLimit-Policy shows its name. */
export type RateClass = keyof typeof classes;

/** How the requests of a route count. */
export interface Counted {
  readonly rate?: RateClass | undefined;
  /** Whether each counts as a write. Any other counts as one only if it contains `asOf`, because it then folds streams. */
  readonly isWrite: boolean;
}

interface Limits {
  readonly own: OwnRateLimits;
  readonly shared: RateLimits;
}

/** Counts requests by rate class and rejects requests above the quota with 429. */
export class RequestLimits {
  readonly #shared: RateLimits;
  // Bytes and events take the time of this process, so it counts them by itself.
  readonly #own: OwnRateLimits;
  readonly #factor: number;

  /** `factor` multiplies every quota. */
  constructor({ own, shared }: Limits, factor: number) {
    this.#own = own;
    this.#shared = shared;
    this.#factor = factor;
  }

  countAddress(rate: RateClass, request: Request, response: Response): Promise<void> {
    const { perAddress: requests, windowS } = classes[rate];
    return this.#take({ name: rate, requests, windowS }, addressOf(request), response);
  }

  ofAddress(rate: RateClass): RequestHandler {
    return async (request, response, next) => {
      await this.countAddress(rate, request, response);
      next();
    };
  }

  /** Counts a request by its user. Does nothing if the request has no token. */
  async ofUser({ rate, isWrite }: Counted, bearer: Bearer | undefined, response: Response): Promise<void> {
    if (bearer === undefined) return;
    const counted = { rate, isWrite: isWrite || (rate === undefined && response.req.query['asOf'] !== undefined) };
    for (const quota of quotasOf(counted, bearer)) await this.#take(quota, bearer.userId, response);
  }

  /** Counts unpacked bytes of a body by user and address. With 0 bytes, rejects only if a quota is exhausted. */
  async ofBytes(bytes: number, bearer: Bearer | undefined, request: Request): Promise<void> {
    if (bearer !== undefined) await this.#takeOwn(bytesOfUser(bearer), bearer.userId, bytes);
    await this.#takeOwn(bytesOfAddress, addressOf(request), bytes);
  }

  /** Rejects if the events that were folded for a caller's reads of the past exceed the quota. */
  checkPast(caller: string): Promise<void> {
    return this.#takeOwn(pastEvents, caller, 0);
  }

  /** Counts events that were folded for a read of the past. */
  countPast(caller: string, events: number): void {
    void this.#own.take(pastEvents, caller, events);
  }

  /** Counts a sign-in of a user with the right password. */
  ofSignIn(userId: string, response: Response): Promise<void> {
    return this.#take(signIns, userId, response);
  }

  close(): Promise<void> {
    return this.#shared.close();
  }

  async #take({ name, requests, windowS }: Quota, caller: string, response: Response): Promise<void> {
    const quota = { name, windowS, requests: this.#times(requests) };
    const { isOver, remaining, resetS } = await this.#shared.take(quota, caller);
    add(response, 'RateLimit-Policy', `"${quota.name}";q=${quota.requests};w=${quota.windowS}`);
    add(response, 'RateLimit', `"${quota.name}";r=${remaining};t=${resetS}`);
    if (isOver) throw tooMany(name, resetS);
  }

  async #takeOwn({ name, requests, windowS }: Quota, caller: string, amount: number): Promise<void> {
    const quota = { name, windowS, requests: this.#times(requests) };
    const { isOver, resetS } = await this.#own.take(quota, caller, amount);
    if (isOver) throw tooMany(name, resetS);
  }

  #times(requests: number): number {
    return Math.max(1, Math.round(requests * this.#factor));
  }
}

const tooMany = (policy: string, resetS: number) =>
  new Problem('too-many-requests', {
    headers: { 'Retry-After': `${resetS}` },
    extensions: { 'violated-policies': [policy] },
  });

const quotasOf = ({ rate, isWrite }: Counted, { roles }: Bearer): readonly Quota[] => [
  ...(rate === undefined ? [] : quotasOfClass(rate)),
  ...(rate === undefined && isWrite && roles.length === 0 ? unapproved : []),
  ...(isWrite && !roles.includes('ADMINISTRATOR') ? [writes] : []),
];

const quotasOfClass = (rate: RateClass): readonly Quota[] => {
  const { perUser, windowS }: Quotas = classes[rate];
  return perUser === undefined ? [] : [{ name: `${rate}-user`, requests: perUser, windowS }];
};

// Appends to a list in one field (RFC 9651, 3.1), which is easier to read than several fields.
const add = (response: Response, field: string, item: string): void => {
  const before = response.getHeader(field);
  response.setHeader(field, before === undefined ? item : `${before}, ${item}`);
};
