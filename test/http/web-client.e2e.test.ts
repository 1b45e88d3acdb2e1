// Endpoints 22 and 23: the tokens of a sign-in as cookies.
import { describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.js';
import { nth } from '../support/items.js';
import { sharedService } from '../support/service-of-file.js';
import { expectProblem } from './support/refusals.js';
import { successful, UNKNOWN_ID } from './support/samples.js';
import { claimsOf, cookiesOf, refresh, sessionsOf, signedInUser, type TokenPair } from './support/signing-in.js';

const server = sharedService();
const update = (body: unknown, headers: Record<string, string> = {}) =>
  server.post<TokenPair>('/api/update-token', body, headers);
const ATTRIBUTES = ['HttpOnly', 'Path=/', 'SameSite=Lax'];
const SEVEN_DAYS = /^Max-Age=60\d{4}$/;
const THIRTY_DAYS = /^Max-Age=259\d{4}$/;
const stored = (value: string, maxAge = SEVEN_DAYS) => [
  value,
  'HttpOnly',
  expect.stringMatching(maxAge),
  'Path=/',
  'SameSite=Lax',
];
const REMOVED = ['', 'HttpOnly', 'Max-Age=0', 'Path=/', 'SameSite=Lax'];
const allRemoved = { TOKEN: REMOVED, REFRESH_TOKEN: REMOVED, USER_ID: REMOVED };
const variantA = ({ user, token, refreshToken }: Awaited<ReturnType<typeof signedInUser>>) => ({
  data: { user_id: user.id, token, refresh_token: refreshToken },
});

describe('POST /api/update-token, variant A', () => {
  it('stores the tokens in cookies and responds with them', async () => {
    const signedIn = await signedInUser(server);
    const { user, token, refreshToken } = signedIn;
    const response = await update(variantA(signedIn));
    expect([response.status, response.body]).toEqual([200, { token, refreshToken }]);
    expect(response.headers.get('authorization')).toBe(`Bearer ${token}`);
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(Object.fromEntries(cookiesOf(response))).toEqual({
      TOKEN: stored(token),
      REFRESH_TOKEN: stored(refreshToken),
      // A renewal does not set this cookie again.
      USER_ID: stored(user.id, THIRTY_DAYS),
    });
    expect(ATTRIBUTES.every((attribute) => cookiesOf(response).get('TOKEN')?.includes(attribute))).toBe(true);
  });

  it('sets USER_ID only if the request has a user id', async () => {
    const { token, refreshToken } = await signedInUser(server);
    const response = await update({ data: { token, refresh_token: refreshToken } });
    expect([response.status, [...cookiesOf(response).keys()]]).toEqual([200, ['TOKEN', 'REFRESH_TOKEN']]);
  });

  it('is 401 for invalid tokens and tokens that do not belong together, and removes the cookies', async () => {
    const [mine, other] = [await signedInUser(server), await signedInUser(server)];
    const { data } = variantA(mine);
    const bad = [
      { data: { ...data, user_id: other.user.id } },
      { data: { ...data, user_id: UNKNOWN_ID } },
      { data: { ...data, user_id: 'x' } },
      { data: { ...data, token: other.token } },
      { data: { ...data, token: `${data.token}x` } },
      { data: { ...data, token: mine.authToken } },
      { data: { ...data, refresh_token: other.refreshToken } },
      { data: { ...data, refresh_token: 'nonsense' } },
      { data: { user_id: data.user_id } },
      { data: null },
      {},
    ];
    for (const body of bad) {
      const response = await update(body);
      expectProblem(response, 401, 'tokens-refused');
      expect(Object.fromEntries(cookiesOf(response))).toEqual(allRemoved);
    }
    expect((await update(variantA(mine))).status).toBe(200);
    for (const body of [[], 'text', 1, null]) expect((await update(body)).status).toBe(400);
  });
});

describe('POST /api/update-token, variant B', () => {
  it('renews the tokens and stores the new ones in cookies', async () => {
    const { token, refreshToken } = await signedInUser(server);
    const response = await update({ url: 'auth-service/refresh-token', data: { refresh_token: refreshToken } });
    expect(response.status).toBe(200);
    expect(response.body.refreshToken).not.toBe(refreshToken);
    expect(claimsOf(response.body.token)['sid']).toBe(claimsOf(token)['sid']);
    expect(Object.fromEntries(cookiesOf(response))).toEqual({
      TOKEN: stored(response.body.token),
      REFRESH_TOKEN: stored(response.body.refreshToken),
    });
    expect(response.headers.get('authorization')).toBe(`Bearer ${response.body.token}`);
  });

  it('accepts only one value of url and never fetches it', async () => {
    const { refreshToken } = await signedInUser(server);
    const data = { refresh_token: refreshToken };
    const urls = ['http://127.0.0.1:1/', '/auth-service/refresh-token', 'auth-service/refresh-token/', '', null, {}];
    for (const url of urls) {
      const response = await update({ url, data });
      expectProblem(response, 401, 'tokens-refused');
      expect(Object.fromEntries(cookiesOf(response))).toEqual(allRemoved);
    }
    expect((await refresh(server, refreshToken)).status).toBe(200);
  });

  it('is 401 for an ended session and removes the cookies', async () => {
    const { refreshToken } = await signedInUser(server);
    const cookie = `REFRESH_TOKEN=${refreshToken}`;
    await server.post('/api/sign-out', undefined, { cookie, 'Sec-Fetch-Site': 'same-origin' });
    const response = await update({ url: 'auth-service/refresh-token', data: { refresh_token: refreshToken } });
    expectProblem(response, 401, 'tokens-refused');
    expect(Object.fromEntries(cookiesOf(response))).toEqual(allRemoved);
  });
});

describe('POST /api/sign-out', () => {
  const own = { 'Sec-Fetch-Site': 'same-origin' };
  const signOut = (headers: Record<string, string> = own) => server.post('/api/sign-out', undefined, headers);

  it.each([
    ['a page of the service', own],
    ['only the cookies, as the contract says', {}],
  ])('ends the session, removes the cookies and redirects to / for %s', async (_, from) => {
    const { user, token, refreshToken } = await signedInUser(server);
    const cookie = `TOKEN=${token}; REFRESH_TOKEN=${refreshToken}; USER_ID=${user.id}`;
    const { status, headers, body } = await signOut({ ...from, cookie });
    expect([status, headers.get('location'), headers.get('cache-control'), body]).toEqual([301, '/', 'no-store', '']);
    expectProblem(await refresh(server, refreshToken), 401, 'refresh-refused');
    await eventually(async () => expectProblem(await sessionsOf(server, token), 401, 'token-refused'));
    expect(nth(await server.recorded(`securityLog-${user.id}`), -1)).toMatchObject({
      type: 'SignedOut',
      data: { sessionId: claimsOf(token)['sid'], by: 'sign-out' },
      metadata: { actor: { id: user.id } },
    });
  });

  it.each([
    ['only the access token', (token: string, _: string) => ({ cookie: `TOKEN=${token}` })],
    [
      'a wrong access token and a refresh token',
      (token: string, refreshToken: string) => ({ cookie: `TOKEN=${token}x; REFRESH_TOKEN="${refreshToken}"` }),
    ],
    ['the token in a header', (token: string, _: string) => ({ authorization: `Bearer ${token}` })],
  ])('ends the session with %s', async (_, headersOf) => {
    const { token, refreshToken } = await signedInUser(server);
    expect((await signOut({ ...own, ...headersOf(token, refreshToken) })).status).toBe(301);
    expectProblem(await refresh(server, refreshToken), 401, 'refresh-refused');
  });

  it('removes every cookie that may belong to a sign-in, and no other', async () => {
    const cookie =
      'theme=dark; connect.SESSION=1; __Host-auth=2; idToken=3; TOKEN=4; x=y=z; =; bad name auth=5; auth(=6';
    const cookies = cookiesOf(await signOut({ ...own, cookie }));
    expect(Object.fromEntries(cookies)).toEqual({
      ...allRemoved,
      'connect.SESSION': REMOVED,
      '__Host-auth': [...REMOVED, 'Secure'],
      idToken: REMOVED,
    });
  });

  it('removes the cookies also without a token, with a wrong one and with cookies of 8 KiB', async () => {
    const large = `TOKEN=${'x'.repeat(8_192)}; REFRESH_TOKEN=nonsense`;
    for (const headers of [own, { ...own, cookie: large }, { ...own, authorization: 'nonsense' }, {}]) {
      const response = await signOut(headers as Record<string, string>);
      expect(response.status).toBe(301);
      expect(Object.fromEntries(cookiesOf(response))).toEqual(allRemoved);
    }
  });

  it('is 403 for a page of another site', async () => {
    const { refreshToken } = await signedInUser(server);
    const cookie = `REFRESH_TOKEN=${refreshToken}`;
    const foreign = [
      { cookie, origin: 'https://evil.example' },
      { cookie, origin: 'null' },
      { cookie, 'Sec-Fetch-Site': 'cross-site' },
      { cookie, 'Sec-Fetch-Site': 'same-site' },
    ];
    for (const headers of foreign) {
      const response = await signOut(headers as Record<string, string>);
      expectProblem(response, 403, 'cross-site-request');
      expect(cookiesOf(response).size).toBe(0);
    }
    const next = successful(await refresh(server, refreshToken)).body;
    const { status } = await signOut({ origin: server.url, cookie: `REFRESH_TOKEN=${next.refreshToken}` });
    expect(status).toBe(301);
    expectProblem(await refresh(server, next.refreshToken), 401, 'refresh-refused');
  });
});
