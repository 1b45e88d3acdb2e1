import { beforeAll, describe, expect, it } from 'vitest';
import type { RouteContext } from '../../src/http/route/context.js';
import { signInRoutesOf } from '../../src/http/routes.js';
import { Contract, fetchOpenApi, type OpenApiDocument } from '../support/contract.js';
import { sendRaw } from '../support/raw-http.js';
import { sharedService } from '../support/service-of-file.js';
import { expectProblem } from './support/refusals.js';
import { UNKNOWN_ID } from './support/samples.js';
import { bearerHeader, claimsOf, newUser, PASSWORD, signedInUser, signIn } from './support/signing-in.js';
import { codeFor, newcomer, signUp } from './support/signing-up.js';

const server = sharedService();
const routes = signInRoutesOf({} as RouteContext);
const places = routes.map(({ method, path }) => [`${method} ${path}`, { method, route: path }] as const);
const SENT_BODIES = new Set(
  routes.filter(({ body, path }) => body !== undefined && path !== '/api/sign-out').map(({ path }) => path),
);
const OWN = { 'Sec-Fetch-Site': 'same-origin' };
let contract: Contract;
let described: OpenApiDocument;
let email: string;
beforeAll(async () => {
  described = await fetchOpenApi<OpenApiDocument>(server);
  contract = new Contract(described);
  ({ email } = await newUser(server));
});

interface Sent {
  readonly path?: string;
  readonly json?: unknown;
  readonly headers?: Record<string, string>;
}
/** Makes a request of each route that succeeds. */
const SENT: Readonly<Record<string, () => Promise<Sent>>> = {
  'post /auth-service/auth': async () => ({ json: { email, password: PASSWORD }, headers: { 'app-name': 'Pocket' } }),
  'post /auth-service/refresh-token': async () => ({
    json: { refresh_token: (await signIn(server, email)).refreshToken },
  }),
  'get /auth-service/sessions': async () => ({ headers: bearerHeader((await signIn(server, email)).token) }),
  'delete /auth-service/sessions/{id}': async () => {
    const { token } = await signIn(server, email);
    return { path: `/auth-service/sessions/${claimsOf(token)['sid']}`, headers: bearerHeader(token) };
  },
  'post /auth-service/signup': async () => ({ json: newcomer() }),
  'post /auth-service/signup-model': async () => ({ json: { firstName: 'Ana' } }),
  'get /auth-service/activation-code': async () => ({ path: `/auth-service/activation-code?ownerRef=${UNKNOWN_ID}` }),
  'post /auth-service/activate': async () => {
    const user = await signUp(server, { profiles: [{}] });
    return { json: { ownerRef: user.id, code: await codeFor(server, user.email) } };
  },
  'post /auth-service/change-phone': async () => ({
    json: { dialingCode: '55', phone: '11 91234-5678' },
    headers: bearerHeader((await signIn(server, email)).token),
  }),
  'put /auth-service/password': async () => {
    const { token } = await signedInUser(server);
    return { json: { currentPassword: PASSWORD, newPassword: `new ${PASSWORD}` }, headers: bearerHeader(token) };
  },
  'post /auth-service/password/reset-code': async () => ({ json: { email: 'nobody@example.org' } }),
  'post /auth-service/password/reset': async () => {
    const { email: own } = await signedInUser(server);
    await server.post('/auth-service/password/reset-code', { email: own });
    return { json: { email: own, code: await codeFor(server, own), newPassword: `new ${PASSWORD}` } };
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
  if (sent === undefined) throw new Error(`the test has no request of ${method} ${route}`);
  const headers = { ...sent.headers, ...other.headers };
  const json = 'json' in other ? other.json : sent.json;
  return server.send(method.toUpperCase(), other.path ?? sent.path ?? route, { json, headers });
};
const expectDescribed = (place: Place, response: Awaited<ReturnType<typeof send>>, status: number) => {
  expect(response.status).toBe(status);
  expect(contract.faultsInResponse(place, response)).toEqual([]);
};
const successOf = ({ method, route }: Place) => {
  const declared = routes.find((each) => each.method === method && each.path === route)?.responses ?? {};
  return Number(Object.keys(declared)[0]);
};
const operationAt = ({ method, route }: Place) => described.paths[route]?.[method];

describe('the response is as described', () => {
  it.each(places)('to a valid request of %s', async (_, place) =>
    expectDescribed(place, await send(place), successOf(place)),
  );

  it.each(places)('to a foreign host name at %s', async (_, place) => {
    const path = place.route.replace('{id}', UNKNOWN_ID);
    const head = `${place.method.toUpperCase()} ${path} HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n`;
    const { status, headers, body } = await sendRaw(server.url, head);
    expectDescribed(place, { status, headers, body: JSON.parse(body) }, 421);
  });

  it.each(places)('to a malformed header at %s', async (_, place) =>
    expectDescribed(place, await send(place, { headers: { 'Idempotency-Key': 'k'.repeat(256) } }), 400),
  );

  it.each(places.filter(([, { method }]) => method !== 'get'))(
    'to an If-Match at %s, which never matches',
    async (_, place) => {
      expectProblem(await send(place, { headers: { 'If-Match': '"0"' } }), 412, 'revision-mismatch');
    },
  );

  it.each(places.filter(([, place]) => SENT_BODIES.has(place.route)))('to an invalid body at %s', async (_, place) => {
    expectDescribed(place, await send(place, { json: [] }), 400);
    expectDescribed(place, await send(place, { json: 'x'.repeat(1_048_577) }), 413);
    expectDescribed(place, await send(place, { headers: { 'Content-Type': 'text/plain' } }), 415);
  });
});

describe('the OpenAPI document', () => {
  it('has an example for every body, and the schema of the body accepts it', () => {
    for (const [, place] of places.filter(([, { route }]) => SENT_BODIES.has(route))) {
      const example = operationAt(place)?.requestBody?.content['application/json']?.example;
      expect(contract.faultsInBody(place, example)).toEqual([]);
    }
  });

  it('says that each route is served only at its own path, and so it is', async () => {
    for (const [name, place] of places) {
      expect([name, operationAt(place)?.servers]).toEqual([name, [{ url: '/' }]]);
      const path = `/admin-service${place.route.replace('{id}', UNKNOWN_ID)}`;
      expectProblem(await server.send(place.method.toUpperCase(), path), 404, 'route-not-found');
    }
    for (const path of ['/auth', '/signup', '/sign-out', '/api/auth', '/auth-service/sign-out']) {
      expectProblem(await server.post(path), 404, 'route-not-found');
    }
  });
});
