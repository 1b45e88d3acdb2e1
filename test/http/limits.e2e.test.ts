// Rate limits of the auth routes and of users without an approved profile: who is limited, and how responses show it.
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { ClientResponse } from '../support/client.js';
import { temporaryDirectory } from '../support/directory.js';
import { first } from '../support/items.js';
import { Server } from '../support/server.js';
import { embeddedServiceOfThisFile } from '../support/service-of-file.js';
import { type Caller, newAdministrator, newCaller } from './support/callers.js';
import { expectProblem } from './support/refusals.js';
import { numbered, successful } from './support/samples.js';
import { bearerHeader, newUser, sessionsOf, signedInUser, signIn, trySignIn } from './support/signing-in.js';
import { signUp } from './support/signing-up.js';

/** Returns the items of a list of strings with parameters (RFC 9651), as the RateLimit fields have them. */
const itemsOf = ({ headers }: ClientResponse, field: string): Record<string, Record<string, number>> =>
  Object.fromEntries(
    (headers.get(field)?.split(', ') ?? []).map((item) => {
      const [name = '', ...parameters] = item.split(';');
      const values = parameters.map((parameter) => parameter.split('=')).map(([key, value]) => [key, Number(value)]);
      return [name.replace(/^"(.*)"$/, '$1'), Object.fromEntries(values)];
    }),
  );

const limitsOf = (response: ClientResponse) => ({
  policies: itemsOf(response, 'ratelimit-policy'),
  left: itemsOf(response, 'ratelimit'),
});

/** Repeats a request until it gets 429. Resolves to that response. */
const untilRefused = async (ask: () => Promise<ClientResponse>): Promise<ClientResponse> => {
  for (;;) {
    const response = await ask();
    if (response.status === 429) return response;
  }
};

describe('the limits of the auth routes', () => {
  const server = embeddedServiceOfThisFile({ RATE_LIMITS: '1' });

  it.each([
    ['post', '/auth-service/auth', 'sign-in', 600],
    ['post', '/auth-service/refresh-token', 'session', 3_000],
    ['get', '/auth-service/sessions', 'session', 3_000],
    ['post', '/api/update-token', 'session', 3_000],
    ['post', '/api/sign-out', 'session', 3_000],
    ['get', '/auth-service/nothing', 'other', 600],
    ['get', '/api/nothing', 'other', 600],
    ['put', '/auth-service/auth', 'sign-in', 600],
    ['options', '/auth-service/auth/', 'sign-in', 600],
  ])('are shown in every response: %s %s', async (method, path, policy, quota) => {
    const { policies, left } = limitsOf(await server.send(method.toUpperCase(), path));
    expect(policies).toEqual({ [policy]: { q: quota, w: 60 } });
    expect(Object.keys(left)).toEqual([policy]);
    const { r = -1, t = -1 } = left[policy] ?? {};
    expect([r >= 0 && r < quota, t >= 1 && t <= 60]).toEqual([true, true]);
  });

  it('count by address, and also by user if the caller is signed in', async () => {
    const { token } = await signedInUser(server);
    const [one, other] = [await sessionsOf(server, token), await sessionsOf(server, token)].map(limitsOf);
    expect(one?.policies).toEqual({ session: { q: 3_000, w: 60 }, 'session-user': { q: 120, w: 60 } });
    expect(one?.left['session-user']).toMatchObject({ r: 119 });
    expect(other?.left['session-user']).toMatchObject({ r: 118 });
    expect(other?.left['session']?.['r']).toBeLessThan(one?.left['session']?.['r'] ?? 0);
  });

  it.each([
    '/livez',
    '/institutions',
    '/admin-service/institutions',
    '/auth-service/.well-known/jwks.json',
    '/nothing',
  ])('do not exist at %s', async (path) => {
    expect(limitsOf(await server.get(path))).toEqual({ policies: {}, left: {} });
  });
});

describe('a caller who has used up a quota', () => {
  // The quotas of a minute are six sign-ins and thirty session requests, of which each user may make one.
  const server = embeddedServiceOfThisFile({ RATE_LIMITS: '0.01' });
  const failedSignIn = (headers: Record<string, string> = {}) => server.post('/auth-service/auth', {}, headers);

  it('and is signed in gets 429, while other users do not', async () => {
    const [one, other] = [await signedInUser(server), await signedInUser(server)];
    const refused = await untilRefused(() => sessionsOf(server, one.token));
    const { left } = limitsOf(refused);
    expect(expectProblem(refused, 429, 'too-many-requests')).toMatchObject({ 'violated-policies': ['session-user'] });
    expect(refused.headers.get('retry-after')).toBe(`${left['session-user']?.['t']}`);
    expect(left['session']?.['r']).toBeGreaterThan(0);
    expect((await sessionsOf(server, other.token)).status).toBe(200);
  });

  it('with an invalid token counts as no user', async () => {
    const response = await server.get('/auth-service/sessions', bearerHeader('nonsense'));
    expectProblem(response, 401, 'token-refused');
    expect(Object.keys(limitsOf(response).policies)).toEqual(['session']);
  });

  it('by address gets 429 with Retry-After', async () => {
    const refused = await untilRefused(() => failedSignIn());
    expect(expectProblem(refused, 429, 'too-many-requests')).toMatchObject({ 'violated-policies': ['sign-in'] });
    expect(limitsOf(refused).left).toMatchObject({ 'sign-in': { r: 0 } });
    const seconds = Number(refused.headers.get('retry-after'));
    expect(seconds >= 1 && seconds <= 60).toBe(true);
    expect((await server.post('/auth-service/refresh-token', { refresh_token: 'x' })).status).toBe(401);
    expect((await server.get('/institutions')).status).toBe(200);
  });
});

describe('a user who is no administrator', () => {
  // Six requests a minute and sixty an hour that write, record or fold, for a user without an approved profile. Twelve
  // writes a minute for any other user.
  const server = embeddedServiceOfThisFile({ AUTH: 'required', RATE_LIMITS: '0.1' });
  let administrator: Caller;
  let newcomer: {
    readonly authorization: Readonly<Record<string, string>>;
    readonly path: string;
    readonly profile: string;
  };
  const revise = () => server.put(newcomer.path, { lastName: `Lima ${Math.random()}` }, newcomer.authorization);

  beforeAll(async () => {
    administrator = await newAdministrator(server);
    const { id, email, profiles } = await signUp(server, { profiles: [{}] });
    const { token } = await signIn(server, email);
    newcomer = { authorization: bearerHeader(token), path: `/users/${id}`, profile: first(profiles).id };
  });

  it('gets 429 without an approved profile after the quota of the minute on every route that writes, records or folds', async () => {
    const { policies } = limitsOf(await revise());
    expect(policies).toMatchObject({ unapproved: { q: 6, w: 60 }, 'unapproved-hour': { q: 60, w: 3_600 } });
    const refused = await untilRefused(revise);
    expect(expectProblem(refused, 429, 'too-many-requests')).toMatchObject({ 'violated-policies': ['unapproved'] });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    const { authorization, path, profile } = newcomer;
    const others = [
      () => server.post(`${path}/profiles`, { type: 'NURSE' }, authorization),
      () => server.post('/users/validation/docs', { document: '529.982.247-25' }, authorization),
      () => server.get(`${path}/profiles/${profile}/history`, authorization),
      () => server.get(`${path}?asOf=${new Date().toISOString()}`, authorization),
    ];
    for (const ask of others) expectProblem(await untilRefused(ask), 429, 'too-many-requests');
  });

  it('has no quota on plain reads, even without an approved profile', async () => {
    for (let count = 0; count < 10; count += 1) {
      const response = await server.get(newcomer.path, newcomer.authorization);
      expect([response.status, limitsOf(response)]).toEqual([200, { policies: {}, left: {} }]);
    }
  });

  it('gets 429 after the quota of writes, whatever is written, at both prefixes, while reads go on', async () => {
    const { user, authorization } = await newCaller(server, administrator, { type: 'NURSE' });
    const path = `/users/${user.id}`;
    const writes = [
      () => server.put(path, { lastName: `Lima ${Math.random()}` }, authorization),
      () => server.put(`/admin-service${path}`, { lastName: 'Lima' }, authorization),
      () => server.post(`${path}/profiles`, { type: 'NURSE' }, authorization),
      () => server.post('/users/validation/docs', { document: '529.982.247-25' }, authorization),
    ];
    for (const write of writes) {
      const refused = await untilRefused(write);
      expect(expectProblem(refused, 429, 'too-many-requests')).toMatchObject({ 'violated-policies': ['writes'] });
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    }
    expect((await server.get(path, authorization)).status).toBe(200);
    const other = await newCaller(server, administrator, { type: 'DOCTOR_GENERALIST' });
    const revised = await server.put(`/users/${other.user.id}`, { lastName: 'Lima' }, other.authorization);
    expect([revised.status, limitsOf(revised).policies]).toEqual([200, { writes: { q: 12, w: 60 } }]);
  });

  it('uses it up with reads that are recorded, and with reads of the past', async () => {
    const { authorization, user } = await newCaller(server, administrator, { type: 'AUDITOR' });
    const path = `/users/${user.id}`;
    const profile = `${path}/profiles/${first(user.profiles).id}`;
    const past = `?asOf=${new Date().toISOString()}`;
    const reads = [
      '/audit/events',
      '/audit/decisions',
      '/audit/log/tile/entries/000.p/1',
      `${profile}/history`,
      `${profile}/history/evidence`,
      `${path}${past}`,
      `/admin-service${profile}${past}`,
    ];
    for (const method of ['GET', 'HEAD']) {
      for (const read of reads) {
        const { policies } = limitsOf(await server.send(method, read, { headers: authorization }));
        expect([method, read, policies]).toEqual([method, read, { writes: { q: 12, w: 60 } }]);
      }
    }
    const refused = await server.get('/audit/events', authorization);
    expect(expectProblem(refused, 429, 'too-many-requests')).toMatchObject({ 'violated-policies': ['writes'] });
    expect((await server.get(path, authorization)).status).toBe(200);
  });

  it('has this quota, while an administrator has none', async () => {
    const { authorization, user } = administrator;
    for (let count = 0; count < 15; count += 1) {
      const response = await server.put(`/users/${user.id}`, { lastName: `Lima ${count}` }, authorization);
      expect([response.status, limitsOf(response)]).toEqual([200, { policies: {}, left: {} }]);
    }
  });
});

it('an open service also limits users without an approved profile, but not callers without a token', async () => {
  const server = new Server(temporaryDirectory(), { RATE_LIMITS: '1' });
  onTestFinished(async () => void (await server.stop()));
  await server.start();
  const { user, token } = await signedInUser(server);
  const revise = (headers = {}) => server.put(`/users/${user.id}`, { lastName: 'Lima' }, headers);
  expect(Object.keys(limitsOf(await revise(bearerHeader(token))).policies)).toEqual([
    'unapproved',
    'unapproved-hour',
    'writes',
  ]);
  expect(limitsOf(await revise()).policies).toEqual({});
});

it('RATE_LIMITS=off turns all limits off', async () => {
  const server = new Server(temporaryDirectory(), { RATE_LIMITS: 'off' });
  onTestFinished(async () => void (await server.stop()));
  await server.start();
  expect(limitsOf(await server.post('/auth-service/auth', {}))).toEqual({ policies: {}, left: {} });
  const { user, token } = await signedInUser(server);
  const revised = await server.put(`/users/${user.id}`, { lastName: 'Lima' }, bearerHeader(token));
  expect([revised.status, limitsOf(revised)]).toEqual([200, { policies: {}, left: {} }]);
});

describe('the sign-ins of a user', () => {
  const server = embeddedServiceOfThisFile({ RATE_LIMITS: '0.05' });
  const QUOTA = 6;
  const namesOf = (response: ClientResponse) => Object.keys(limitsOf(response).policies);

  it('have a quota that only the right password shows, and a refused one is not recorded', async () => {
    const { user, email } = await newUser(server);
    for (const left of numbered(QUOTA, (n) => QUOTA - n)) {
      const response = await trySignIn(server, email);
      expect([response.status, limitsOf(response).policies['sign-in-user']]).toEqual([200, { q: QUOTA, w: 3_600 }]);
      expect(limitsOf(response).left['sign-in-user']?.r).toBe(left);
    }
    const recorded = await server.recorded(`securityLog-${user.id}`);
    const refused = await trySignIn(server, email);
    expect(expectProblem(refused, 429, 'too-many-requests')).toMatchObject({ 'violated-policies': ['sign-in-user'] });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await server.recorded(`securityLog-${user.id}`)).toEqual(recorded);
    const wrong = await trySignIn(server, email, 'wrong');
    expectProblem(wrong, 401, 'sign-in-refused');
    expect(namesOf(wrong)).toEqual(['sign-in']);
    expect((await trySignIn(server, (await newUser(server)).email)).status).toBe(200);
  });

  it('count if they are refused for another reason', async () => {
    const { user, email } = await newUser(server);
    successful(await server.put(`/users/${user.id}`, { enabled: false }));
    for (const _ of numbered(QUOTA, (n) => n)) expectProblem(await trySignIn(server, email), 403, 'user-disabled');
    expectProblem(await trySignIn(server, email), 429, 'too-many-requests');
  });
});
