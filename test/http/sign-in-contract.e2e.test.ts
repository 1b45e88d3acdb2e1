// Every response of the sign-in, sign-up and web client routes, success or problem, is valid against /openapi.json.
import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { codeLimits } from '../../src/auth/codes/limits.js';
import type { RouteContext } from '../../src/http/route/context.js';
import { signInRoutesOf } from '../../src/http/routes.js';
import { Contract, fetchOpenApi, type OpenApiDocument } from '../support/contract.js';
import { temporaryDirectory } from '../support/directory.js';
import { sendRaw } from '../support/raw-http.js';
import { Server } from '../support/server.js';
import { sharedService } from '../support/service-of-file.js';
import { expectProblem } from './refusals.js';
import { UNKNOWN_ID } from './samples.js';
import { bearerHeader, claimsOf, newUser, PASSWORD, signedInUser, signIn } from './signing-in.js';
import { activate, askForCode, codeFor, newcomer, signUp, trySignUp } from './signing-up.js';

const server = sharedService();
const routes = signInRoutesOf({} as RouteContext);
const places = routes.map(({ method, path }) => [`${method} ${path}`, { method, route: path }] as const);
const SENT_BODIES = new Set(
  routes.filter(({ body, path }) => body !== undefined && path !== '/api/sign-out').map(({ path }) => path),
);
/** Matches the routes that need a token. */
const SIGNED_IN = /\/sessions|\/change-phone$|\/password$/;
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

  it.each(places.filter(([name]) => SIGNED_IN.test(name)))(
    'to a missing and an invalid token at %s',
    async (_, place) => {
      const path = place.route.replace('{id}', UNKNOWN_ID);
      expectDescribed(place, await server.send(place.method.toUpperCase(), path), 401);
      expectDescribed(place, await send(place, { headers: bearerHeader('nonsense') }), 401);
    },
  );

  it('to an unknown session and a malformed id', async () => {
    const place = { method: 'delete', route: '/auth-service/sessions/{id}' } as const;
    expectDescribed(place, await send(place, { path: `/auth-service/sessions/${UNKNOWN_ID}` }), 404);
    expectDescribed(place, await send(place, { path: '/auth-service/sessions/x' }), 400);
  });

  it('to a request of another site and to wrong tokens and passwords', async () => {
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

describe('a refusal is as described', () => {
  const at = (method: Place['method'], route: string) => ({ method, route });

  it('of a sign-up whose e-mail is taken or whose key was used with another body', async () => {
    const place = at('post', '/auth-service/signup');
    const sent = newcomer();
    const headers = { 'Idempotency-Key': randomUUID() };
    expectDescribed(place, await trySignUp(server, sent, headers), 201);
    expectDescribed(place, await trySignUp(server, sent), 409);
    expectDescribed(place, await trySignUp(server, newcomer(), headers), 422);
  });

  it('of a wrong code, of a wrong password and of a request for another user', async () => {
    expectDescribed(at('post', '/auth-service/activate'), await activate(server, UNKNOWN_ID, '123456'), 400);
    expectDescribed(at('get', '/auth-service/activation-code'), await askForCode(server, 'x'), 400);
    const headers = bearerHeader((await signIn(server, email)).token);
    const phone = { userId: UNKNOWN_ID, dialingCode: '55', phone: '11 91234-5678' };
    const [change, password] = [at('post', '/auth-service/change-phone'), at('put', '/auth-service/password')];
    expectDescribed(change, await server.post(change.route, phone, headers), 403);
    const wrong = { currentPassword: 'wrong', newPassword: `new ${PASSWORD}` };
    expectDescribed(password, await server.put(password.route, wrong, headers), 403);
    const resetting = { email, code: '123456', newPassword: `new ${PASSWORD}` };
    const reset = at('post', '/auth-service/password/reset');
    expectDescribed(reset, await server.post(reset.route, resetting), 400);
  });

  it('of too many requests for codes', async () => {
    // Asks for the codes of one user more than an address may within an hour.
    const limited = new Server(temporaryDirectory(), { RATE_LIMITS: '1' });
    onTestFinished(async () => void (await limited.stop()));
    await limited.start();
    const responses = [];
    for (let n = 0; n <= codeLimits.ofAddress; n += 1) responses.push(await askForCode(limited, randomUUID()));
    const last = responses.at(-1);
    if (last === undefined) throw new Error('the test sent no request');
    expectDescribed(at('get', '/auth-service/activation-code'), last, 429);
    expect(Number(last.headers.get('retry-after'))).toBeGreaterThan(0);
  });
});

describe('the OpenAPI document', () => {
  it('has an example for every body, and the schema of the body accepts it', () => {
    for (const [, place] of places.filter(([, { route }]) => SENT_BODIES.has(route))) {
      const example = operationAt(place)?.requestBody?.content['application/json']?.example;
      expect(contract.faultsInBody(place, example)).toEqual([]);
    }
  });

  it('describes where each route is served and whether it accepts a token', () => {
    for (const [name, place] of places) {
      const { servers, security } = operationAt(place) as unknown as { servers: unknown; security: unknown };
      expect(servers).toEqual([{ url: '/' }]);
      expect([name, security]).toEqual([name, SIGNED_IN.test(name) ? [{ bearer: [expect.any(String)] }] : []]);
    }
  });
});
