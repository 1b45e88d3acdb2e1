// Who may call what: the one table that the guard, the security entries of OpenAPI and the test that walks every route
// for every role read. What is not in it is served to nobody.
import { validate as isUuid } from 'uuid';
import type { Bearer } from '../auth/tokens.js';
import type { ProfileType } from '../domain/user-state.js';
import { Problem } from './problems.js';
import { BOARD_PATH } from './queue-board.js';
import type { Method } from './route.js';

/**
 * Whom a rule lets in: whoever is signed in; who has an approved profile, of whatever type; the user that `{id}` names;
 * the user whose session `{id}` names; who has an approved profile of this type.
 */
export type Who = 'user' | 'approved' | 'self' | 'holder' | ProfileType;

/**
 * What is asked of the access token. `unread`: it is not looked at. `welcome`: it may be sent, and a bad one is refused.
 * `asked`: it is needed where callers must sign in, and else welcome. `needed`: also where the service runs open.
 */
export interface Rule {
  readonly token: 'unread' | 'welcome' | 'asked' | 'needed';
  /** Who may, where the token is asked for or needed: each of these. */
  readonly who: readonly Who[];
  /** Whether the token may come in its cookie, too: for pages that a browser opens by their address. */
  readonly takesCookie?: boolean;
}

/** Whether callers must sign in (AUTH). */
export type Callers = 'open' | 'required';

const withoutToken: Rule = { token: 'unread', who: [] };
const anyone: Rule = { token: 'welcome', who: [] };
const only = (...who: readonly Who[]): Rule => ({ token: 'asked', who });
const always = (...who: readonly Who[]): Rule => ({ token: 'needed', who });

const administrators = only('ADMINISTRATOR');
const readers = only('approved');
const users = only('user');
const selfOrAdministrators = only('self', 'ADMINISTRATOR');

/** The table: a route, as OpenAPI names it, and who may call it. */
export const policy: Readonly<Record<string, Rule>> = {
  'GET /protocols': readers,
  'POST /protocols': administrators,
  'POST /protocols/questionnaires': administrators,
  'GET /protocols/{id}': readers,
  'PUT /protocols/{id}': administrators,
  'GET /protocols/{id}/questionnaire': readers,
  'PUT /protocols/{id}/questionnaire': administrators,
  'GET /protocols/{id}/forms': readers,
  'POST /protocols/{id}/forms/versions': administrators,
  'GET /protocols/{id}/forms/{formId}': readers,
  'POST /protocols/{id}/forms/{formId}/questions': administrators,
  'PUT /protocols/{id}/questions/{questionId}': administrators,
  'POST /protocols/{id}/questions/{questionId}/options': administrators,
  'PUT /protocols/{id}/options/{optionId}': administrators,

  'GET /institutions': users,
  'POST /institutions': administrators,
  'GET /institutions/{id}': users,
  'PUT /institutions/{id}': administrators,
  'GET /institutions/{id}/unities': users,
  'POST /institutions/{id}/unities': administrators,
  'PUT /institutions/{id}/unities/{unityId}': administrators,
  'POST /institutions/{id}/users': administrators,
  'POST /institutions/{id}/unities/{unityId}/users': administrators,

  'GET /specialties': anyone,
  'POST /specialties': administrators,
  'GET /specialties/{id}': anyone,
  'PUT /specialties/{id}': administrators,

  'GET /users': administrators,
  'POST /users/doctor': administrators,
  'POST /users/validation/docs': users,
  'GET /users/{id}': selfOrAdministrators,
  'PUT /users/{id}': selfOrAdministrators,
  'DELETE /users/{id}/personal-data': administrators,
  'GET /profiles': administrators,
  'POST /users/{id}/profiles': selfOrAdministrators,
  'GET /users/{id}/profiles/{profileId}': selfOrAdministrators,
  'PATCH /users/{id}/profiles/{profileId}/approve': administrators,
  'PATCH /users/{id}/profiles/{profileId}/reject': administrators,
  'POST /users/{id}/profiles/{profileId}/resubmit': selfOrAdministrators,
  'GET /users/{id}/profiles/{profileId}/history': only('self', 'AUDITOR', 'ADMINISTRATOR'),
  'GET /audit/events': only('AUDITOR'),

  'POST /auth-service/auth': withoutToken,
  'POST /auth-service/refresh-token': withoutToken,
  'GET /auth-service/sessions': always('user'),
  'DELETE /auth-service/sessions/{id}': always('holder'),
  'POST /auth-service/signup': withoutToken,
  'POST /auth-service/signup-model': withoutToken,
  'GET /auth-service/activation-code': withoutToken,
  'POST /auth-service/activate': withoutToken,
  'POST /auth-service/change-phone': always('user'),
  'PUT /auth-service/password': always('user'),
  'POST /auth-service/password/reset-code': withoutToken,
  'POST /auth-service/password/reset': withoutToken,
  'GET /.well-known/jwks.json': withoutToken,
  'GET /auth-service/.well-known/jwks.json': withoutToken,
  'POST /api/update-token': withoutToken,
  'POST /api/sign-out': withoutToken,

  [`ALL ${BOARD_PATH}`]: { ...administrators, takesCookie: true },
  'GET /livez': withoutToken,
  'GET /readyz': withoutToken,
  'GET /metrics': withoutToken,
  'GET /openapi.json': withoutToken,
  'GET /docs': withoutToken,
};

/** The rule of a route. Throws where the table has none: then the service does not start. */
export const ruleOf = ({ method, path }: { readonly method: Method | 'all'; readonly path: string }): Rule => {
  const name = `${method.toUpperCase()} ${path}`;
  const rule = Object.hasOwn(policy, name) ? policy[name] : undefined;
  if (rule === undefined) throw new Error(`${name} has no entry in the policy: nobody may call it`);
  return rule;
};

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
  /** The user whose session it names; undefined where it names none. */
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
export const refuseUnlessAllowed = async ({ who }: Rule, bearer: Bearer, objects: Objects): Promise<void> => {
  for (const each of who) if (await TESTS[each](bearer, objects)) return;
  // Whether there is such a session is nobody's business but its holder's.
  if (who.includes('holder')) throw new Problem('session-not-found');
  throw new Problem('not-allowed', {
    headers: { 'WWW-Authenticate': 'Bearer error="insufficient_scope"' },
    extensions: { allowed: who },
  });
};
