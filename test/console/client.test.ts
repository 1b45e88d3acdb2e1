// The client of the API: keys, repetition, and what it takes from responses.
import { describe, expect, it } from 'vitest';
import { busy, change, fine, inTurn, json, keysIn, lost, openBrowser, pathOf, read, refused } from './browser.js';

describe('a change', () => {
  it('has a key, and its language is that of the page', async () => {
    const { openTab, requests } = openBrowser(inTurn(fine()));
    await (await openTab()).send(change({ a: 1 }));
    expect(keysIn(requests)).toEqual([expect.stringMatching(/^[0-9a-f]{32}$/)]);
    expect(requests[0]?.headers.get('Accept-Language')).toBe('pt');
  });

  it('keeps its key while the connection is lost', async () => {
    const { openTab, requests, pausesMs } = openBrowser(inTurn(lost, lost, fine()));
    expect((await (await openTab()).send(change({ a: 1 }))).status).toBe(200);
    expect(new Set(keysIn(requests)).size).toBe(1);
    expect(pausesMs).toEqual([500, 2_000]);
  });

  it('keeps its key if the reader sends it again by hand', async () => {
    const { openTab, requests } = openBrowser(inTurn(lost, lost, lost, lost, fine()));
    const tab = await openTab();
    await expect(tab.send(change({ a: 1 }))).rejects.toMatchObject({ problem: { code: 'unreachable' } });
    await tab.send(change({ a: 1 }));
    expect(requests).toHaveLength(5);
    expect(new Set(keysIn(requests)).size).toBe(1);
  });

  it.each([
    ['a failure', busy(500)],
    ['a proxy that got no response', busy(502)],
    ['a store that failed', busy(503)],
    ['the same request in progress', busy(409, 1)],
  ])('keeps its key after %s', async (_, response) => {
    const { openTab, requests } = openBrowser(inTurn(response));
    const tab = await openTab();
    await tab.send(change({ a: 1 }));
    await tab.send(change({ a: 1 }));
    expect(new Set(keysIn(requests)).size).toBe(1);
  });

  it.each([
    ['was stored', fine()],
    ['was refused', busy(400)],
    ['met another one', busy(409)],
    ['met a newer state', busy(412)],
  ])('gets a new key after it %s', async (_, response) => {
    const { openTab, requests } = openBrowser(inTurn(response));
    const tab = await openTab();
    await tab.send(change({ a: 1 }));
    await tab.send(change({ a: 1 }));
    expect(new Set(keysIn(requests)).size).toBe(2);
  });

  it('has another key with another body, at another address, and of another state', async () => {
    const { openTab, requests } = openBrowser(inTurn(busy(503)));
    const tab = await openTab();
    await tab.send(change({ a: 1 }));
    await tab.send(change({ a: 2 }));
    await tab.send(change({ a: 1 }, '/users/bia'));
    await tab.send(change({ a: 1 }, '/users/ana', '"2"'));
    expect(new Set(keysIn(requests)).size).toBe(4);
  });

  it.each([
    '/auth-service/password',
    '/auth-service/password/reset',
    '/auth-service/password/reset-code',
    '/auth-service/change-phone',
  ])('at %s, which ignores keys, is sent only once', async (path) => {
    const { openTab, requests } = openBrowser(inTurn(lost, fine()));
    const tab = await openTab();
    await expect(tab.send(change({ a: 1 }, path))).rejects.toMatchObject({ problem: { code: 'unreachable' } });
    expect(requests).toHaveLength(1);
  });
});

describe('a request', () => {
  it.each([
    [503, 1],
    [503, 10],
    [409, 2],
  ])('is sent again after %i with Retry-After: %i', async (status, seconds) => {
    const { openTab, requests, pausesMs } = openBrowser(inTurn(busy(status, seconds), fine()));
    expect((await (await openTab()).send(read('/a'))).status).toBe(200);
    expect(requests).toHaveLength(2);
    expect(pausesMs).toEqual([seconds * 1_000]);
  });

  it('waits at least a moment before it is sent again', async () => {
    const { openTab, pausesMs } = openBrowser(inTurn(busy(503, 0), fine()));
    await (await openTab()).send(read('/a'));
    expect(pausesMs).toEqual([500]);
  });

  it.each([
    ['503 without Retry-After', busy(503)],
    ['503 with a long Retry-After', busy(503, 60)],
    ['409 without Retry-After', busy(409)],
    ['429', busy(429, 1)],
    ['500', busy(500, 1)],
  ])('is not sent again after %s', async (_, response) => {
    const { openTab, requests } = openBrowser(inTurn(response));
    await (await openTab()).send(read('/a'));
    expect(requests).toHaveLength(1);
  });

  it('is sent four times at most', async () => {
    const { openTab, requests } = openBrowser(inTurn(busy(503, 1)));
    expect((await (await openTab()).send(read('/a'))).status).toBe(503);
    expect(requests).toHaveLength(4);
  });
});

describe('a read', () => {
  it('sees the newest change of this tab', async () => {
    const { openTab, requests } = openBrowser((request) =>
      request.method === 'GET' ? fine()() : fine({ 'Consistency-Token': `of ${pathOf(request)}` })(),
    );
    const tab = await openTab();
    await tab.send(read('/a'));
    await tab.send(change({}, '/one'));
    await tab.send(change({}, '/two'));
    await tab.send(read('/a'));
    const sent = requests
      .filter(({ method }) => method === 'GET')
      .map(({ headers }) => headers.get('Consistency-Token'));
    expect(sent).toEqual([null, 'of /two']);
  });

  it('keeps the token if a later change has none', async () => {
    const { openTab, requests } = openBrowser(inTurn(fine({ 'Consistency-Token': 'one' }), busy(400), fine()));
    const tab = await openTab();
    await tab.send(change({}));
    await tab.send(change({}));
    await tab.send(read('/a'));
    expect(requests.at(-1)?.headers.get('Consistency-Token')).toBe('one');
  });
});

describe('a read whose view does not catch up', () => {
  const view = (lag: unknown) => json({ code: 'view-behind', lag }, { status: 503, headers: { 'Retry-After': '2' } });
  const isSlow = (request: Request) => request.headers.has('Consistency-Token') && pathOf(request) === '/institutions';
  /** Opens a tab that has changed something, at a service whose view of institutions has stopped. */
  const changed = async (lag: unknown = { seconds: 7 }) => {
    const state = { isStopped: true };
    const browser = openBrowser((request) =>
      request.method !== 'GET'
        ? fine({ 'Consistency-Token': 'newest' })()
        : state.isStopped && isSlow(request)
          ? view(lag)
          : json({ items: [], nextCursor: null }),
    );
    const tab = await browser.openTab();
    await tab.send(change({}));
    browser.requests.length = 0;
    const list = () => tab.answerOf(tab.api.GET('/institutions'));
    return { ...browser, tab, state, list };
  };
  const tokens = (requests: readonly Request[]) => requests.map(({ headers }) => headers.get('Consistency-Token'));

  it('takes what there is after the last refusal, and says how far it is behind', async () => {
    const { list, requests } = await changed();
    expect(await list()).toMatchObject({ value: { items: [] }, behind: { seconds: 7 } });
    expect(tokens(requests)).toEqual(['newest', 'newest', 'newest', 'newest', null]);
  });

  it.each([{}, null, { seconds: 'many' }])('says so too if the service gives no seconds but %j', async (lag) => {
    const { list } = await changed(lag);
    expect((await list()).behind).toEqual({ seconds: undefined });
  });

  it('does not wait again for the next read of the same list', async () => {
    const { list, requests } = await changed();
    await list();
    requests.length = 0;
    expect((await list()).behind).toEqual({ seconds: 7 });
    expect(tokens(requests)).toEqual(['newest', null]);
  });

  it('says nothing any more once the view has caught up, and waits again', async () => {
    const { list, state, requests } = await changed();
    await list();
    state.isStopped = false;
    expect(await list()).not.toHaveProperty('behind');
    state.isStopped = true;
    requests.length = 0;
    await list();
    expect(requests).toHaveLength(5);
  });

  it('keeps no token from the reads of other resources', async () => {
    const { tab, list, requests } = await changed();
    await list();
    await tab.send(read('/protocols'));
    expect(requests.at(-1)?.headers.get('Consistency-Token')).toBe('newest');
  });

  it.each([
    ['another refusal', () => refused(503, 'store-unavailable', { 'Retry-After': '60' })],
    ['a refusal of a proxy', () => json({ message: 'Unavailable' }, { status: 503 })],
  ])('takes nothing older after %s', async (_, response) => {
    const { openTab, requests } = openBrowser(inTurn(fine({ 'Consistency-Token': 'newest' }), response));
    const tab = await openTab();
    await tab.send(change({}));
    expect((await tab.send(read('/a'))).status).toBe(503);
    expect(tokens(requests)).toEqual([null, 'newest']);
  });
});

describe('an answer', () => {
  const answer = async (response: () => Response) => {
    const tab = await openBrowser(inTurn(response)).openTab();
    return tab.answerOf(tab.api.GET('/users/{id}', { params: { path: { id: 'ana' } } }));
  };

  it.each([
    ['"7"', '"7"'],
    ['W/"7"', '"7"'],
  ])('has a strong ETag for %s, as If-Match needs it', async (sent, etag) =>
    expect(await answer(fine({ ETag: sent }))).toEqual({ value: {}, etag, isMessageWithheld: false }),
  );

  it('says whether a message was withheld', async () =>
    expect(await answer(fine({ 'Message-Withheld': 'quota' }))).toMatchObject({ isMessageWithheld: true }));

  it('is a refusal with the problem of the service', async () =>
    expect(answer(busy(429, 7))).rejects.toMatchObject({
      problem: { code: 'busy', title: 'A title', detail: 'A detail' },
      retryAfterS: 7,
    }));

  it('is a refusal even if a proxy responds without a problem', async () =>
    expect(answer(() => json({ message: 'Forbidden' }, { status: 403 }))).rejects.toMatchObject({
      problem: { code: 'status-403' },
    }));
});
