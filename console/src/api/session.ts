// The session of this tab: who is signed in, and the access token. The token lives in memory only. The refresh token
// lives in a cookie that no script can read, so a new tab and a reload renew the session with it.
import { useSyncExternalStore } from 'react';
import { exchange, PATIENCE_MS } from './exchange.js';
import { Refusal, refusalOf, unreachable } from './refusal.js';
import type { components } from './schema.js';

/** The type of an approved profile. */
export type Role = components['schemas']['UserProfile']['type'];

/** Who is signed in, as the access token says it. */
export interface Identity {
  readonly userId: string;
  readonly sessionId: string;
  readonly roles: readonly Role[];
}

/**
 * `open`: the service asks nobody to sign in. `ended`: the session of `who` ended while pages were open, and they wait
 * for a new sign-in.
 */
export type Session =
  | { readonly status: 'unknown' | 'open' | 'anonymous' }
  | { readonly status: 'signed-in' | 'ended'; readonly who: Identity };

let session: Session = { status: 'unknown' };
let token: string | undefined;
// Whose data this page may show: the person who signed in first since it was loaded.
let owner: string | undefined;
// How often this tab forgot its person. A renewal that began before must not bring the person back.
let forgotten = 0;
const listeners = new Set<() => void>();

const become = (next: Session): void => {
  session = next;
  for (const listener of listeners) listener();
};

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => void listeners.delete(listener);
};

export const currentSession = (): Session => session;
export const currentToken = (): string | undefined => token;

/** Returns the session, and renders again when it changes. */
export const useSession = (): Session => useSyncExternalStore(subscribe, currentSession);

/** Returns whether a session has one of the roles. In open mode, everybody has the rights of an administrator. */
export const hasRole = (of: Session, ...roles: readonly Role[]): boolean =>
  of.status === 'open' || ('who' in of && of.who.roles.some((role) => roles.includes(role)));

/** Resolves once somebody is signed in; returns false if the reader leaves the page of the ended session instead. */
export const signedInAgain = (): Promise<boolean> =>
  new Promise((resolve) => {
    const stop = subscribe(() => {
      if (session.status === 'ended') return;
      stop();
      resolve(session.status === 'signed-in');
    });
  });

// Tabs tell each other about new tokens. A tab that waits for its turn to renew then needs no renewal.
let otherTabs: BroadcastChannel | undefined;
try {
  otherTabs = new BroadcastChannel('session');
  otherTabs.onmessage = ({ data }: MessageEvent<string | null>) => (data === null ? forget() : adopt(data));
} catch {
  // Some browsers have no channels, or refuse them because they store nothing. Each tab then renews by itself.
}

/** Takes a new token. Another person does not continue the page of the first one, but begins at Start. */
const adopt = (next: string): void => {
  const who = identityIn(next);
  owner ??= who.userId;
  if (owner === who.userId) {
    token = next;
    become({ status: 'signed-in', who });
    return;
  }
  // Pages disappear first, so that none of them asks whether to leave it.
  become({ status: 'unknown' });
  setTimeout(() => window.location.assign('/console/'));
};

/** Shows nothing of the person who was signed in: the next reader of a shared computer may be another one. */
const forget = (): void => {
  forgotten += 1;
  token = undefined;
  become({ status: 'anonymous' });
};

/** Takes the token of a sign-in or a renewal, and tells the other tabs. */
const keep = (next: string): void => {
  adopt(next);
  otherTabs?.postMessage(next);
};

/** Returns who a token is for. Whatever responds without one is not the service. */
const identityIn = (jwt: string): Identity => {
  try {
    const [, payload = ''] = jwt.split('.');
    const bytes = Uint8Array.from(atob(payload.replaceAll('-', '+').replaceAll('_', '/')), (each) =>
      each.charCodeAt(0),
    );
    const { sub, sid, roles } = JSON.parse(new TextDecoder().decode(bytes));
    return { userId: sub, sessionId: sid, roles };
  } catch (cause) {
    throw unreachable(cause);
  }
};

/** Sends a request that belongs to the session itself, so it waits for no renewal. Rejects with `Refusal`. */
const call = async (path: string, init: RequestInit) => {
  const response = await exchange(path, init);
  // A redirect has no body, and neither has the end of a session.
  const body = response.body === null ? undefined : await response.json();
  if (response.status >= 400) throw refusalOf(response, body);
  return body;
};

const post = (path: string, body: object, more: RequestInit = {}) =>
  call(path, {
    method: 'POST',
    body: JSON.stringify(body),
    ...more,
    headers: { 'Content-Type': 'application/json', ...more.headers },
  });

/** Learns whether callers must sign in, and continues the session of this browser if it has one. */
export const startSession = async (): Promise<void> => {
  const { auth } = await call('/', { headers: { Accept: 'application/json' } });
  if (auth === 'open') become({ status: 'open' });
  else if (!(await renew(undefined))) become({ status: 'anonymous' });
};

// The tokens of sessions whose sign-in failed at its second step. Nothing but this page can end them.
const unkept = new Set<string>();

/** Ends the sessions that no cookie keeps. A session that cannot be ended now is tried again after the next sign-in. */
const endUnkept = async (): Promise<void> => {
  for (const each of unkept) {
    const init = { method: 'DELETE', headers: { Authorization: `Bearer ${each}` } };
    const ending = call(`/auth-service/sessions/${identityIn(each).sessionId}`, init);
    await ending.then(() => unkept.delete(each)).catch(() => undefined);
  }
};

/**
 * Signs in (endpoint 21) and stores the tokens in cookies (endpoint 22, variant A). If the second step fails, ends the
 * session that the first one began. Rejects with `Refusal`.
 */
export const signIn = async (email: string, password: string): Promise<void> => {
  const credentials = { type: 'USERPASS', platform: 'WEB', email, password };
  const { user, token, refreshToken } = await post('/auth-service/auth', credentials, {
    headers: { 'app-name': 'console' },
  });
  unkept.add(token);
  try {
    const kept = await post('/api/update-token', { data: { user_id: user.id, token, refresh_token: refreshToken } });
    unkept.delete(token);
    keep(kept.token);
  } finally {
    await endUnkept();
  }
};

/**
 * Signs out (endpoint 23), and loads the page again, so that nothing of the reader stays in memory. The redirect of the
 * endpoint is for browsers without scripts. Rejects with `Refusal`.
 */
export const signOut = async (): Promise<void> => {
  await post('/api/sign-out', {}, { redirect: 'manual', headers: { Authorization: `Bearer ${token}` } });
  otherTabs?.postMessage(null);
  window.location.assign('/console/sign-in');
};

/** Forgets a session that the service has ended. */
export const leave = (): void => {
  forget();
  otherTabs?.postMessage(null);
};

let renewing: Promise<boolean> | undefined;

/**
 * Renews the token once for all requests that wait (endpoint 22, variant B). Returns false if the session has ended.
 * `refused` is the token that the service no longer accepts. Rejects with `Refusal` if the service cannot say.
 */
export const renew = (refused: string | undefined): Promise<boolean> => {
  renewing ??= oneTabAtATime(async () => (token === refused ? renewByCookie() : true)).finally(() => {
    renewing = undefined;
  });
  return renewing;
};

/**
 * Waits until no other tab renews. Over plain http, browsers have no Web Locks, and some refuse them. A tab that sleeps may
 * hold the lock forever. Without the lock, the 10 s help for which the service accepts a used refresh token.
 */
const oneTabAtATime = async (work: () => Promise<boolean>): Promise<boolean> => {
  const waiting = new AbortController();
  const timer = setTimeout(() => waiting.abort(), PATIENCE_MS);
  let done: Promise<boolean> | undefined;
  const begin = () => {
    clearTimeout(timer);
    done ??= work();
    return done;
  };
  try {
    return await navigator.locks.request('renewal of the session', { signal: waiting.signal }, begin);
  } catch {
    return begin();
  }
};

const renewByCookie = async (): Promise<boolean> => {
  const before = forgotten;
  const renewed = await post('/api/update-token', { url: 'auth-service/refresh-token', data: {} }).catch(ignoreRefused);
  if (forgotten !== before) return false;
  if (renewed !== undefined) keep(renewed.token);
  else if ('who' in session) become({ status: 'ended', who: session.who });
  return renewed !== undefined;
};

const ignoreRefused = (error: unknown): undefined => {
  if (!(error instanceof Refusal) || error.code !== 'tokens-refused') throw error;
};
