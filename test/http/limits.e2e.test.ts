// Rate limits of the auth routes: how responses show them, who is refused, and what is never limited.
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { ClientResponse } from '../support/client.js';
import { temporaryDirectory } from '../support/directory.js';
import { run } from '../support/process.js';
import { Server } from '../support/server.js';
import { administratorBy, type Caller, newCaller } from './callers.js';
import { expectProblem } from './refusals.js';
import { first } from './samples.js';
import { bearing, sessionsOf, signedInUser, signIn } from './signing-in.js';
import { signUp } from './signing-up.js';

/** The items of a list of strings with parameters (RFC 9651), as these fields have them. */
const itemsOf = ({ headers }: ClientResponse, field: string): Record<string, Record<string, number>> =>
  Object.fromEntries(
    (headers.get(field)?.split(', ') ?? []).map((item) => {
      const [name = '', ...parameters] = item.split(';');
      const values = parameters.map((parameter) => parameter.split('=')).map(([key, value]) => [key, Number(value)]);
      return [name.replace(/^"(.*)"$/, '$1'), Object.fromEntries(values)];
    }),
  );

const limitsOf = (answer: ClientResponse) => ({
  policies: itemsOf(answer, 'ratelimit-policy'),
  left: itemsOf(answer, 'ratelimit'),
});

/** Asks until it is refused. */
const useUp = async (ask: () => Promise<ClientResponse>): Promise<ClientResponse> => {
  for (;;) {
    const answer = await ask();
    if (answer.status === 429) return answer;
  }
};

const serverWith = (environment: Record<string, string>) => {
  const server = new Server(temporaryDirectory(), environment);
  beforeAll(() => server.start());
  afterAll(() => server.stop());
  return server;
};

describe('the limits of the auth routes', () => {
  const server = serverWith({ RATE_LIMITS: '1' });

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

  it('count by address, and by user where one is signed in', async () => {
    const { token } = await signedInUser(server);
    const [one, other] = [await sessionsOf(server, token), await sessionsOf(server, token)].map(limitsOf);
    expect(one?.policies).toEqual({ session: { q: 3_000, w: 60 }, 'session-user': { q: 120, w: 60 } });
    expect(one?.left['session-user']).toMatchObject({ r: 119 });
    expect(other?.left['session-user']).toMatchObject({ r: 118 });
    expect(other?.left['session']?.['r']).toBeLessThan(one?.left['session']?.['r'] ?? 0);
  });

  it.each(['/livez', '/institutions', '/admin-service/institutions', '/.well-known/jwks.json', '/nothing'])(
    'are none at %s',
    async (path) => {
      expect(limitsOf(await server.get(path))).toEqual({ policies: {}, left: {} });
    },
  );

  it('are none for the public keys under /auth-service', async () => {
    const answer = await server.get('/auth-service/.well-known/jwks.json');
    expect([answer.status, limitsOf(answer)]).toEqual([200, { policies: {}, left: {} }]);
  });
});

describe('who has used a quota up', () => {
  // Six sign-ins a minute, thirty requests of sessions, one of them of a user.
  const server = serverWith({ RATE_LIMITS: '0.01' });
  const badly = (headers: Record<string, string> = {}) => server.post('/auth-service/auth', {}, headers);

  it('as a user is refused at any address, and nobody else', async () => {
    const [one, other] = [await signedInUser(server), await signedInUser(server)];
    const refused = await useUp(() => sessionsOf(server, one.token));
    const { left } = limitsOf(refused);
    expect(expectProblem(refused, 429, 'too-many-requests')).toMatchObject({ 'violated-policies': ['session-user'] });
    expect(refused.headers.get('retry-after')).toBe(`${left['session-user']?.['t']}`);
    expect(left['session']?.['r']).toBeGreaterThan(0);
    expect((await sessionsOf(server, other.token)).status).toBe(200);
  });

  it('as nobody: a token that does not hold counts for no user', async () => {
    const answer = await server.get('/auth-service/sessions', bearing('nonsense'));
    expectProblem(answer, 401, 'token-refused');
    expect(Object.keys(limitsOf(answer).policies)).toEqual(['session']);
  });

  it('from an address is refused, and told when to ask again', async () => {
    const refused = await useUp(() => badly());
    expect(expectProblem(refused, 429, 'too-many-requests')).toMatchObject({ 'violated-policies': ['sign-in'] });
    expect(limitsOf(refused).left).toMatchObject({ 'sign-in': { r: 0 } });
    const seconds = Number(refused.headers.get('retry-after'));
    expect(seconds >= 1 && seconds <= 60).toBe(true);
    expect((await server.post('/auth-service/refresh-token', { refresh_token: 'x' })).status).toBe(401);
    expect((await server.get('/institutions')).status).toBe(200);
  });

  it('is refused whatever address a header names', async () => {
    const headers = ['X-Forwarded-For', 'Forwarded', 'X-Real-IP', 'X-Client-IP'].map((name) => [name, '203.0.113.9']);
    await useUp(() => badly(Object.fromEntries(headers)));
    // Six of them may be of the next minute.
    const statuses: number[] = [];
    for (let last = 0; last < 14; last += 1) {
      statuses.push((await badly({ 'X-Forwarded-For': `203.0.113.${last}` })).status);
    }
    expect(statuses).toContain(429);
  });
});

describe('a user without an approved profile', () => {
  // Six requests a minute that write, record or fold; sixty an hour.
  const server = serverWith({ AUTH: 'required', RATE_LIMITS: '0.1' });
  let administrator: Caller;
  let newcomer: { readonly bears: Readonly<Record<string, string>>; readonly path: string; readonly profile: string };
  const revise = () => server.put(newcomer.path, { lastName: `Lima ${Math.random()}` }, newcomer.bears);

  beforeAll(async () => {
    administrator = await administratorBy(server, (command, input) =>
      run('cli', { environment: { DATA_DIR: server.directory }, arguments: command, input }),
    );
    const { id, email, profiles } = await signUp(server, { profiles: [{}] });
    const { token } = await signIn(server, email);
    newcomer = { bears: bearing(token), path: `/users/${id}`, profile: first(profiles).id };
  });

  it('is refused after the quota of the minute, on every route that writes, records or folds', async () => {
    const { policies } = limitsOf(await revise());
    expect(policies).toEqual({ unapproved: { q: 6, w: 60 }, 'unapproved-hour': { q: 60, w: 3_600 } });
    const refused = await useUp(revise);
    expect(expectProblem(refused, 429, 'too-many-requests')).toMatchObject({ 'violated-policies': ['unapproved'] });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    const { bears, path, profile } = newcomer;
    const others = [
      () => server.post(`${path}/profiles`, { type: 'NURSE' }, bears),
      () => server.post('/users/validation/docs', { document: '529.982.247-25' }, bears),
      () => server.get(`${path}/profiles/${profile}/history`, bears),
      () => server.get(`${path}?asOf=${new Date().toISOString()}`, bears),
    ];
    for (const ask of others) expectProblem(await useUp(ask), 429, 'too-many-requests');
  });

  it('has no quota on plain reads', async () => {
    for (let count = 0; count < 10; count += 1) {
      const answer = await server.get(newcomer.path, newcomer.bears);
      expect([answer.status, limitsOf(answer)]).toEqual([200, { policies: {}, left: {} }]);
    }
  });

  it('is another case than an approved doctor, who has no quota', async () => {
    const { user, bears } = await newCaller(server, administrator, { type: 'NURSE' });
    for (let count = 0; count < 10; count += 1) {
      const answer = await server.put(`/users/${user.id}`, { lastName: `Lima ${count}` }, bears);
      expect([answer.status, limitsOf(answer)]).toEqual([200, { policies: {}, left: {} }]);
    }
  });
});

it('counts a user without an approved profile in an open service too, and nobody without a token', async () => {
  const server = new Server(temporaryDirectory(), { RATE_LIMITS: '1' });
  onTestFinished(async () => void (await server.stop()));
  await server.start();
  const { user, token } = await signedInUser(server);
  const revise = (headers = {}) => server.put(`/users/${user.id}`, { lastName: 'Lima' }, headers);
  expect(Object.keys(limitsOf(await revise(bearing(token))).policies)).toEqual(['unapproved', 'unapproved-hour']);
  expect(limitsOf(await revise()).policies).toEqual({});
});

it('are off where RATE_LIMITS says so', async () => {
  const server = new Server(temporaryDirectory(), { RATE_LIMITS: 'off' });
  onTestFinished(async () => void (await server.stop()));
  await server.start();
  expect(limitsOf(await server.post('/auth-service/auth', {}))).toEqual({ policies: {}, left: {} });
  const { user, token } = await signedInUser(server);
  const revised = await server.put(`/users/${user.id}`, { lastName: 'Lima' }, bearing(token));
  expect([revised.status, limitsOf(revised)]).toEqual([200, { policies: {}, left: {} }]);
});
