// The one client of the API. It adds what every request needs: the token and its renewal, a key against repetition, and
// the newest Consistency-Token. It repeats what got no response.
import createClient from 'openapi-fetch';
import { Refusal, refusalOf, retryAfterOf, unreachable } from './refusal.js';
import type { paths } from './schema.js';
import { currentSession, currentToken, renew, signedInAgain } from './session.js';

/** What a response carries: its body, and the ETag to send in If-Match with a change of the same resource. */
export interface Answer<T> {
  readonly value: T;
  readonly etag: string;
}

const PAUSES_MS = [500, 2_000, 5_000];
const MAX_PAUSE_S = 10;

// A change without a response may be stored. The same change then goes out with the same key, also if the reader sends
// it again by hand.
const unanswered = new Map<string, string>();
let newestWrite: string | undefined;

/** Sends a request. Rejects with `Refusal` if no response came. */
export const send = async (request: Request): Promise<Response> => {
  const isRead = request.method === 'GET';
  if (isRead) return repeated(request, (again) => setHeader(again, 'Consistency-Token', newestWrite));
  const change = `${request.method} ${request.url} ${await request.clone().text()}`;
  const key = unanswered.get(change) ?? newKey();
  unanswered.set(change, key);
  const response = await repeated(request, (again) => setHeader(again, 'Idempotency-Key', key));
  // Only a store that failed leaves open whether the change is stored.
  if (response.status !== 503) unanswered.delete(change);
  newestWrite = response.headers.get('Consistency-Token') ?? newestWrite;
  return response;
};

const setHeader = ({ headers }: Request, name: string, value: string | undefined): void => {
  if (value !== undefined) headers.set(name, value);
};

// Browsers have no crypto.randomUUID over plain http.
const newKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');

/** Sends a request, and sends it again while the service cannot be reached or asks for that. */
const repeated = async (
  request: Request,
  prepare: (request: Request) => void,
  pausesMs: readonly number[] = PAUSES_MS,
): Promise<Response> => {
  const copy = request.clone();
  prepare(copy);
  const [pauseMs, ...later] = pausesMs;
  if (pauseMs === undefined) return authorized(copy);
  const response = await authorized(copy).catch(ignoreLostConnection);
  if (response !== undefined && !isForLater(response)) return response;
  await passed(Math.max(pauseMs, 1_000 * (response === undefined ? 0 : (retryAfterOf(response) ?? 0))));
  return repeated(request, prepare, later);
};

const ignoreLostConnection = (error: unknown): undefined => {
  if (!(error instanceof Refusal) || error.code !== 'unreachable') throw error;
};

/** Returns whether the service did nothing yet and says when to come back. */
const isForLater = (response: Response): boolean =>
  [409, 503].includes(response.status) && (retryAfterOf(response) ?? Number.POSITIVE_INFINITY) <= MAX_PAUSE_S;

const passed = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Sends a request with the token. A token that is refused is renewed; if the session has ended, the reader signs in. */
const authorized = async (request: Request): Promise<Response> => {
  const token = currentToken();
  const copy = request.clone();
  setHeader(copy, 'Authorization', token && `Bearer ${token}`);
  const response = await fetch(copy).catch((cause: unknown) => {
    throw unreachable(cause);
  });
  if (token === undefined || !(await isTokenRefused(response))) return response;
  if ((await renew(token)) || (await isSignedInAgain())) return authorized(request);
  return response;
};

const isSignedInAgain = async (): Promise<boolean> => currentSession().status === 'ended' && signedInAgain();

const isTokenRefused = async (response: Response): Promise<boolean> =>
  response.status === 401 && (await codeIn(response)) === 'token-refused';

const codeIn = async (response: Response): Promise<unknown> => {
  const problem = await response
    .clone()
    .json()
    .catch(() => undefined);
  return problem?.code;
};

export const api = createClient<paths>({ baseUrl: window.location.origin, fetch: send });

/** Returns what a call responds with. Rejects with `Refusal` if the service refuses the request. */
export const answerOf = async <T>(
  call: Promise<{ readonly data?: T; readonly error?: unknown; readonly response: Response }>,
): Promise<Answer<T>> => {
  const { data, error, response } = await call;
  if (!response.ok) throw refusalOf(response, error);
  // A proxy that compresses makes a strong ETag weak, and If-Match compares strongly (RFC 9110, 13.1.1).
  return { value: data as T, etag: (response.headers.get('ETag') ?? '').replace(/^W\//, '') };
};
