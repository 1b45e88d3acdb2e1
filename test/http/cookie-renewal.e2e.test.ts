// Endpoint 22: renewal with only the cookie, and which failures keep the cookies.
import { describe, expect, it } from 'vitest';
import type { ClientResponse } from '../support/client.js';
import { sharedService } from '../support/service-of-file.js';
import { expectProblem } from './support/refusals.js';
import { cookiesOf, refresh, type SignIn, sessionsOf, signedInUser, type TokenPair } from './support/signing-in.js';

const server = sharedService();
const url = 'auth-service/refresh-token';
const byCookie = { url, data: {} };
const SAME_ORIGIN = { 'Sec-Fetch-Site': 'same-origin' };

const update = (body: unknown, headers: Readonly<Record<string, string>>) =>
  server.post<TokenPair>('/api/update-token', body, headers);
const cookieOf = ({ user, token, refreshToken }: Pick<SignIn, 'user' | 'token' | 'refreshToken'>) =>
  `TOKEN=${token}; REFRESH_TOKEN=${refreshToken}; USER_ID=${user.id}`;

const expectRefused = (response: ClientResponse, expected: { readonly removed: boolean }): void => {
  expectProblem(response, 401, 'tokens-refused');
  const removed = [...cookiesOf(response)].filter(([, attributes]) => attributes.includes('Max-Age=0'));
  expect(removed.map(([name]) => name)).toEqual(expected.removed ? ['TOKEN', 'REFRESH_TOKEN', 'USER_ID'] : []);
  expect(cookiesOf(response).size).toBe(removed.length);
};

describe('renewal with only the cookie', () => {
  it.each([
    ['a browser that sends Sec-Fetch-Site', () => SAME_ORIGIN],
    ['a browser that sends only Origin', () => ({ Origin: server.url })],
  ])('renews the session for a page of the service: %s', async (_, headersOf) => {
    const signedIn = await signedInUser(server);
    const response = await update(byCookie, { ...headersOf(), Cookie: cookieOf(signedIn) });
    expect(response.status).toBe(200);
    expect(response.body.refreshToken).not.toBe(signedIn.refreshToken);
    expect(response.headers.get('authorization')).toBe(`Bearer ${response.body.token}`);
    const kept = [...cookiesOf(response)].map(([name, [value]]) => [name, value]);
    expect(kept).toEqual([
      ['TOKEN', response.body.token],
      ['REFRESH_TOKEN', response.body.refreshToken],
    ]);
    expect((await sessionsOf(server, response.body.token)).status).toBe(200);
  });

  it('accepts a body without data', async () => {
    const Cookie = cookieOf(await signedInUser(server));
    expect((await update({ url }, { ...SAME_ORIGIN, Cookie })).status).toBe(200);
  });

  it('prefers the refresh token in the body', async () => {
    const [mine, other] = [await signedInUser(server), await signedInUser(server)];
    const body = { url, data: { refresh_token: other.refreshToken } };
    expect((await update(body, { ...SAME_ORIGIN, Cookie: cookieOf(mine) })).status).toBe(200);
    expect((await update(byCookie, { ...SAME_ORIGIN, Cookie: cookieOf(mine) })).status).toBe(200);
  });

  it('fails without a cookie', async () => {
    expectRefused(await update(byCookie, SAME_ORIGIN), { removed: true });
  });

  it.each<[string, Readonly<Record<string, string>>]>([
    ['a request without an origin', {}],
    ['a navigation of the user', { 'Sec-Fetch-Site': 'none' }],
  ])('fails for %s and keeps the cookies', async (_, headers) => {
    const signedIn = await signedInUser(server);
    expectRefused(await update(byCookie, { ...headers, Cookie: cookieOf(signedIn) }), { removed: false });
    expect((await refresh(server, signedIn.refreshToken)).status).toBe(200);
  });

  it.each<[string, Readonly<Record<string, string>>]>([
    ['of another site', { 'Sec-Fetch-Site': 'cross-site', Origin: 'https://evil.example' }],
    ['of a sibling site', { 'Sec-Fetch-Site': 'same-site' }],
    ['of another site, in a browser that sends only Origin', { Origin: 'https://evil.example' }],
    ['with the origin null', { Origin: 'null' }],
  ])('is 403 for a page %s', async (_, headers) => {
    const signedIn = await signedInUser(server);
    const response = await update(byCookie, { ...headers, Cookie: cookieOf(signedIn) });
    expectProblem(response, 403, 'cross-site-request');
    expect(cookiesOf(response).size).toBe(0);
    expect((await refresh(server, signedIn.refreshToken)).status).toBe(200);
  });

  it('removes the cookies of a session that has ended', async () => {
    const Cookie = cookieOf(await signedInUser(server));
    await server.post('/api/sign-out', undefined, { ...SAME_ORIGIN, Cookie });
    expectRefused(await update(byCookie, { ...SAME_ORIGIN, Cookie }), { removed: true });
  });
});

describe('a failure of /api/update-token', () => {
  type Case = readonly [what: string, body: (mine: SignIn, other: SignIn) => unknown];

  it.each<Case>([
    ['has no token', () => ({})],
    ['has a wrong url', () => ({ url: '/auth-service/refresh-token', data: {} })],
    ['has null for a token', () => ({ url, data: { refresh_token: null } })],
    ['has the token, but a wrong url', ({ refreshToken }) => ({ url: '/', data: { refresh_token: refreshToken } })],
    ['has only one of the two tokens', ({ token }) => ({ data: { token } })],
    [
      'names another user',
      ({ token, refreshToken }, { user }) => ({ data: { user_id: user.id, token, refresh_token: refreshToken } }),
    ],
  ])('keeps the cookies of a live session if the request %s', async (_, bodyOf) => {
    const [mine, other] = [await signedInUser(server), await signedInUser(server)];
    const body = bodyOf(mine, other);
    expectRefused(await update(body, { ...SAME_ORIGIN, Cookie: cookieOf(mine) }), { removed: false });
    expectRefused(await update(body, { ...SAME_ORIGIN, Cookie: `TOKEN=${mine.token}` }), { removed: false });
    expectRefused(await update(body, SAME_ORIGIN), { removed: true });
    expectRefused(await update(body, { ...SAME_ORIGIN, Cookie: 'REFRESH_TOKEN=x' }), { removed: true });
    expect((await refresh(server, mine.refreshToken)).status).toBe(200);
  });

  it.each<Case>([
    ['a wrong refresh token', () => ({ url, data: { refresh_token: 'x' } })],
    ['an empty refresh token', () => ({ url, data: { refresh_token: '' } })],
    ['a refresh token that is not text', () => ({ url, data: { refresh_token: 1 } })],
    ['a wrong refresh token and no url', () => ({ data: { refresh_token: 'x' } })],
    ['a wrong token', ({ refreshToken }) => ({ data: { token: 'x', refresh_token: refreshToken } })],
    ['only a wrong token', () => ({ data: { token: 'x' } })],
    ['tokens of two sessions', ({ token }, { refreshToken }) => ({ data: { token, refresh_token: refreshToken } })],
  ])('removes the cookies of a live session if the request has %s', async (_, bodyOf) => {
    const [mine, other] = [await signedInUser(server), await signedInUser(server)];
    expectRefused(await update(bodyOf(mine, other), { ...SAME_ORIGIN, Cookie: cookieOf(mine) }), { removed: true });
  });
});
