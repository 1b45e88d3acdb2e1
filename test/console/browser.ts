// A browser for tests of the client: tabs that share a service, cookies that the service keeps, and no waiting.
import { onTestFinished, vi } from 'vitest';

export const ORIGIN = 'https://clinic.example';

/** Responds to a request; a function that throws stands for a lost connection. */
export type Respond = (request: Request) => Response | Promise<Response>;

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

/** Web Locks: one after another. */
const locks = () => {
  let last: Promise<unknown> = Promise.resolve();
  return {
    request: <T>(_: string, work: () => Promise<T>): Promise<T> => {
      const mine = last.then(work);
      last = mine.catch(() => undefined);
      return mine;
    },
  };
};

/** Opens a browser. `hasLocks`: whether it has Web Locks, which browsers have over https only. */
export const openBrowser = (respond: Respond, { hasLocks = true } = {}) => {
  const requests: Request[] = [];
  const pausesMs: number[] = [];
  const went: string[] = [];
  Channel.all.clear();
  vi.stubGlobal('window', { location: { origin: ORIGIN, assign: (to: string) => went.push(to) } });
  vi.stubGlobal('document', { documentElement: { lang: 'pt' } });
  vi.stubGlobal('navigator', hasLocks ? { locks: locks() } : {});
  vi.stubGlobal('BroadcastChannel', Channel);
  vi.stubGlobal('setTimeout', (run: () => void, ms = 0) => {
    pausesMs.push(ms);
    queueMicrotask(run);
  });
  vi.stubGlobal('fetch', async (input: Request | string, init?: RequestInit) => {
    const request = input instanceof Request ? input : new Request(new URL(input, ORIGIN), init);
    requests.push(request.clone());
    return respond(request);
  });
  onTestFinished(() => void vi.unstubAllGlobals());
  return {
    requests,
    pausesMs,
    went,
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
export const inTurn = (...responses: readonly (() => Response)[]): Respond => {
  const left = [...responses];
  return () => (left.length > 1 ? left.shift() : left[0])?.() ?? Response.error();
};
export const lost = (): never => {
  throw new TypeError('Failed to fetch');
};
export const busy = (status: number, seconds?: number) => () =>
  refused(status, 'busy', seconds === undefined ? {} : { 'Retry-After': `${seconds}` });
