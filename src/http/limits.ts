// How often the routes of signing in may be asked for: one table of policies, and the fields that tell callers of them
// (draft-ietf-httpapi-ratelimit-headers).
import type { RequestHandler, Response } from 'express';
import type { Bearer } from '../auth/tokens.js';
import type { Limits, Quota } from '../infrastructure/limits/limits.js';
import { addressOf } from './client.js';
import { Problem } from './problems.js';

interface Policy {
  /** The window in seconds. */
  readonly windowS: number;
  /** Requests of an address in a window: hundreds of people may share the one of a hospital. */
  readonly perAddress: number;
  /** Requests of a signed-in user in a window, at whatever addresses; absent where its routes read no token. */
  readonly perUser?: number;
}

// Who guesses passwords is slowed down by auth/failures.ts, whatever the quota. What makes an account, sends a message or
// changes a password is strict.
const policies = {
  'sign-in': { windowS: 60, perAddress: 600 },
  session: { windowS: 60, perAddress: 3_000, perUser: 120 },
  'sign-up': { windowS: 600, perAddress: 30 },
  code: { windowS: 600, perAddress: 30, perUser: 10 },
  activation: { windowS: 600, perAddress: 60 },
  password: { windowS: 600, perAddress: 60, perUser: 20 },
  other: { windowS: 60, perAddress: 600, perUser: 120 },
} as const satisfies Record<string, Policy>;

export type PolicyName = keyof typeof policies;

/** The policy of each path by how it begins, the first that fits; undefined: no limit. */
const paths: readonly (readonly [beginning: string, policy: PolicyName | undefined])[] = [
  // Public keys: whoever verifies tokens asks for them.
  ['/auth-service/.well-known/', undefined],
  ['/auth-service/auth', 'sign-in'],
  ['/auth-service/refresh-token', 'session'],
  ['/auth-service/sessions', 'session'],
  ['/api/update-token', 'session'],
  ['/api/sign-out', 'session'],
  // A form asks it as it is filled in.
  ['/auth-service/signup-model', 'other'],
  ['/auth-service/signup', 'sign-up'],
  ['/auth-service/activation-code', 'code'],
  ['/auth-service/change-phone', 'code'],
  ['/auth-service/activate', 'activation'],
  ['/auth-service/password', 'password'],
  ['/auth-service/', 'other'],
  ['/api/', 'other'],
];

/** The policy of a path; undefined where requests are not limited. */
export const policyOf = (path: string): PolicyName | undefined =>
  paths.find(([beginning]) => path.startsWith(beginning))?.[1];

/** Holds requests to the policies. */
export class RequestLimits {
  readonly #limits: Limits;
  readonly #factor: number;

  /** `factor` multiplies every quota. */
  constructor(limits: Limits, factor: number) {
    this.#limits = limits;
    this.#factor = factor;
  }

  /** Counts a request for its address; refuses with 429 what is one too many. */
  readonly ofAddress: RequestHandler = async (request, response, next) => {
    const policy = policyOf(request.path);
    if (policy !== undefined) {
      const { perAddress, windowS } = policies[policy];
      await this.#take({ name: policy, requests: perAddress, windowS }, addressOf(request), response);
    }
    next();
  };

  /** Counts a request for the user who makes it; rejects where it is one too many. */
  async ofUser(path: string, bearer: Bearer | undefined, response: Response): Promise<void> {
    const policy = policyOf(path);
    if (policy === undefined || bearer === undefined) return;
    const { perUser, windowS }: Policy = policies[policy];
    if (perUser === undefined) return;
    await this.#take({ name: `${policy}-user`, requests: perUser, windowS }, bearer.userId, response);
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

// Lists in one field (RFC 9651, 3.1), which is easier to read than many.
const add = (response: Response, field: string, item: string): void => {
  const before = response.getHeader(field);
  response.setHeader(field, before === undefined ? item : `${before}, ${item}`);
};
