// What the routes of signing in and of the web client answer is as /openapi.json says, success and problem alike.
import { beforeAll, describe, expect, it } from 'vitest';
import { signInRoutesOf } from '../../src/http/routes.js';
import type { Service } from '../../src/http/service.js';
import { Contract, type Described } from '../support/contract.js';
import { sendRaw } from '../support/raw-http.js';
import { serverOfThisFile } from '../support/service-of-file.js';
import { NOWHERE } from './samples.js';
import { bearing, claimsOf, newUser, PASSWORD, signIn } from './signing-in.js';

const server = serverOfThisFile();
const routes = signInRoutesOf({} as Service);
const places = routes.map(({ method, path }) => [`${method} ${path}`, { method, route: path }] as const);
const SENT_BODIES = new Set(['/auth-service/auth', '/auth-service/refresh-token', '/api/update-token']);
const OWN = { 'Sec-Fetch-Site': 'same-origin' };
let contract: Contract;
let described: Described;
let email: string;
beforeAll(async () => {
  described = (await server.get<Described>('/openapi.json')).body;
  contract = new Contract(described);
  ({ email } = await newUser(server));
});

interface Sent {
  readonly path?: string;
  readonly json?: unknown;
  readonly headers?: Record<string, string>;
}
/** A request of each route that succeeds. */
const SENT: Readonly<Record<string, () => Promise<Sent>>> = {
  'post /auth-service/auth': async () => ({ json: { email, password: PASSWORD }, headers: { 'app-name': 'Pocket' } }),
  'post /auth-service/refresh-token': async () => ({
    json: { refresh_token: (await signIn(server, email)).refreshToken },
  }),
  'get /auth-service/sessions': async () => ({ headers: bearing((await signIn(server, email)).token) }),
  'delete /auth-service/sessions/{id}': async () => {
    const { token } = await signIn(server, email);
    return { path: `/auth-service/sessions/${claimsOf(token)['sid']}`, headers: bearing(token) };
  },
  'get /.well-known/jwks.json': async () => ({}),
  'get /auth-service/.well-known/jwks.json': async () => ({}),
  'post /api/update-token': async () => {
    const { token, refreshToken } = await signIn(server, email);
    return { json: { data: { token, refresh_token: refreshToken } } };
  },
  'post /api/sign-out': async () => ({ headers: OWN }),
};
type Place = (typeof places)[number][1];
const send = async ({ method, route }: Place, other: Sent = {}) => {
  const sent = await SENT[`${method} ${route}`]?.();
  if (sent === undefined) throw new Error(`nothing is sent to ${method} ${route}`);
  const headers = { ...sent.headers, ...other.headers };
  const json = 'json' in other ? other.json : sent.json;
  return server.send(method.toUpperCase(), other.path ?? sent.path ?? route, { json, headers });
};
const expectDescribed = (place: Place, answer: Awaited<ReturnType<typeof send>>, status: number) => {
  expect(answer.status).toBe(status);
  expect(contract.faultsOfAnswer(place, answer)).toEqual([]);
};
const successOf = ({ method, route }: Place) => {
  const answers = routes.find((each) => each.method === method && each.path === route)?.answers ?? {};
  return Number(Object.keys(answers)[0]);
};
const operationAt = ({ method, route }: Place) => described.paths[route]?.[method];

describe('as described is', () => {
  it.each(places)('the success of %s', async (_, place) => expectDescribed(place, await send(place), successOf(place)));

  it.each(places)('a host name of elsewhere at %s', async (_, place) => {
    const path = place.route.replace('{id}', NOWHERE);
    const head = `${place.method.toUpperCase()} ${path} HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n`;
    const { status, headers, body } = await sendRaw(server.url, head);
    expectDescribed(place, { status, headers, body: JSON.parse(body) }, 421);
  });

  it.each(places)('a malformed header at %s', async (_, place) =>
    expectDescribed(place, await send(place, { headers: { 'Idempotency-Key': 'k'.repeat(256) } }), 400),
  );

  it.each(places.filter(([, { method }]) => method !== 'get'))('an ETag at %s: it has none', async (_, place) =>
    expectDescribed(place, await send(place, { headers: { 'If-Match': '"0"' } }), 412),
  );

  it.each(places.filter(([, place]) => SENT_BODIES.has(place.route)))('a bad body at %s', async (_, place) => {
    expectDescribed(place, await send(place, { json: [] }), 400);
    expectDescribed(place, await send(place, { json: 'x'.repeat(1_048_577) }), 413);
    expectDescribed(place, await send(place, { headers: { 'Content-Type': 'text/plain' } }), 415);
  });

  it.each(places.filter(([name]) => name.includes('/sessions')))(
    'a missing and a bad token at %s',
    async (_, place) => {
      const path = place.route.replace('{id}', NOWHERE);
      expectDescribed(place, await server.send(place.method.toUpperCase(), path), 401);
      expectDescribed(place, await send(place, { headers: bearing('nonsense') }), 401);
    },
  );

  it('a session that is not there, or has no id', async () => {
    const place = { method: 'delete', route: '/auth-service/sessions/{id}' } as const;
    expectDescribed(place, await send(place, { path: `/auth-service/sessions/${NOWHERE}` }), 404);
    expectDescribed(place, await send(place, { path: '/auth-service/sessions/x' }), 400);
  });

  it('what is refused by its site, or for its tokens', async () => {
    const foreign = { 'Sec-Fetch-Site': 'cross-site' };
    expectDescribed(
      { method: 'post', route: '/api/sign-out' },
      await send({ method: 'post', route: '/api/sign-out' }, { headers: foreign }),
      403,
    );
    const place = { method: 'post', route: '/api/update-token' } as const;
    expectDescribed(place, await send(place, { headers: foreign }), 403);
    expectDescribed(place, await send(place, { json: {} }), 401);
    const refresh = { method: 'post', route: '/auth-service/refresh-token' } as const;
    expectDescribed(refresh, await send(refresh, { json: { refresh_token: 'x' } }), 401);
    const auth = { method: 'post', route: '/auth-service/auth' } as const;
    expectDescribed(auth, await send(auth, { json: { email: 'a@example.org', password: 'x' } }), 401);
  });
});

describe('the description', () => {
  it('shows an example for every body, which its own schema accepts', () => {
    for (const [, place] of places.filter(([, { route }]) => SENT_BODIES.has(route))) {
      const example = operationAt(place)?.requestBody?.content['application/json']?.example;
      expect(contract.faultsOfBody(place, example)).toEqual([]);
    }
  });

  it('says where each is served, and whether it takes a token', () => {
    for (const [name, place] of places) {
      const { servers, security } = operationAt(place) as unknown as { servers: unknown; security: unknown };
      expect(servers).toEqual([{ url: '/' }]);
      expect([name, security]).toEqual([name, name.includes('/sessions') ? [{ bearer: [expect.any(String)] }] : []]);
    }
  });
});
