// Who may call a route, how often, and whether its response is personal: the kinds of rules that routes name.
import { validate as isUuid } from 'uuid';
import type { Bearer } from '../../auth/tokens/access-tokens.js';
import type { ProfileType } from '../../domain/user/state.js';
import type { Rate } from '../edge/rate-limits.js';
import { Problem } from './problems.js';
import type { Who } from './who.js';

/** What each route declares on its first line. */
export interface Access {
  readonly who: Rule;
  readonly rate: Rate;
  /** Whether the response holds personal data or secrets. No cache may keep such a response. */
  readonly personal: boolean;
  /** How many seconds ago a caller who must sign in may have done so at most (RFC 9470); absent: any time ago. */
  readonly maxAuthAgeS?: number;
}

/**
 * Says what the guard does with the access token. `unread`: ignores it. `welcome`: refuses a bad one. `asked`: requires
 * one if callers must sign in, else as `welcome`. `needed`: requires one, also if the service runs open.
 */
export interface Rule {
  readonly token: 'unread' | 'welcome' | 'asked' | 'needed';
  /** If the token is required, its bearer must meet one of these conditions. */
  readonly allowed: readonly Who[];
  /** Whether the token may also come in its cookie: for pages that a browser opens by their address. */
  readonly takesCookie?: boolean;
}

/** Whether callers must sign in (AUTH). */
export type Callers = 'open' | 'required';

const asked = (...allowed: readonly Who[]): Rule => ({ token: 'asked', allowed });
const needed = (...allowed: readonly Who[]): Rule => ({ token: 'needed', allowed });

/** Lets in everybody and ignores the token. */
export const unidentified: Rule = { token: 'unread', allowed: [] };
/** Lets in everybody; the handler learns who calls. */
export const anyone: Rule = { token: 'welcome', allowed: [] };
export const signedIn = asked('user');
export const approvedUsers = asked('approved');
export const administrators = asked('ADMINISTRATOR');
export const auditors = asked('AUDITOR');
export const overseers = asked('AUDITOR', 'ADMINISTRATOR');
export const selfOrAdministrators = asked('self', 'ADMINISTRATOR');
export const selfOrOverseers = asked('self', 'AUDITOR', 'ADMINISTRATOR');
export const signedInAlways = needed('user');
export const sessionHolder = needed('holder');

/** Whether a rule lets in only callers who are signed in. */
export const asksForToken = ({ token }: Rule, callers: Callers): boolean =>
  token === 'needed' || (token === 'asked' && callers === 'required');

/** Whether a caller may do what administrators may: everybody may, where the service is open. */
export const isAdministrator = (callers: Callers, bearer: Bearer | undefined): boolean =>
  callers === 'open' || bearer?.roles.includes('ADMINISTRATOR') === true;

/** Whom an address names, so far as a rule looks at it. */
export interface Objects {
  /** The id in the path, in lower case. */
  readonly id: string;
  /** Returns the user of the session in the path; undefined if the path names no session. */
  readonly holder: () => Promise<string | undefined>;
}

type Test = (bearer: Bearer, objects: Objects) => boolean | Promise<boolean>;

const ofType =
  (type: ProfileType): Test =>
  ({ roles }) =>
    roles.includes(type);

const TESTS: { readonly [W in Who]: Test } = {
  user: () => true,
  approved: ({ roles }) => roles.length > 0,
  self: ({ userId }, { id }) => id === userId,
  // What is no id at all is refused as that, later.
  holder: async ({ userId }, { id, holder }) => !isUuid(id) || (await holder()) === userId,
  ADMINISTRATOR: ofType('ADMINISTRATOR'),
  AUDITOR: ofType('AUDITOR'),
  DOCTOR_GENERALIST: ofType('DOCTOR_GENERALIST'),
  DOCTOR_SPECIALIST: ofType('DOCTOR_SPECIALIST'),
  NURSE: ofType('NURSE'),
};

/** Lets a caller pass whom a rule lets in; rejects with the problem of everybody else. */
export const refuseUnlessAllowed = async ({ allowed }: Rule, bearer: Bearer, objects: Objects): Promise<void> => {
  for (const each of allowed) if (await TESTS[each](bearer, objects)) return;
  // Whether there is such a session is nobody's business but its holder's.
  if (allowed.includes('holder')) throw new Problem('session-not-found');
  throw new Problem('not-allowed', {
    headers: { 'WWW-Authenticate': 'Bearer error="insufficient_scope"' },
    extensions: { allowed },
  });
};

/** Rejects with the problem of a caller whose sign-in is older than a route allows. */
export const refuseOldSignIn = ({ maxAuthAgeS }: Access, { authTime }: Bearer): void => {
  if (maxAuthAgeS === undefined || Date.now() / 1_000 - authTime <= maxAuthAgeS) return;
  const challenge = `Bearer error="insufficient_user_authentication", max_age=${maxAuthAgeS}`;
  throw new Problem('insufficient_user_authentication', { headers: { 'WWW-Authenticate': challenge } });
};
