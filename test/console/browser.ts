// A browser for tests of the client: tabs that share a service, cookies that the service keeps, and no waiting.
import { onTestFinished, vi } from 'vitest';

export const ORIGIN = 'https://clinic.example';
const PATIENCE_MS = 20_000;

/** Responds to a request; a function that throws stands for a lost connection. */
export type Respond = (request: Request, signal?: AbortSignal) => Response | Promise<Response>;

/** Returns an access token as far as the client reads it. */
export const tokenOf = (
  sub: string,
  more: { readonly sid?: string; readonly roles?: readonly string[]; readonly n?: number } = {},
) =>
  `header.${Buffer.from(JSON.stringify({ sub, sid: 'a session', roles: [], ...more })).toString('base64url')}.signature`;

export const json = (body: unknown, init?: ResponseInit): Response => Response.json(body, init);

export const refused = (status: number, code: string, headers: Readonly<Record<string, string>> = {}): Response =>
  json({ code, title: 'A title', detail: 'A detail' }, { status, headers });

class Channel {
  static readonly all = new Set<Channel>();
  onmessage: ((event: { readonly data: unknown }) => void) | null = null;

  constructor() {
    Channel.all.add(this);
  }

  postMessage(data: unknown): void {
    for (const each of Channel.all) if (each !== this) each.onmessage?.({ data });
  }
}

/** Rejects when a signal aborts. */
const aborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));

/** Web Locks: one after another. */
const locks = () => {
  let last: Promise<unknown> = Promise.resolve();
  return {
    request: async <T>(_: string, { signal }: { readonly signal: AbortSignal }, work: () => Promise<T>): Promise<T> => {
      const turn = Promise.race([last, aborted(signal)]);
      const mine = turn.then(work);
      last = Promise.allSettled([last, mine]);
      return mine;
    },
  };
};

interface Has {
  /** Web Locks, which browsers have over https only, or what there is instead. */
  readonly navigator?: object;
  readonly BroadcastChannel?: unknown;
}

/** Opens a browser. */
export const openBrowser = (respond: Respond, has: Has = {}) => {
  const requests: Request[] = [];
  const pausesMs: number[] = [];
  const went: string[] = [];
  const patient = new Map<object, () => void>();
  let begun = 0;
  Channel.all.clear();
  vi.stubGlobal('window', { location: { origin: ORIGIN, assign: (to: string) => went.push(to) } });
  vi.stubGlobal('document', { documentElement: { lang: 'pt' } });
  vi.stubGlobal('navigator', { locks: locks(), ...has.navigator });
  vi.stubGlobal('BroadcastChannel', 'BroadcastChannel' in has ? has.BroadcastChannel : Channel);
  vi.stubGlobal('setTimeout', (run: () => void, ms = 0) => {
    const timer = {};
    if (ms === PATIENCE_MS) {
      patient.set(timer, run);
      begun += 1;
    } else {
      pausesMs.push(ms);
      queueMicrotask(run);
    }
    return timer;
  });
  vi.stubGlobal('clearTimeout', (timer: object) => patient.delete(timer));
  vi.stubGlobal('fetch', async (input: Request | string, init: RequestInit & { readonly signal: AbortSignal }) => {
    const request = new Request(input instanceof Request ? input : new URL(input, ORIGIN), init);
    requests.push(request.clone());
    return Promise.race([respond(request, init.signal), aborted(init.signal)]);
  });
  onTestFinished(() => void vi.unstubAllGlobals());
  return {
    requests,
    pausesMs,
    went,
    /** How many wait for a byte or for another tab. */
    waiting: () => patient.size,
    /** How often something began to wait for the next byte or for another tab. */
    begun: () => begun,
    /** Lets pass the time for which the first of those that wait now are patient. */
    losePatience: (first = patient.size) => {
      for (const [timer, run] of [...patient].slice(0, first)) {
        patient.delete(timer);
        run();
      }
    },
    /** Opens a tab, which has its own copy of the client. */
    openTab: async () => {
      vi.resetModules();
      const client = await import('../../console/src/api/client.js');
      const session = await import('../../console/src/api/session.js');
      return { ...client, ...session };
    },
  };
};

export const pathOf = ({ url }: Request): string => new URL(url).pathname;

export const read = (path: string): Request => new Request(ORIGIN + path);

/** Returns a service that responds with each response once, and then with the last one. */
export const inTurn = (...responses: readonly Respond[]): Respond => {
  const left = [...responses];
  return (...sent) => (left.length > 1 ? left.shift() : left[0])?.(...sent) ?? Response.error();
};
export const lost = (): never => {
  throw new TypeError('Failed to fetch');
};
/** Stands for a connection that is half open. */
export const silent = (): Promise<never> => new Promise(() => {});
export const busy = (status: number, seconds?: number) => () =>
  refused(status, 'busy', seconds === undefined ? {} : { 'Retry-After': `${seconds}` });

export const change = (body: object, path = '/users/ana', etag = '"1"') =>
  new Request(ORIGIN + path, {
    method: 'PUT',
    body: JSON.stringify(body),
    headers: { 'Content-Type': 'application/json', 'If-Match': etag },
  });

export const fine =
  (headers: Readonly<Record<string, string>> = {}) =>
  () =>
    json({}, { headers });
export const keysIn = (requests: readonly Request[]) => requests.map(({ headers }) => headers.get('Idempotency-Key'));
