// The one client of the API. It adds what every request needs: the token and its renewal, a key against repetition, and
// the newest Consistency-Token. It repeats what got no response.
import createClient from 'openapi-fetch';
import { exchange, SILENCE } from './exchange.js';
import { type Problem, Refusal, refusalOf, retryAfterOf } from './refusal.js';
import type { paths } from './schema.js';
import { currentSession, currentToken, renew, signedInAgain } from './session.js';

/** What a response carries. `etag` goes into the If-Match of a change of the same resource. */
export interface Answer<T> {
  readonly value: T;
  readonly etag: string;
  /** Whether a quota kept back the message that the change should have sent. */
  readonly isMessageWithheld: boolean;
  /** Present if the response may lack the newest changes, because its read model did not catch up with them. */
  readonly behind?: Behind;
}

/** How many seconds the read model is behind, if the service says it. */
export interface Behind {
  readonly seconds: number | undefined;
}

const PAUSES_MS = [500, 2_000, 5_000];
const MAX_PAUSE_S = 10;
// These routes ignore keys: a code would be sent twice, and a password that was changed would be wrong the second time.
const ONCE = /^\/auth-service\/(password(\/reset|\/reset-code)?|activation-code|change-phone)$/;

// A change without a response may be stored. The same change of the same state then goes out with the same key, also if
// the reader sends it again by hand.
const unanswered = new Map<string, string>();
let newestWrite: string | undefined;
const behind = new WeakMap<Response, Behind>();
// The addresses whose last read was behind. Their next read does not wait again.
const slow = new Set<string>();

/** Sends a request. Rejects with `Refusal` if no response came. */
export const send = async (request: Request): Promise<Response> => {
  const { headers } = request;
  headers.set('Accept-Language', document.documentElement.lang);
  const pausesMs = ONCE.test(new URL(request.url).pathname) ? [] : PAUSES_MS;
  if (request.method === 'GET') return read(request);
  const change = [request.method, request.url, headers.get('If-Match'), await request.clone().text()].join(' ');
  const key = unanswered.get(change) ?? newKey();
  unanswered.set(change, key);
  headers.set('Idempotency-Key', key);
  const response = await repeated(request, pausesMs);
  if (!isOpen(response)) unanswered.delete(change);
  newestWrite = response.headers.get('Consistency-Token') ?? newestWrite;
  return response;
};

/** Reads what is at least as new as the newest change of this tab. If the service cannot show that, reads what it can. */
const read = async (request: Request): Promise<Response> => {
  if (newestWrite === undefined) return repeated(request, PAUSES_MS);
  const { pathname } = new URL(request.url);
  request.headers.set('Consistency-Token', newestWrite);
  const response = await repeated(request, slow.has(pathname) ? [] : PAUSES_MS);
  const problem = response.status === 503 ? await problemIn(response) : undefined;
  if (problem?.code !== 'view-behind') {
    slow.delete(pathname);
    return response;
  }
  slow.add(pathname);
  request.headers.delete('Consistency-Token');
  const older = await repeated(request, PAUSES_MS);
  const { seconds } = Object(problem['lag']);
  behind.set(older, { seconds: typeof seconds === 'number' ? seconds : undefined });
  return older;
};

/** Returns whether the change may still be stored: after a failure, or while the same request is running. */
const isOpen = (response: Response): boolean => response.status >= 500 || isForLater(response);

// Browsers have no crypto.randomUUID over plain http.
const newKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');

/** Sends a request, and sends it again while the service cannot be reached or asks for that. */
const repeated = async (request: Request, pausesMs: readonly number[]): Promise<Response> => {
  const [pauseMs, ...later] = pausesMs;
  if (pauseMs === undefined) return authorized(request);
  const outcome = await authorized(request).catch(refusalIn);
  if (!isForLater(outcome)) {
    if (outcome instanceof Refusal) throw outcome;
    return outcome;
  }
  await passed(Math.max(pauseMs, 1_000 * (secondsIn(outcome) ?? 0)));
  return repeated(request, later);
};

const refusalIn = (error: unknown): Refusal => {
  if (error instanceof Refusal) return error;
  throw error;
};

type Outcome = Response | Refusal;

const secondsIn = (outcome: Outcome) => (outcome instanceof Refusal ? outcome.retryAfterS : retryAfterOf(outcome));

/**
 * Returns whether the service did nothing yet and says when to come back, or cannot be reached. After a silence the reader
 * has waited long enough, and says when to try again.
 */
const isForLater = (outcome: Outcome): boolean =>
  outcome instanceof Refusal
    ? (outcome.code === 'unreachable' && outcome.cause !== SILENCE) || isSoon(outcome)
    : [409, 503].includes(outcome.status) && isSoon(outcome);

const isSoon = (outcome: Outcome): boolean => (secondsIn(outcome) ?? Number.POSITIVE_INFINITY) <= MAX_PAUSE_S;

const passed = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Sends a request with the token. A token that is refused is renewed; if the session has ended, the reader signs in. */
const authorized = async (request: Request): Promise<Response> => {
  const token = currentToken();
  const response = await withToken(request, token);
  if (token === undefined || !(await isTokenRefused(response))) return response;
  const isRenewed = (await renew(token)) || (await isSignedInAgain());
  return isRenewed ? withToken(request, currentToken()) : response;
};

const withToken = (request: Request, token: string | undefined): Promise<Response> => {
  const copy = request.clone();
  if (token !== undefined) copy.headers.set('Authorization', `Bearer ${token}`);
  return exchange(copy);
};

const isSignedInAgain = async (): Promise<boolean> => currentSession().status === 'ended' && signedInAgain();

const isTokenRefused = async (response: Response): Promise<boolean> =>
  response.status === 401 && (await problemIn(response)).code === 'token-refused';

const problemIn = (response: Response): Promise<Partial<Problem>> => response.clone().json();

export const api = createClient<paths>({ baseUrl: window.location.origin, fetch: send });

/** Returns what a call responds with. Rejects with `Refusal` if the service refuses the request. */
export const answerOf = async <T>(
  call: Promise<{ readonly data?: T; readonly error?: unknown; readonly response: Response }>,
): Promise<Answer<T>> => {
  const { data, error, response } = await call;
  if (!response.ok) throw refusalOf(response, error);
  // A proxy that compresses makes a strong ETag weak, and If-Match compares strongly (RFC 9110, 13.1.1).
  const etag = (response.headers.get('ETag') ?? '').replace(/^W\//, '');
  const lag = behind.get(response);
  const isMessageWithheld = response.headers.has('Message-Withheld');
  return { value: data as T, etag, isMessageWithheld, ...(lag && { behind: lag }) };
};
