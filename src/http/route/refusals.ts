// The problems with which a route can respond: those that it declares, and those that follow from its definition.
import { type Callers, requiresToken } from '../access/access.js';
import { type ProblemCode, problemKinds } from '../problems/problem-kinds.js';
import { acceptsIdempotencyKey, acceptsPrecondition, type Route, readsView } from './route.js';

/** A property of routes, and the problems that follow from it. */
interface Source {
  readonly applies: (route: Route, callers: Callers) => boolean;
  readonly codes: readonly ProblemCode[];
}

const isWrite = ({ method }: Route) => method !== 'get';
const namesAny = ({ access }: Route, conditions: readonly string[]) =>
  access.who.allowed.some((condition) => conditions.includes(condition));

// A read of the past folds a stream, so it counts toward the quota even if other reads do not.
const isCounted = ({ access, travelsInTime }: Route) => access.rate !== 'unlimited' || travelsInTime === true;

const SOURCES: readonly Source[] = [
  { applies: ({ isProbe }) => !isProbe, codes: ['fields-refused', 'overloaded', 'store-unavailable'] },
  {
    applies: ({ body }) => body !== undefined,
    codes: ['malformed-json', 'too-large', 'unsupported-media-type', 'too-many-bodies-of-address', 'too-many-bodies'],
  },
  { applies: ({ access }) => !['ignored', 'if-valid'].includes(access.who.token), codes: ['token-refused'] },
  { applies: ({ access }, callers) => requiresToken(access.who, callers), codes: ['sign-in-required'] },
  {
    applies: (route, callers) => requiresToken(route.access.who, callers) && !namesAny(route, ['user', 'holder']),
    codes: ['not-allowed'],
  },
  { applies: (route) => namesAny(route, ['holder']), codes: ['session-not-found'] },
  {
    applies: ({ access }, callers) => access.maxAuthAgeS !== undefined && requiresToken(access.who, callers),
    codes: ['insufficient_user_authentication'],
  },
  // In open mode, the service rejects writes from pages of other sites.
  {
    applies: (route, callers) => route.usesCookies === true || (callers === 'open' && isWrite(route)),
    codes: ['cross-site-request'],
  },
  { applies: isCounted, codes: ['too-many-requests'] },
  { applies: readsView, codes: ['view-behind'] },
  { applies: ({ streams }) => streams !== undefined, codes: ['not-acceptable'] },
  {
    applies: acceptsIdempotencyKey,
    codes: ['request-in-progress', 'idempotency-key-reused', 'too-contended'],
  },
  { applies: acceptsPrecondition, codes: ['revision-mismatch'] },
];

/**
 * Returns the codes of the problems with which every path can respond. In open mode, the service accepts only loopback
 * names in Host.
 */
export const refusalsOfEvery = (callers: Callers): readonly ProblemCode[] =>
  callers === 'open'
    ? ['malformed-request', 'misdirected-request', 'internal-error']
    : ['malformed-request', 'internal-error'];

/** Returns the codes of the problems with which a route can respond to `callers`, by ascending status. */
export const refusalsOf = (route: Route, callers: Callers): readonly ProblemCode[] => {
  const follow = SOURCES.filter(({ applies }) => applies(route, callers)).flatMap(({ codes }) => codes);
  return [...new Set([...refusalsOfEvery(callers), ...follow, ...(route.refuses ?? [])])].sort(
    (a, b) => problemKinds[a].status - problemKinds[b].status,
  );
};
