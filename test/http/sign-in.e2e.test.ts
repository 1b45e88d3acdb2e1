// Endpoint 21: signing in, refreshing and the use of tokens.
import { createRemoteJWKSet, jwtVerify } from 'jose';
import { describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.js';
import { first, nth } from '../support/items.js';
import { sharedService } from '../support/service-of-file.js';
import { expectProblem } from './support/refusals.js';
import { createSpecialty, successful } from './support/samples.js';
import {
  bearerHeader,
  claimsOf,
  newUser,
  PASSWORD,
  refresh,
  sessionsOf,
  signedInUser,
  signIn,
  type TokenPair,
  trySignIn,
} from './support/signing-in.js';

const server = sharedService();
const logged = (userId: string) => server.recorded(`securityLog-${userId}`);

describe('POST /auth-service/auth', () => {
  it('responds with the tokens and the user, regardless of the case of the e-mail', async () => {
    const { user, email } = await newUser(server);
    const { status, headers, body } = await trySignIn(server, email.toUpperCase());
    expect([status, headers.get('cache-control')]).toEqual([200, 'no-store']);
    expect(Object.keys(body)).toEqual(['token', 'refreshToken', 'authToken', 'user']);
    expect(body.user).toEqual(user);
    expect(claimsOf(body.token)).toMatchObject({ sub: user.id, roles: [] });
    expect(claimsOf(body.authToken)).toMatchObject({ uid: user.id });
    expect((await server.get(`/users/${user.id}`, bearerHeader(body.token))).status).toBe(200);
  });

  it('gives the same response to an unknown e-mail and a wrong password', async () => {
    const { email } = await newUser(server);
    const [wrong, unknown] = [await trySignIn(server, email, 'wrong'), await trySignIn(server, `x${email}`, 'wrong')];
    const documents = [wrong, unknown].map((response) => expectProblem(response, 401, 'sign-in-refused'));
    const [one, other] = documents.map(({ instance: _, ...rest }) => rest);
    expect(one).toEqual(other);
  });

  it('never signs a disabled user in, and reveals the reason only with the right password', async () => {
    const { user, email } = await newUser(server);
    successful(await server.put(`/users/${user.id}`, { enabled: false }));
    expectProblem(await trySignIn(server, email), 403, 'user-disabled');
    expectProblem(await trySignIn(server, email, 'wrong'), 401, 'sign-in-refused');
    successful(await server.put(`/users/${user.id}`, { enabled: true }));
    expect((await trySignIn(server, email)).status).toBe(200);
  });

  it('accepts the confirmed address while a new contact address is not confirmed', async () => {
    const { user, email } = await newUser(server);
    successful(await server.put(`/users/${user.id}`, { email: `new.${email}` }));
    expect((await trySignIn(server, email)).status).toBe(200);
    expectProblem(await trySignIn(server, `new.${email}`), 401, 'sign-in-refused');
  });

  it('slows down one account after five failures from the same address, and no other account', async () => {
    const { email } = await newUser(server);
    const other = await newUser(server);
    for (const _ of [1, 2, 3, 4, 5]) expectProblem(await trySignIn(server, email, 'wrong'), 401, 'sign-in-refused');
    const refused = await eventually(async () => {
      const response = await trySignIn(server, email, 'wrong');
      expectProblem(response, 429, 'too-many-failures');
      return response;
    });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await trySignIn(server, other.email)).status).toBe(200);
    // The user is not locked out: the right password works after the wait.
    await eventually(async () => expect((await trySignIn(server, email)).status).toBe(200));
  });

  it('ignores an expired token and an Idempotency-Key', async () => {
    const { email } = await newUser(server);
    const headers = { ...bearerHeader('expired.long.ago'), 'Idempotency-Key': 'the same' };
    const [one, other] = [
      await trySignIn(server, email, PASSWORD, headers),
      await trySignIn(server, email, PASSWORD, headers),
    ];
    expect([one.status, other.status]).toEqual([200, 200]);
    expect(one.body.refreshToken).not.toBe(other.body.refreshToken);
  });
});

describe('an access token', () => {
  it('identifies the actor, with or without the word Bearer', async () => {
    const { user, token } = await signedInUser(server);
    for (const authorization of [`Bearer ${token}`, `bearer  ${token}`, token]) {
      const made = await server.post<{ id: string }>(
        '/specialties',
        { name: `Specialty ${authorization.length} ${user.id}` },
        { authorization },
      );
      const { metadata } = first(await server.recorded(`specialty-${successful(made).body.id}`));
      expect(metadata.actor).toEqual({ id: user.id, roles: [] });
    }
    const { id } = await createSpecialty(server, { name: `Specialty without token ${user.id}` });
    expect(first(await server.recorded(`specialty-${id}`)).metadata.actor).toEqual({ id: 'anonymous', roles: [] });
  });

  it.each(['', ' ', 'Bearer', 'bearer ', 'Bearer null', 'BEARER  Undefined', 'null', 'UNDEFINED', 'Bearer\tnull'])(
    'is absent if a client sends %j in its place',
    async (authorization) => {
      for (const path of ['/specialties', '/institutions', '/protocols?limit=1']) {
        expect([path, (await server.get(path, { authorization })).status]).toEqual([path, 200]);
      }
      expectProblem(await server.get('/auth-service/sessions', { authorization }), 401, 'sign-in-required');
    },
  );

  it('that is invalid is 401 on every route, before any other check', async () => {
    const { token } = await signedInUser(server);
    for (const authorization of [`${token}x`, 'Basic YTpi', 'Bearer nullx', 'Bearer x', 'x'.repeat(8_000)]) {
      const response = await server.post('/specialties', [], { authorization });
      expectProblem(response, 401, 'token-refused');
      expect(response.headers.get('www-authenticate')).toBe('Bearer error="invalid_token"');
      expectProblem(await server.get('/specialties', { authorization }), 401, 'token-refused');
    }
  });

  it('separates the idempotency keys of different users', async () => {
    const [one, other] = [await signedInUser(server), await signedInUser(server)];
    const post = (token: string, name: string) =>
      server.post('/specialties', { name }, { ...bearerHeader(token), 'Idempotency-Key': 'my key' });
    const [first, second] = [
      await post(one.token, `One ${one.user.id}`),
      await post(other.token, `Two ${other.user.id}`),
    ];
    expect([first.status, second.status]).toEqual([201, 201]);
    expect((await post(one.token, `One ${one.user.id}`)).body).toEqual(first.body);
  });

  it('can be verified with the published keys at both paths', async () => {
    const { user, token } = await signedInUser(server);
    for (const path of ['/.well-known/jwks.json', '/auth-service/.well-known/jwks.json']) {
      const keys = createRemoteJWKSet(new URL(path, server.url));
      const { payload } = await jwtVerify(token, keys, { audience: 'clinical-protocols', algorithms: ['EdDSA'] });
      expect(payload.sub).toBe(user.id);
    }
    expect(JSON.stringify((await server.get('/.well-known/jwks.json')).body)).not.toMatch(/"d"/);
  });
});

describe('POST /auth-service/refresh-token', () => {
  it('responds with new tokens of the same session', async () => {
    const { token, refreshToken } = await signedInUser(server);
    const { status, headers, body } = await refresh(server, refreshToken);
    expect([status, headers.get('cache-control'), Object.keys(body)]).toEqual([
      200,
      'no-store',
      ['token', 'refreshToken'],
    ]);
    expect(claimsOf(body.token)['sid']).toBe(claimsOf(token)['sid']);
    expect(body.refreshToken).not.toBe(refreshToken);
    expect((await sessionsOf(server, body.token)).status).toBe(200);
  });

  /** Returns the refresh token after a number of renewals. */
  const renewed = async (refreshToken: string, times: number): Promise<string> => {
    let newest = refreshToken;
    for (let n = 0; n < times; n += 1) newest = successful(await refresh(server, newest)).body.refreshToken;
    return newest;
  };

  it.each([1, 2, 5])('responds with the newest token to one that was just spent %i renewals ago', async (times) => {
    const { user, token, refreshToken: spent } = await signedInUser(server);
    const newest = await renewed(spent, times);
    const { body } = successful(await refresh(server, spent));
    expect([body.refreshToken, claimsOf(body.token)['sid']]).toEqual([newest, claimsOf(token)['sid']]);
    const url = 'auth-service/refresh-token';
    const { body: stored } = await server.post<TokenPair>('/api/update-token', { url, data: { refresh_token: spent } });
    expect(stored.refreshToken).toBe(newest);
    expect((await refresh(server, newest)).status).toBe(200);
    expect((await logged(user.id)).map(({ type }) => type)).toEqual(['SignedIn']);
  });

  it('ends the session and records it if a client uses a spent token', async () => {
    const { user, token, refreshToken: spent } = await signedInUser(server);
    // More renewals than a session remembers.
    const newest = await renewed(spent, 21);
    expectProblem(await refresh(server, spent), 401, 'refresh-refused');
    expectProblem(await refresh(server, newest), 401, 'refresh-refused');
    expectProblem(await refresh(server, spent), 401, 'refresh-refused');
    await eventually(async () => expectProblem(await sessionsOf(server, token), 401, 'token-refused'));
    const reuse = nth(await logged(user.id), -1);
    expect([reuse.type, reuse.data]).toEqual(['SessionReuseDetected', { sessionId: claimsOf(token)['sid'] }]);
    expect((await logged(user.id)).map(({ type }) => type)).toEqual(['SignedIn', 'SessionReuseDetected']);
  });

  it('refuses anything that is not a refresh token', async () => {
    const { token } = await signedInUser(server);
    for (const each of [token, 'nonsense', 'Zo'.repeat(43)]) {
      expectProblem(await refresh(server, each), 401, 'refresh-refused');
    }
  });
});

describe('the sessions of a user', () => {
  it('are listed latest first, with the client that started each', async () => {
    const { user, email } = await newUser(server);
    successful(await trySignIn(server, email, PASSWORD, { 'app-name': 'Pocket' }));
    const { token } = await signIn(server, email);
    const { body } = successful(await sessionsOf(server, token));
    expect(body.items).toMatchObject([
      { id: claimsOf(token)['sid'], platform: 'WEB', appName: null, current: true },
      { platform: 'WEB', appName: 'Pocket', current: false },
    ]);
    const other = await signedInUser(server);
    expect((await sessionsOf(server, other.token)).body.items).toHaveLength(1);
    expect(other.user.id).not.toBe(user.id);
  });

  it('have an ETag, which a renewal of a session changes', async () => {
    const { token, refreshToken } = await signedInUser(server);
    const etag = String(successful(await sessionsOf(server, token)).headers.get('etag'));
    const again = () => server.get('/auth-service/sessions', { ...bearerHeader(token), 'If-None-Match': etag });
    expect((await again()).status).toBe(304);
    successful(await refresh(server, refreshToken));
    expect((await again()).status).toBe(200);
  });

  it('can be ended only by their user, and their tokens end with them', async () => {
    const { user, email, token, refreshToken } = await signedInUser(server);
    const [other, otherUser] = [await signIn(server, email), await signedInUser(server)];
    const end = (by: string, id: unknown) =>
      server.send('DELETE', `/auth-service/sessions/${id}`, { headers: bearerHeader(by) });
    const id = claimsOf(token)['sid'];
    expectProblem(await end(otherUser.token, id), 404, 'session-not-found');
    const { status, body } = await end(other.token, String(id).toUpperCase());
    expect([status, body]).toEqual([204, '']);
    expectProblem(await end(other.token, id), 404, 'session-not-found');
    await eventually(async () => expectProblem(await sessionsOf(server, token), 401, 'token-refused'));
    expectProblem(await refresh(server, refreshToken), 401, 'refresh-refused');
    expect((await sessionsOf(server, other.token)).body.items).toHaveLength(1);
    expect(nth(await logged(user.id), -1)).toMatchObject({
      type: 'SignedOut',
      data: { sessionId: id, by: 'session-list' },
      metadata: { actor: { id: user.id } },
    });
  });

  it.each([
    ['disabled', (id: string) => server.put(`/users/${id}`, { enabled: false })],
    ['rejected', (id: string, profile: string) => server.patch(`/users/${id}/profiles/${profile}/reject`, {})],
    ['erased', (id: string) => server.send('DELETE', `/users/${id}/personal-data`)],
  ])('end when the user is %s', async (_, decide) => {
    const { user, token, refreshToken } = await signedInUser(server);
    successful(await decide(user.id, first(user.profiles).id));
    expectProblem(await refresh(server, refreshToken), 401, 'refresh-refused');
    await eventually(async () => expectProblem(await sessionsOf(server, token), 401, 'token-refused'));
  });
});

describe('the security log', () => {
  it('has every sign-in of a user, and nothing for an unknown e-mail', async () => {
    const { user, email } = await newUser(server);
    const { token } = await signIn(server, email);
    await trySignIn(server, email, 'wrong');
    const session = { platform: 'WEB', sessionId: claimsOf(token)['sid'] };
    await eventually(async () =>
      expect((await logged(user.id)).map(({ type, data, metadata }) => [type, data, metadata.actor.id])).toEqual([
        ['SignedIn', session, user.id],
        ['SignInFailed', { reason: 'wrong-password' }, 'anonymous'],
      ]),
    );
    const before = await server.head();
    expectProblem(await trySignIn(server, `nobody.${email}`), 401, 'sign-in-refused');
    expect(await server.head()).toBe(before);
  });
});
