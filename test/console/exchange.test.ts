// What happens if the service cannot be reached: something else responds, or nothing more arrives.
import { describe, expect, it } from 'vitest';
import { change, fine, inTurn, json, keysIn, openBrowser, pathOf, type Respond, read, silent } from './browser.js';
import { RENEWAL, serviceOf } from './session-service.js';

const unreachable = { problem: { code: 'unreachable' } };

describe('what is no JSON', () => {
  const html = '<!doctype html><title>Log in to the Wi-Fi</title>';
  const page = (body: string | null, status = 200, type = 'text/html') =>
    new Response(body, { status, headers: { 'Content-Type': type } });

  it.each<[string, () => Response]>([
    ['the page of a captive portal', () => page(html)],
    ['a page that says that it is JSON', () => page(html, 200, 'application/json')],
    ['JSON that was cut', () => page('{"id":"ana","profi', 200, 'application/json')],
    ['a cut refusal', () => page('{"code":"not-al', 403, 'application/problem+json')],
    ['an empty response', () => page('')],
    ['a response without a body', () => page(null, 201)],
    ['blanks', () => page(' \n', 200, 'application/json')],
    ['a text', () => json('fine')],
    ['null', () => json(null)],
    ['a number', () => page('1')],
    ['the page of a proxy that got no response', () => page(html, 502)],
    ['the page of a proxy that is too busy', () => page(html, 429)],
    ['an empty refusal', () => page('', 503)],
  ])('does not come from the service: %s', async (_, response) => {
    const { openTab } = openBrowser(inTurn(response));
    const tab = await openTab();
    await expect(tab.send(read('/a'))).rejects.toMatchObject(unreachable);
    await expect(tab.send(change({ a: 1 }))).rejects.toMatchObject(unreachable);
    await expect(tab.startSession()).rejects.toMatchObject(unreachable);
  });

  it.each([
    ['a page', () => page(html)],
    ['a cut response', () => page('{"id":')],
    ['a page of a proxy', () => page(html, 504)],
  ])('leaves open whether a change was stored, so it keeps its key: %s', async (_, response) => {
    const { openTab, requests } = openBrowser(inTurn(response, fine()));
    expect((await (await openTab()).send(change({ a: 1 }))).status).toBe(200);
    expect(new Set(keysIn(requests)).size).toBe(1);
    expect(requests).toHaveLength(2);
  });

  it('is expected where the service sends nothing', async () => {
    const { openTab } = openBrowser(inTurn(() => new Response(null, { status: 204 })));
    expect((await (await openTab()).send(change({ a: 1 }))).status).toBe(204);
  });
});

/** Responds with the first bytes of a response, and then with the bytes that `more` is called with, until the request ends. */
const slowly = (first: string) => {
  let more = (_part: string, _isLast: boolean): void => {};
  const respond: Respond = (_, signal) => {
    const bytes = new TextEncoder();
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        controller.enqueue(bytes.encode(first));
        more = (part, isLast) => {
          controller.enqueue(bytes.encode(part));
          if (isLast) controller.close();
        };
        signal?.addEventListener('abort', () => controller.error(signal.reason));
      },
    });
    return new Response(body, { headers: { 'Content-Type': 'application/json' } });
  };
  return { respond, more: (part: string, isLast = false) => more(part, isLast) };
};

describe('a request in which nothing more arrives', () => {
  it.each([
    ['that gets no response', silent],
    ['whose response has no body', slowly('').respond],
    ['whose response stops', slowly('{"items": [').respond],
  ])('%s ends, and is not sent again by itself', async (_, respond) => {
    const { openTab, requests, waiting, losePatience } = openBrowser(respond);
    const tab = await openTab();
    for (const request of [read('/a'), change({ a: 1 })]) {
      const sent = tab.send(request);
      await expect.poll(waiting).toBe(1);
      losePatience();
      await expect(sent).rejects.toMatchObject(unreachable);
    }
    expect(requests).toHaveLength(2);
    expect(waiting()).toBe(0);
  });

  it('keeps its key if the reader sends it again', async () => {
    const { openTab, requests, waiting, losePatience } = openBrowser(inTurn(silent, fine()));
    const tab = await openTab();
    const sent = tab.send(change({ a: 1 }));
    await expect.poll(waiting).toBe(1);
    losePatience();
    await expect(sent).rejects.toMatchObject(unreachable);
    await tab.send(change({ a: 1 }));
    expect(requests).toHaveLength(2);
    expect(new Set(keysIn(requests)).size).toBe(1);
  });

  it('does not end while bytes arrive, however slowly', async () => {
    const slow = slowly('{"a":');
    const { openTab, waiting, begun } = openBrowser(slow.respond);
    const sent = (await openTab()).send(read('/a'));
    const text = '"é", "b": "日本"}';
    // The request, its head and the first part.
    let heard = 3;
    for (const [at, each] of [...text].entries()) {
      await expect.poll(begun).toBe(heard);
      expect(waiting()).toBe(1);
      slow.more(each, at === text.length - 1);
      heard += 1;
    }
    expect(await (await sent).json()).toEqual({ a: 'é', b: '日本' });
    expect(waiting()).toBe(0);
  });
});

describe('a renewal that gets no response', () => {
  /** Opens tabs whose token has expired, at a service that is silent on renewals as long as `isSilent`. */
  const expired = async (count: number) => {
    const service = serviceOf();
    const state = { isSilent: false, renewals: 0 };
    const browser = openBrowser((request) => {
      if (pathOf(request) !== RENEWAL || !state.isSilent) return service.respond(request);
      state.renewals += 1;
      return silent();
    });
    const tabs = [];
    for (let n = 0; n < count; n += 1) tabs.push(await browser.openTab());
    for (const tab of tabs) await tab.startSession();
    service.expire();
    state.isSilent = true;
    return { ...browser, tabs, state };
  };

  it('ends, and is not sent again by itself', async () => {
    const {
      tabs: [tab],
      state,
      losePatience,
    } = await expired(1);
    const read1 = tab?.send(read('/a'));
    await expect.poll(() => state.renewals).toBe(1);
    losePatience();
    await expect(read1).rejects.toMatchObject({ problem: { code: 'unreachable' } });
    expect(state.renewals).toBe(1);
    state.isSilent = false;
    expect((await tab?.send(read('/a')))?.status).toBe(200);
  });

  it.each([2, 3, 4])('holds up none of %i tabs for longer than one of them', async (count) => {
    const { tabs, state, waiting, losePatience } = await expired(count);
    const reads = tabs.map((tab) => tab.send(read('/a')));
    // One tab waits for its response, and the others for that tab.
    await expect.poll(() => state.renewals).toBe(1);
    await expect.poll(waiting).toBe(count);
    state.isSilent = false;
    losePatience();
    const outcomes = await Promise.allSettled(reads);
    expect(outcomes.map(({ status }) => status).sort()).toEqual(
      ['rejected', ...reads.slice(1).map(() => 'fulfilled')].sort(),
    );
  });

  it('in a tab that sleeps with the lock holds up no other tab', async () => {
    let asked = 0;
    const request = (_: string, { signal }: { readonly signal: AbortSignal }) => {
      asked += 1;
      return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    };
    const service = openBrowser(serviceOf().respond, { navigator: { locks: { request } } });
    const tab = await service.openTab();
    const started = tab.startSession();
    await expect.poll(() => asked).toBe(1);
    service.losePatience();
    await started;
    expect(tab.currentSession().status).toBe('signed-in');
  });
});
