// Requests from pages of other origins: the CORS headers for listed and unlisted origins.
import { describe, expect, it } from 'vitest';
import type { ClientResponse } from '../support/client.js';
import type { Server } from '../support/server.js';
import { embeddedServiceOfThisFile } from '../support/service-of-file.js';
import { expectProblem } from './support/refusals.js';
import { cookiesOf, refresh, signedInUser, type TokenPair } from './support/signing-in.js';

const LISTED = 'https://app.example.org';
const listed = { origin: LISTED };

const corsHeadersOf = ({ headers }: ClientResponse) =>
  [...headers.keys()].filter((name) => name.startsWith('access-control-'));
const wordsOf = ({ headers }: ClientResponse, name: string) =>
  (headers.get(name) ?? '').split(',').map((word) => word.trim().toLowerCase());

const preflight = (server: Server, path: string, origin: string) =>
  server.send('OPTIONS', path, {
    headers: {
      origin,
      'Access-Control-Request-Method': 'PUT',
      'Access-Control-Request-Headers': 'authorization,content-type,if-match',
    },
  });

/** Asserts that a page of this origin may read the response to a request with credentials. */
const expectAllowed = (response: ClientResponse, origin = LISTED): void => {
  expect(response.headers.get('access-control-allow-origin')).toBe(origin);
  expect(response.headers.get('access-control-allow-credentials')).toBe('true');
  expect(response.headers.get('cross-origin-resource-policy')).toBe('cross-origin');
  expect(wordsOf(response, 'vary')).toContain('origin');
};

describe('with CORS_ORIGINS, a listed origin', () => {
  const server = embeddedServiceOfThisFile({ CORS_ORIGINS: `${LISTED}, http://localhost:5173` });

  it.each(['/protocols', '/auth-service/auth', '/nothing'])(
    'has a successful preflight at %s, which no rate limit counts',
    async (path) => {
      const response = await preflight(server, path, LISTED);
      expect([response.status, response.body, response.headers.get('ratelimit')]).toEqual([204, '', null]);
      expectAllowed(response);
      expect(wordsOf(response, 'access-control-allow-methods')).toEqual(
        expect.arrayContaining(['get', 'post', 'put', 'patch', 'delete']),
      );
      expect(wordsOf(response, 'access-control-allow-headers')).toEqual(
        expect.arrayContaining([
          ...['authorization', 'content-type', 'if-match', 'if-none-match', 'idempotency-key', 'consistency-token'],
          ...['app-name', 'traceparent', 'tracestate', 'baggage', 'sentry-trace'],
        ]),
      );
      expect(Number(response.headers.get('access-control-max-age'))).toBeGreaterThan(0);
    },
  );

  it('may read responses and the headers of the API', async () => {
    const responses = [
      await server.get('/institutions', listed),
      await server.post('/institutions', { name: 'Another hospital' }, listed),
      await server.post('/institutions', {}, listed),
      await server.get('/nothing', listed),
      await server.send('OPTIONS', '/institutions', { headers: listed }),
      await server.post('/auth-service/auth', {}, listed),
    ];
    expect(responses.map(({ status }) => status)).toEqual([200, 201, 400, 404, 204, 400]);
    const { body } = await server.get<{ components: { headers: object } }>('/openapi.json');
    const names = Object.keys(body.components.headers).map((name) => name.toLowerCase());
    const documented = names.filter((name) => name !== 'set-cookie');
    for (const response of responses) {
      expectAllowed(response);
      expect(wordsOf(response, 'access-control-expose-headers')).toEqual(
        expect.arrayContaining([...documented, 'message-withheld', 'x-request-id', 'allow', 'authorization']),
      );
    }
    expect(responses[4]?.headers.get('allow')).toMatch(/POST/);
    expectAllowed(await server.get('/institutions', { origin: 'http://localhost:5173' }), 'http://localhost:5173');
  });

  it.each(['same-site', 'cross-site'])('may use the cookies of a sign-in if it is %s', async (site) => {
    const browser = { ...listed, 'Sec-Fetch-Site': site };
    const { token, refreshToken } = await signedInUser(server);
    const kept = await server.post('/api/update-token', { data: { token, refresh_token: refreshToken } }, browser);
    expectAllowed(kept);
    expect([kept.status, cookiesOf(kept).has('TOKEN')]).toEqual([200, true]);
    const cookie = `REFRESH_TOKEN=${refreshToken}`;
    const signedOut = await server.post('/api/sign-out', undefined, { ...browser, cookie });
    expectAllowed(signedOut);
    expect([signedOut.status, cookiesOf(signedOut).get('TOKEN')?.[0]]).toEqual([301, '']);
    expectProblem(await refresh(server, refreshToken), 401, 'refresh-refused');
  });

  const byCookie = { url: 'auth-service/refresh-token', data: {} };
  const renew = (headers: Readonly<Record<string, string>>) =>
    server.post<TokenPair>('/api/update-token', byCookie, headers);

  it.each([
    ['of the same site', { ...listed, 'Sec-Fetch-Site': 'same-site' }],
    ['in a browser that sends only Origin', listed],
    ['on another port of this machine', { origin: 'http://localhost:5173', 'Sec-Fetch-Site': 'same-site' }],
  ])('renews with only the cookie: %s', async (_, headers) => {
    const { refreshToken } = await signedInUser(server);
    const response = await renew({ ...headers, cookie: `REFRESH_TOKEN=${refreshToken}` });
    expectAllowed(response, headers.origin);
    expect([response.status, cookiesOf(response).get('REFRESH_TOKEN')?.[0]]).toEqual([200, response.body.refreshToken]);
    expect((await refresh(server, response.body.refreshToken)).status).toBe(200);
  });

  it('that sends no cookie, as another site, cannot renew', async () => {
    const response = await renew({ ...listed, 'Sec-Fetch-Site': 'cross-site' });
    expectProblem(response, 401, 'tokens-refused');
    expectAllowed(response);
  });

  it.each<[string, number, Readonly<Record<string, string>>]>([
    ['of a sibling that is not listed', 403, { origin: 'https://x.example.org', 'Sec-Fetch-Site': 'same-site' }],
    ['of a listed name with another scheme', 403, { origin: 'http://app.example.org' }],
    ['without an origin', 401, {}],
    ['that names only the site', 403, { 'Sec-Fetch-Site': 'same-site' }],
  ])('a page %s does not renew, and keeps the cookies', async (_, status, headers) => {
    const { refreshToken } = await signedInUser(server);
    const response = await renew({ ...headers, cookie: `REFRESH_TOKEN=${refreshToken}` });
    expect([response.status, cookiesOf(response).size]).toEqual([status, 0]);
    expect((await refresh(server, refreshToken)).status).toBe(200);
  });

  it('is the only origin that gets CORS headers and may use cookies', async () => {
    const { refreshToken } = await signedInUser(server);
    const others = [
      ...['https://evil.example', 'http://app.example.org', 'https://app.example.org.evil.example', 'null'],
      ...['https://app.example.org:8443', 'https://x.app.example.org', 'HTTPS://APP.EXAMPLE.ORG'],
    ];
    for (const origin of others) {
      const responses = [
        await server.get('/institutions', { origin }),
        await server.post('/api/sign-out', undefined, { origin, cookie: `REFRESH_TOKEN=${refreshToken}` }),
        await preflight(server, '/protocols', origin),
      ];
      expect([origin, ...responses.map(({ status }) => status)]).toEqual([origin, 200, 403, 204]);
      for (const response of responses) {
        expect([origin, corsHeadersOf(response)]).toEqual([origin, []]);
        expect(response.headers.get('cross-origin-resource-policy')).toBe('same-origin');
        expect(wordsOf(response, 'vary')).toContain('origin');
      }
    }
    expect((await refresh(server, refreshToken)).status).toBe(200);
  });
});
