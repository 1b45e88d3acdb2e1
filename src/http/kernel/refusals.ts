// The problems that a route can respond with: those that it names, and those that follow from what it is and takes.
import { asksForToken, type Callers } from './access.js';
import { type ProblemCode, problemKinds } from './problem-kinds.js';
import { type Route, readsView, takesIdempotencyKey, takesPrecondition } from './route.js';

/** A reason for which routes respond with problems, and the problems. */
interface Source {
  readonly applies: (route: Route, callers: Callers) => boolean;
  readonly codes: readonly ProblemCode[];
}

const isWrite = ({ method }: Route) => method !== 'get';
const namesAny = ({ access }: Route, words: readonly string[]) => access.who.allowed.some((who) => words.includes(who));

// A read of the past folds a stream, so it counts where other reads do not.
const isCounted = ({ access, travelsInTime }: Route) => access.rate !== 'unlimited' || travelsInTime === true;

const SOURCES: readonly Source[] = [
  { applies: () => true, codes: ['fields-refused', 'overloaded', 'store-unavailable'] },
  {
    applies: ({ body }) => body !== undefined,
    codes: ['malformed-json', 'too-large', 'unsupported-media-type', 'too-many-bodies-of-address', 'too-many-bodies'],
  },
  { applies: ({ access }) => access.who.token !== 'unread', codes: ['token-refused'] },
  { applies: ({ access }, callers) => asksForToken(access.who, callers), codes: ['sign-in-required'] },
  {
    applies: (route, callers) => asksForToken(route.access.who, callers) && !namesAny(route, ['user', 'holder']),
    codes: ['not-allowed'],
  },
  { applies: (route) => namesAny(route, ['holder']), codes: ['session-not-found'] },
  {
    applies: ({ access }, callers) => access.maxAuthAgeS !== undefined && asksForToken(access.who, callers),
    codes: ['insufficient_user_authentication'],
  },
  // Open, the service takes no write of another site's page.
  {
    applies: (route, callers) => route.usesCookies === true || (callers === 'open' && isWrite(route)),
    codes: ['cross-site-request'],
  },
  { applies: isCounted, codes: ['too-many-requests'] },
  { applies: readsView, codes: ['view-behind'] },
  { applies: ({ streams }) => streams !== undefined, codes: ['not-acceptable'] },
  {
    applies: takesIdempotencyKey,
    codes: ['request-in-progress', 'idempotency-key-reused', 'too-contended'],
  },
  { applies: takesPrecondition, codes: ['revision-mismatch'] },
];

/** Returns the codes of the problems that every address can respond with. Open, it responds to loopback names alone. */
export const refusalsOfEvery = (callers: Callers): readonly ProblemCode[] =>
  callers === 'open'
    ? ['malformed-request', 'misdirected-request', 'internal-error']
    : ['malformed-request', 'internal-error'];

/** Returns the codes of the problems that a route can respond with to `callers`, by ascending status. */
export const refusalsOf = (route: Route, callers: Callers): readonly ProblemCode[] => {
  const follow = SOURCES.filter(({ applies }) => applies(route, callers)).flatMap(({ codes }) => codes);
  return [...new Set([...refusalsOfEvery(callers), ...follow, ...(route.refuses ?? [])])].sort(
    (a, b) => problemKinds[a].status - problemKinds[b].status,
  );
};
