// The access rules that routes declare: who may call a route, how often, and whether its response is personal.
import { validate as isUuid } from 'uuid';
import type { Bearer } from '../../auth/tokens/access-tokens.js';
import type { ProfileType } from '../../domain/user/state.js';
import { Problem } from '../problems/problems.js';
import type { RateClass } from './rate-limits.js';

/** The access rules of a route. Each route declares them on its first line. */
export interface Access {
  readonly who: Rule;
  /** The class of a route that is also limited by address. Default: the quotas of writes, if the route counts as one. */
  readonly rate?: RateClass;
  /** Whether the response contains personal data or secrets. No cache may store such a response. */
  readonly personal: boolean;
  /** The maximum age in seconds of a required sign-in (RFC 9470). Default: no maximum. */
  readonly maxAuthAgeS?: number;
}

/**
 * Describes what the guard does with the access token. `ignored`: ignores the token. `if-valid`: ignores an invalid
 * token, and every token while tokens cannot be verified. `optional`: rejects an invalid token but requires none.
 * `required-unless-open`: requires a token if callers must sign in; otherwise like `optional`. `required`: always
 * requires a token, even in open mode.
 */
export interface Rule {
  readonly token: 'ignored' | 'if-valid' | 'optional' | 'required-unless-open' | 'required';
  /** If the token is required, its bearer must meet one of these conditions. */
  readonly allowed: readonly CallerCondition[];
  /** Whether the guard also accepts the token from its cookie, for pages that a user opens in a browser. */
  readonly acceptsCookie?: boolean;
}

/** Whether callers must sign in (AUTH). */
export type Callers = 'open' | 'required';

const requiredUnlessOpen = (...allowed: readonly CallerCondition[]): Rule => ({
  token: 'required-unless-open',
  allowed,
});
const alwaysRequired = (...allowed: readonly CallerCondition[]): Rule => ({ token: 'required', allowed });

/** Admits every caller and ignores the token. */
export const unidentified: Rule = { token: 'ignored', allowed: [] };
/** Admits every caller, for probes that must get a response. The handler receives the bearer of a valid token. */
export const recognized: Rule = { token: 'if-valid', allowed: [] };
/** Admits every caller. The handler receives the bearer if the request has a token. */
export const anyone: Rule = { token: 'optional', allowed: [] };
export const signedIn = requiredUnlessOpen('user');
export const approvedUsers = requiredUnlessOpen('approved');
export const administrators = requiredUnlessOpen('ADMINISTRATOR');
export const auditors = requiredUnlessOpen('AUDITOR');
export const overseers = requiredUnlessOpen('AUDITOR', 'ADMINISTRATOR');
export const selfOrAdministrators = requiredUnlessOpen('self', 'ADMINISTRATOR');
export const selfOrOverseers = requiredUnlessOpen('self', 'AUDITOR', 'ADMINISTRATOR');
export const signedInAlways = alwaysRequired('user');
export const sessionHolder = alwaysRequired('holder');

/** Returns whether a rule admits only signed-in callers. */
export const requiresToken = ({ token }: Rule, callers: Callers): boolean =>
  token === 'required' || (token === 'required-unless-open' && callers === 'required');

/** Returns whether a caller has the rights of an administrator. In open mode, every caller has them. */
export const isAdministrator = (callers: Callers, bearer: Bearer | undefined): boolean =>
  callers === 'open' || bearer?.roles.includes('ADMINISTRATOR') === true;

export interface Objects {
  /** The id in the path, in lower case. */
  readonly id: string;
  /** Returns the user of the session in the path; undefined if the path names no session. */
  readonly holder: () => Promise<string | undefined>;
}

interface Condition {
  readonly requires: string;
  readonly admits: (bearer: Bearer, objects: Objects) => boolean | Promise<boolean>;
}

const profileOf = (type: ProfileType): Condition => ({
  requires: `a user with an approved profile of type ${type}`,
  admits: ({ roles }) => roles.includes(type),
});

/** The conditions on a signed-in caller, under the names that rules, OpenAPI and problems use. */
export const conditions = {
  user: { requires: 'any signed-in user', admits: () => true },
  approved: { requires: 'a user with an approved profile of any type', admits: ({ roles }) => roles.length > 0 },
  self: { requires: 'the user whose id is `{id}` in the path', admits: ({ userId }, { id }) => id === userId },
  holder: {
    requires: 'the user whose session has the id `{id}` in the path',
    // The route itself rejects a malformed id later.
    admits: async ({ userId }, { id, holder }) => !isUuid(id) || (await holder()) === userId,
  },
  ADMINISTRATOR: profileOf('ADMINISTRATOR'),
  AUDITOR: profileOf('AUDITOR'),
  DOCTOR_GENERALIST: profileOf('DOCTOR_GENERALIST'),
  DOCTOR_SPECIALIST: profileOf('DOCTOR_SPECIALIST'),
  NURSE: profileOf('NURSE'),
} as const satisfies Readonly<Record<ProfileType | 'user' | 'approved' | 'self' | 'holder', Condition>>;

export type CallerCondition = keyof typeof conditions;

/** Resolves if the rule admits the caller. Otherwise rejects with a `Problem`. */
export const refuseUnlessAllowed = async ({ allowed }: Rule, bearer: Bearer, objects: Objects): Promise<void> => {
  for (const each of allowed) if (await conditions[each].admits(bearer, objects)) return;
  // Only the holder of a session may learn that the session exists.
  if (allowed.includes('holder')) throw new Problem('session-not-found');
  throw new Problem('not-allowed', {
    headers: { 'WWW-Authenticate': 'Bearer error="insufficient_scope"' },
    extensions: { allowed },
  });
};

/** Throws a `Problem` if the caller's sign-in is older than the route allows. */
export const refuseOldSignIn = ({ maxAuthAgeS }: Pick<Access, 'maxAuthAgeS'>, { authTime }: Bearer): void => {
  // A sign-in in the future was recorded by a clock that was ahead, so its age is unknown.
  if (maxAuthAgeS === undefined || Math.abs(Date.now() / 1_000 - authTime) <= maxAuthAgeS) return;
  const challenge = `Bearer error="insufficient_user_authentication", max_age=${maxAuthAgeS}`;
  throw new Problem('insufficient_user_authentication', { headers: { 'WWW-Authenticate': challenge } });
};
