// What a handler sees of a request, what is refused before, and what a response has besides its body.
import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { unidentified } from '../../../src/http/access/access.js';
import { BodyReader } from '../../../src/http/request/bodies.js';
import { cursorText, listOf, pageResult, paging } from '../../../src/http/route/paging.js';
import { type Call, del, get, post, put } from '../../../src/http/route/route.js';
import { uuidOf } from '../../support/specification.js';
import { serve } from '../support/served-routes.js';

const access = { who: unidentified, personal: false, rate: 'sign-in' } as const;
const told = { access, summary: 'Tells what it sees', responses: { 200: z.unknown() } };

/** Tells what a handler sees of a request. */
const seenBy = ({ params, query, body, readOptions, by, client }: Call<unknown, unknown, unknown>) => {
  const { asOf, consistency } = readOptions;
  const { origin, precondition, actor, resumed } = by;
  const found = { params, query, body, asOf, consistency, origin, precondition, actor, resumed };
  return JSON.stringify({ ...found, appName: client.appName });
};
const handle = async (call: object) => ({ body: seenBy(call as never), made: [] });

const routes = [
  get('/things', {
    ...{
      ...told,
      name: 'listThings',
      query: z.object({ ...paging, name: z.string().optional() }),
      travelsInTime: true,
    },
    handle: async ({ query: { cursor, limit } }) =>
      pageResult({ items: JSON.stringify([cursor, limit]), nextCursor: 'next', members: { total: 2 } }),
  }),
  get('/things/{id}', {
    ...told,
    name: 'getThing',
    kind: 'plain',
    query: z.object({ a: z.string().optional() }),
    handle,
  }),
  put('/things/{id}', { ...told, name: 'putThing', body: z.object({ name: z.string() }), handle }),
  del('/things/{id}', { ...told, name: 'deleteThing', body: z.object({}).optional(), kind: 'action', handle }),
  post('/things', {
    ...told,
    access: { ...access, personal: true },
    name: 'createThing',
    responses: { 201: z.unknown() },
    handle: async () => ({
      ...{ body: '{}', made: [], revision: 7, position: 'p', location: '/things/1', cookies: ['A=b'] },
      headers: { 'Message-Withheld': 'quota' },
    }),
  }),
  get('/sent', { ...told, name: 'send', kind: 'message', handle }),
  get('/probe', { ...told, name: 'probe', kind: 'probe', access: { who: unidentified, personal: false }, handle }),
];

let url: string;
const counted: string[] = [];
beforeAll(async () => {
  const limits = {
    ofUser: async ({ isWrite }: { isWrite: boolean }) => void counted.push(`user ${isWrite}`),
    countAddress: async (rate: string) => void counted.push(rate),
    ofBytes: async (bytes: number) => void counted.push(`bytes ${bytes}`),
  };
  const opaque = {
    open: (kind: string, sent: string) => (sent.startsWith(`${kind}.`) ? sent.slice(kind.length + 1) : undefined),
    seal: (kind: string, text: string) => `${kind}.${text}`,
  };
  const bodies = new BodyReader({ pause: () => undefined, resume: () => undefined });
  const services = { bodies, limits: limits as never, opaque: async () => opaque as never };
  const server = await serve({ routes, prefixes: ['', '/v1'] }, services);
  url = server.url;
  return server.close;
});

interface Sending {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}
const THING = `/things/${uuidOf(1)}`;
const JSON_BODY = { 'Content-Type': 'application/json' };
const send = async (path: string, { method = 'GET', ...rest }: Sending = {}) => {
  const response = await fetch(`${url}${path}`, { method, ...rest });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text === '' ? undefined : JSON.parse(text) };
};
const putThing = (headers: Readonly<Record<string, string>>) =>
  send(THING, { method: 'PUT', headers: { ...JSON_BODY, ...headers }, body: '{"name":"x"}' });

/** Returns the status, and the code and the place of each error. */
const refusal = ({
  status,
  body,
}: {
  readonly status: number;
  readonly body: { readonly errors?: readonly object[] };
}) => [
  status,
  ...(body.errors ?? []).map((error) =>
    Object.entries(error).flatMap(([key, text]) => (key === 'message' ? [] : [text])),
  ),
];

describe('a header', () => {
  const LONG = 'a'.repeat(100);
  it.each([
    'https://a.example',
    'HTTPS://A.example:8080',
    `web+app-1.0://${LONG}:80`,
    `https://${LONG}`,
    'http://[2001:db8::1]',
    'http://[2001:db8::1]:8080',
    'my-client/1.0',
    'x'.repeat(64),
  ])('origin %s is recorded', async (origin) => expect((await putThing({ origin })).body.origin).toBe(origin));

  it.each([
    'Ana Souza',
    'mailto:ana@example.org',
    'https://ana@a.example',
    `https://${LONG}/path`,
    `https://${LONG}:123456`,
    `https://${'a'.repeat(254)}`,
    `1https://${LONG}`,
    `x https://${LONG}`,
    'http://[2001:db8::1]x',
    'http://[2001:db8::g]',
    'http://[1]',
    'x'.repeat(65),
  ])('origin %s could be personal, and is left out', async (origin) =>
    expect((await putThing({ origin })).body.origin).toBeUndefined(),
  );

  it.each([
    ['*', 'any'],
    ['"3"', [3]],
    ['"10" , "2","3"', [10, 2, 3]],
    ['W/"3"', []],
    ['"1", W/"2", "x", "01", ""', [1]],
    ['W/"x",  W/"y"', []],
  ])('If-Match: %s requires %j', async (tags, precondition) =>
    expect((await putThing({ 'If-Match': tags })).body.precondition).toEqual(precondition),
  );

  it.each([
    ['If-Match', '3', ['if-match', 'invalid-format']],
    ['If-Match', '"3"x', ['if-match', 'invalid-format']],
    ['If-Match', 'x"3"', ['if-match', 'invalid-format']],
    ['If-Match', '"3" "4"', ['if-match', 'invalid-format']],
    ['If-Match', '"3",', ['if-match', 'invalid-format']],
    ['If-Match', '*, "3"', ['if-match', 'invalid-format']],
    ['Idempotency-Key', 'x'.repeat(256), ['idempotency-key', 'too-big']],
    ['App-Name', 'x'.repeat(256), ['app-name', 'too-big']],
    ['Consistency-Token', 'nonsense', ['consistency-token', 'invalid-format']],
    ['Consistency-Token', 'consistency-token.123456789012345', ['consistency-token', 'invalid-format']],
    ['Consistency-Token', `consistency-token.${'A'.repeat(16)}`, ['consistency-token', 'invalid-format']],
  ])('%s: %s is refused', async (name, value, error) =>
    expect(refusal(await putThing({ [name]: value }))).toEqual([400, expect.arrayContaining(error)]),
  );

  it('Consistency-Token and App-Name reach the handler, and a request without any has nothing of them', async () => {
    const token = 'consistency-token.0000000000000007';
    const { body } = await putThing({ 'Consistency-Token': token, 'App-Name': 'desk' });
    expect(body).toMatchObject({ consistency: '0000000000000007', appName: 'desk' });
    expect((await putThing({})).body).toEqual({
      ...{ params: { id: uuidOf(1) }, body: { name: 'x' }, actor: { id: 'anonymous', roles: [] }, resumed: false },
    });
  });

  it('If-Match is refused by a route that records nothing', async () =>
    expect((await send(THING, { method: 'DELETE', headers: { 'If-Match': '*' } })).status).toBe(412));
});

describe('a path', () => {
  it('has ids in lower case, and may be asked for below each prefix and with a slash at its end', async () => {
    const id = '0000000A-0000-7000-8000-00000000000F';
    for (const path of [`/things/${id}`, `/v1/things/${id}/`]) {
      expect((await send(path)).body.params).toEqual({ id: id.toLowerCase() });
    }
    expect(refusal(await send('/things/x'))).toEqual([400, expect.arrayContaining(['id', 'invalid-format'])]);
  });

  it.each([
    ['GET', '/probe', 200],
    ['GET', '/probe?a=1', 200],
    ['GET', '/probe/', 404],
    ['GET', '/Things', 404],
    ['GET', '/v2/things', 404],
    ['GET', '/v1/other', 404],
    ['HEAD', THING, 200],
    ['HEAD', '/sent', 405],
    ['GET', '/sent', 200],
    ['PATCH', THING, 405],
  ])('%s %s gets %i', async (method, path, status) => {
    const response = await fetch(url + path, { method });
    expect(response.status).toBe(status);
    if (status === 405)
      expect(response.headers.get('allow')).toMatch(path === '/sent' ? /^GET, OPTIONS$/ : /GET, PUT, DELETE/);
  });

  it('counts each request by its rate class, whatever its method, and writes as writes', async () => {
    counted.length = 0;
    await send(THING);
    await putThing({});
    await send(THING, { method: 'PATCH' });
    await send('/probe');
    const put = ['sign-in', 'user true', 'bytes 0', 'bytes 12'];
    expect(counted).toEqual(['sign-in', 'user false', ...put, 'sign-in', 'user false']);
  });
});

describe('a query', () => {
  it.each([
    [`${THING}?b=1&a=2`, ['b', 'unknown-parameter']],
    [`${THING}?a=%00`, ['a', 'control-character']],
    [`${THING}?a=1&a=2`, ['a', 'invalid-type']],
    [`${THING}?asOf=2026-01-05T08:00:00Z`, ['asOf', 'unknown-parameter']],
    ['/things?asOf=2026-01-05', ['asOf', 'invalid-format']],
    ['/things?asOf=2026-01-05T08:00:00', ['asOf', 'invalid-format']],
    ['/things?limit=0', ['limit', 'too-small']],
    ['/things?limit=201', ['limit', 'too-big']],
    ['/things?limit=1x', ['limit', 'invalid-format']],
    ['/things?limit=x1', ['limit', 'invalid-format']],
    ['/things?limit=', ['limit', 'invalid-format']],
    ['/things?total=maybe', ['total', 'invalid-value']],
    ['/things?sort=name', ['sort', 'invalid-value']],
    ['/things?cursor=nonsense', ['cursor', 'bad-cursor']],
  ])('%s is refused', async (path, error) =>
    expect(refusal(await send(path))).toEqual([400, expect.arrayContaining(error)]),
  );

  it('of a GET names the parameters that its path accepts, and of other methods may have any', async () => {
    expect((await send('/things?b=1')).body.knownParameters).toEqual([...Object.keys(paging), 'name', 'asOf']);
    expect((await send(`${THING}?limit=0`)).body.knownParameters).toEqual(['a']);
    expect((await send('/things?limit=0')).body).not.toHaveProperty('knownParameters');
    expect((await send(`${THING}?b=1`, { method: 'DELETE' })).status).toBe(200);
  });

  it.each([
    ['total=true&sort=-createdAt&limit=200', 200],
    ['total=false&sort=createdAt&limit=1', 1],
    ['asOf=2026-01-05T08:00:00%2B02:00', 50],
  ])('%s is accepted', async (query, limit) =>
    expect((await send(`/things?${query}`)).body).toEqual({ items: [null, limit], nextCursor: 'next', total: 2 }),
  );

  it('has a cursor of the same list only: with the same path, sort and filters, and another limit or total', async () => {
    const first = await send('/v1/things?name=a&limit=1');
    const cursor = cursorText(uuidOf(5).replaceAll('-', ''), listOf('/things', {}, { sort: 'createdAt', name: 'a' }));
    const link = first.headers.get('link');
    expect(link).toBe('</v1/things?name=a&limit=1&cursor=next>; rel="next"');
    const behind = (query: string) => send(`/things?${query}&cursor=cursor.${encodeURIComponent(cursor)}`);
    expect((await behind('name=a&limit=7&total=true')).body.items).toEqual([uuidOf(5).replaceAll('-', ''), 7]);
    for (const query of ['name=b', 'name=a&sort=-createdAt', 'limit=1']) {
      expect(refusal(await behind(query))).toEqual([400, expect.arrayContaining(['cursor', 'bad-cursor'])]);
    }
  });
});

describe('a body', () => {
  const typed = (type: string) => putThing({ 'Content-Type': type });
  it.each([
    'application/json',
    'APPLICATION/JSON; charset=UTF8',
    'application/json; charset=" utf-8 "',
    'application/json; charset=unicode-1-1-utf-8',
    'application/json; charset=unicode11utf8',
    'application/json; charset=x-unicode20utf8',
    'application/json; charset=unicode20utf8',
  ])('of the type %s is read', async (type) => expect((await typed(type)).body.body).toEqual({ name: 'x' }));

  it.each([
    'text/plain',
    'application/json; charset=us-ascii',
    'application/json; charset=utf-16',
    'application/json; charset=xutf-8',
    'application/json; charset=utf-8x',
  ])('of the type %s is refused', async (type) => {
    const { status, headers } = await typed(type);
    expect([status, headers.get('accept')]).toEqual([415, 'application/json']);
  });

  it('may be missing only if its schema allows that', async () => {
    expect(refusal(await send(THING, { method: 'PUT' }))).toEqual([400, ['', 'required']]);
    expect((await send(THING, { method: 'DELETE' })).status).toBe(200);
    const wrong = await send(THING, { method: 'PUT', headers: JSON_BODY, body: '{}' });
    expect(refusal(wrong)).toEqual([400, ['/name', 'required']]);
  });
});

it('a response has the headers that its result names, and no others', async () => {
  const created = await send('/v1/things', { method: 'POST' });
  expect(created.status).toBe(201);
  const names = ['etag', 'consistency-token', 'location', 'set-cookie', 'message-withheld', 'cache-control', 'link'];
  const shown = (headers: Headers) => names.map((name) => headers.get(name));
  expect(shown(created.headers)).toEqual([
    ...['"7"', 'consistency-token.p', '/v1/things/1', 'A=b', 'quota', 'no-store', null],
  ]);
  expect(shown((await send(THING)).headers)).toEqual([...Array(5).fill(null), 'no-cache', null]);
});
