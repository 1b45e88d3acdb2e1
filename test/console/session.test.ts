// The session of a tab: how it begins, renews its token, and ends.
import { describe, expect, it } from 'vitest';
import { busy, inTurn, json, lost, openBrowser, pathOf, type Respond, read, refused, tokenOf } from './browser.js';
import { bearerOf, RENEWAL, serviceOf, tokens } from './session-service.js';

const [first = '', second = ''] = tokens;

const serverOf = (has: object) => {
  const service = serviceOf();
  return { ...service, ...openBrowser(service.respond, has) };
};

describe('a session', () => {
  it('continues with the cookie', async () => {
    const browser = openBrowser(serviceOf().respond);
    const tab = await browser.openTab();
    await tab.startSession();
    expect(tab.currentSession()).toEqual({
      status: 'signed-in',
      who: { userId: 'ana', sessionId: 'a session', roles: [] },
    });
  });

  it('is anonymous without a cookie', async () => {
    const tab = await openBrowser(serviceOf({ endsAfter: 0 }).respond).openTab();
    await tab.startSession();
    expect(tab.currentSession()).toEqual({ status: 'anonymous' });
  });

  it('does not renew in open mode', async () => {
    const service = serviceOf({ auth: 'open' });
    const tab = await openBrowser(service.respond).openTab();
    await tab.startSession();
    expect(tab.currentSession()).toEqual({ status: 'open' });
    expect(service.renewals()).toBe(0);
  });

  it('does not begin if the service cannot say who signs in', async () => {
    const tab = await openBrowser(inTurn(busy(502))).openTab();
    await expect(tab.startSession()).rejects.toMatchObject({ problem: { code: 'busy' } });
    expect(tab.currentSession()).toEqual({ status: 'unknown' });
  });

  it('stays if a sign-out is refused', async () => {
    const browser = openBrowser(inTurn(busy(403)));
    const tab = await browser.openTab();
    await expect(tab.signOut()).rejects.toMatchObject({ problem: { code: 'busy' } });
    expect(browser.went).toEqual([]);
  });
});

describe('a sign-in whose second step fails', () => {
  type Failing = (request: Request, n: number) => Response | undefined;
  /** A service whose sessions can be counted. `failing` responds to some requests after the nth sign-in, or to none. */
  const counting = (failing: Failing) => {
    const open = new Set<string>();
    let begun = 0;
    const newest = () => tokenOf('ana', { sid: `${begun}` });
    const begin = () => {
      begun += 1;
      open.add(`${begun}`);
      return json({ user: { id: 'ana' }, token: newest(), refreshToken: 'back' });
    };
    const end = (request: Request) =>
      open.delete(pathOf(request).split('/').at(-1) ?? '')
        ? new Response(null, { status: 204 })
        : refused(401, 'token-refused');
    const respond: Respond = (request) => {
      if (pathOf(request) === '/auth-service/auth') return begin();
      const failure = failing(request, begun);
      return failure ?? (request.method === 'DELETE' ? end(request) : json({ token: newest() }));
    };
    return { respond, open };
  };
  const isSecondStep = (request: Request, n: number) => n < 3 && pathOf(request) === RENEWAL;
  const isEnd = ({ method }: Request) => method === 'DELETE';

  it.each<[string, string, Failing]>([
    ['is lost', 'unreachable', (request, n) => (isSecondStep(request, n) ? lost() : undefined)],
    ['is refused', 'busy', (request, n) => (isSecondStep(request, n) ? busy(503)() : undefined)],
    ['is lost with the end of its session', 'unreachable', (_, n) => (n < 3 ? lost() : undefined)],
    [
      'is lost once with the end of its session',
      'unreachable',
      (request, n) => (isSecondStep(request, n) || (n === 1 && isEnd(request)) ? lost() : undefined),
    ],
  ])('because it %s leaves no session beside the one that lasts', async (_, code, failing) => {
    const service = counting(failing);
    const tab = await openBrowser(service.respond).openTab();
    for (let n = 1; n < 3; n += 1) {
      await expect(tab.signIn('ana', 'a password')).rejects.toMatchObject({ problem: { code } });
    }
    await tab.signIn('ana', 'a password');
    expect([...service.open]).toEqual(['3']);
    expect(tab.currentSession()).toMatchObject({ status: 'signed-in', who: { sessionId: '3' } });
  });
});

describe('a renewal', () => {
  it('happens once for all requests that wait', async () => {
    const service = serviceOf();
    const { openTab, requests } = openBrowser(service.respond);
    const tab = await openTab();
    await tab.startSession();
    service.expire();
    const responses = await Promise.all(['/a', '/b', '/c'].map((path) => tab.send(read(path))));
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(service.renewals()).toBe(2);
    expect(requests.slice(-3).map(bearerOf)).toEqual([second, second, second]);
  });

  it('happens once for two tabs that need it at the same time', async () => {
    const service = serviceOf();
    const { openTab } = openBrowser(service.respond);
    const tabs = [await openTab(), await openTab()];
    for (const tab of tabs) await tab.startSession();
    service.expire();
    const before = service.renewals();
    const responses = await Promise.all(tabs.map((tab) => tab.send(read('/a'))));
    expect(responses.map(({ status }) => status)).toEqual([200, 200]);
    expect(service.renewals()).toBe(before + 1);
  });

  const refusal = new DOMException('The operation is insecure.', 'SecurityError');
  const refuse = () => {
    throw refusal;
  };
  it.each<[string, object]>([
    ['without Web Locks', { navigator: { locks: undefined } }],
    ['whose Web Locks are refused', { navigator: { locks: { request: () => Promise.reject(refusal) } } }],
    ['whose Web Locks fail at once', { navigator: { locks: { request: refuse } } }],
  ])('works in each of two tabs of a browser %s', async (_, has) => {
    const service = serverOf(has);
    const tabs = [await service.openTab(), await service.openTab()];
    for (const tab of tabs) await tab.startSession();
    service.expire();
    const responses = await Promise.all(tabs.map((tab) => tab.send(read('/a'))));
    expect(responses.map(({ status }) => status)).toEqual([200, 200]);
    expect(service.renewals()).toBe(3);
    expect(tabs.map((tab) => tab.currentToken())).toEqual([tokens[2], tokens[2]]);
    expect(service.waiting()).toBe(0);
  });

  it.each<[string, unknown]>([
    ['without channels', undefined],
    ['whose channels are null', null],
    [
      'that refuses channels',
      class {
        constructor() {
          refuse();
        }
      },
    ],
  ])('works in each of two tabs of a browser %s, and so does a sign-out', async (_, BroadcastChannel) => {
    const service = serverOf({ BroadcastChannel });
    const [tab, other] = [await service.openTab(), await service.openTab()];
    await tab.startSession();
    await other.startSession();
    service.expire();
    expect((await tab.send(read('/a'))).status).toBe(200);
    expect((await other.send(read('/a'))).status).toBe(200);
    tab.leave();
    await other.signOut();
    expect([tab.currentSession().status, service.went]).toEqual(['anonymous', ['/console/sign-in']]);
  });

  it('gives its token to the other tabs', async () => {
    const service = serviceOf();
    const { openTab } = openBrowser(service.respond);
    const [one, other] = [await openTab(), await openTab()];
    await one.startSession();
    expect(other.currentToken()).toBe(first);
    expect(other.currentSession().status).toBe('signed-in');
  });

  it('that ends after a sign-out in another tab does not bring the person back', async () => {
    const service = serviceOf();
    let isHeld = false;
    let answer: (() => void) | undefined;
    const { openTab } = openBrowser(async (request) => {
      if (isHeld && pathOf(request) === RENEWAL) await new Promise<void>((go) => (answer = go));
      return service.respond(request);
    });
    const [tab, other] = [await openTab(), await openTab()];
    await tab.startSession();
    await other.startSession();
    isHeld = true;
    const renewal = tab.renew(tab.currentToken());
    await expect.poll(() => answer).toBeDefined();
    other.leave();
    answer?.();
    expect(await renewal).toBe(false);
    expect([tab, other].map((each) => each.currentSession().status)).toEqual(['anonymous', 'anonymous']);
  });

  it('happens once for a request, even if the new token is refused too', async () => {
    const service = serviceOf();
    const respond: Respond = (request) =>
      pathOf(request) === '/a' ? refused(401, 'token-refused') : service.respond(request);
    const tab = await openBrowser(respond).openTab();
    await tab.startSession();
    expect((await tab.send(read('/a'))).status).toBe(401);
    expect(service.renewals()).toBe(2);
  });

  it('that gets no response is tried again with its request', async () => {
    const service = serviceOf();
    let isLost = false;
    const respond: Respond = (request) => {
      if (!isLost || pathOf(request) !== RENEWAL) return service.respond(request);
      isLost = false;
      return lost();
    };
    const tab = await openBrowser(respond).openTab();
    await tab.startSession();
    service.expire();
    isLost = true;
    expect((await tab.send(read('/a'))).status).toBe(200);
    expect(tab.currentSession().status).toBe('signed-in');
  });
});

describe('a session that has ended', () => {
  const ended = async () => {
    const service = serviceOf({ endsAfter: 1 });
    const browser = openBrowser(service.respond);
    const tab = await browser.openTab();
    await tab.startSession();
    service.expire();
    const waiting = tab.send(read('/a'));
    await expect.poll(() => tab.currentSession().status).toBe('ended');
    return { ...browser, tab, waiting };
  };

  it('lets its requests wait for the next sign-in of the same person', async () => {
    const { tab, waiting } = await ended();
    await tab.signIn('ana', 'a password');
    expect((await waiting).status).toBe(200);
    expect(tab.currentSession()).toMatchObject({ status: 'signed-in', who: { sessionId: 'another session' } });
  });

  it('does not continue for another person, who begins at Start', async () => {
    const { tab, waiting, went } = await ended();
    await tab.signIn('bia', 'a password');
    expect((await waiting).status).toBe(401);
    await expect.poll(() => went).toEqual(['/console/']);
    expect(tab.currentSession()).toEqual({ status: 'unknown' });
    expect(tab.currentToken()).toBe(first);
  });

  it('does not continue for another person after the reader left the page either', async () => {
    const { tab, waiting, went } = await ended();
    tab.leave();
    expect((await waiting).status).toBe(401);
    expect(tab.currentSession()).toEqual({ status: 'anonymous' });
    await tab.signIn('bia', 'a password');
    await expect.poll(() => went).toEqual(['/console/']);
  });

  it('ends in the other tabs too, when the reader leaves it', async () => {
    const { tab, openTab } = await ended();
    const other = await openTab();
    tab.leave();
    expect(other.currentSession()).toEqual({ status: 'anonymous' });
  });
});
