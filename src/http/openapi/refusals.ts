// The problems with which a route can respond: those that it declares, and those that follow from its definition.
import { type Callers, requiresToken } from '../access/access.js';
import { type ProblemCode, problemKinds } from '../problems/problem-kinds.js';
import { has, type Route } from '../route/route.js';
import { queryFieldsOf } from './parameters.js';

/** Returns the codes of the problems with which a route can respond to `callers`, by ascending status. */
export const refusalsOf = (route: Route, callers: Callers): readonly ProblemCode[] => {
  const codes = [...following(route, callers), ...followingFromAccess(route, callers), ...(route.refuses ?? [])];
  return [...new Set(codes)].sort((a, b) => problemKinds[a].status - problemKinds[b].status);
};

/** Returns whether a route may read for long: a walk, or the past. */
const walks = (route: Route): boolean => has(route, 'walk') || route.travelsInTime === true;

const listIf = (isListed: boolean, ...codes: readonly ProblemCode[]): readonly ProblemCode[] => (isListed ? codes : []);

const following = (route: Route, callers: Callers): readonly ProblemCode[] => [
  'malformed-request',
  // In open mode, the service accepts only loopback names in Host.
  ...listIf(callers === 'open', 'misdirected-request'),
  'internal-error',
  ...listIf(!has(route, 'probe'), 'fields-refused', 'overloaded', 'store-unavailable'),
  ...listIf(route.body !== undefined, 'malformed-json', 'too-large', 'body-too-scattered', 'unsupported-media-type'),
  ...listIf(route.body !== undefined, 'too-many-bodies-of-address', 'too-many-bodies'),
  ...listIf(walks(route), 'busy'),
  // A single resource is then read from the log.
  ...listIf(has(route, 'view') && 'cursor' in queryFieldsOf(route), 'view-behind'),
  ...listIf(has(route, 'replay'), 'request-in-progress', 'idempotency-key-reused', 'too-contended'),
  ...listIf(has(route, 'precondition'), 'revision-mismatch'),
];

const followingFromAccess = (route: Route, callers: Callers): readonly ProblemCode[] => {
  const { method, usesCookies, travelsInTime } = route;
  const { who, rate, maxAuthAgeS } = route.access;
  const needsToken = requiresToken(who, callers);
  const admitsHolder = who.allowed.includes('holder');
  return [
    ...listIf(!['ignored', 'if-valid'].includes(who.token), 'token-refused'),
    ...listIf(needsToken, 'sign-in-required'),
    ...listIf(needsToken && !admitsHolder && !who.allowed.includes('user'), 'not-allowed'),
    ...listIf(admitsHolder, 'session-not-found'),
    ...listIf(needsToken && maxAuthAgeS !== undefined, 'insufficient_user_authentication'),
    // In open mode, the service rejects writes from pages of other sites.
    ...listIf(usesCookies === true || (callers === 'open' && method !== 'get'), 'cross-site-request'),
    // A read of the past folds a stream, so it counts toward the quota even if other reads do not.
    ...listIf(rate !== undefined || has(route, 'counted') || travelsInTime === true, 'too-many-requests'),
  ];
};
