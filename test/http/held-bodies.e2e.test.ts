// A caller who loses power while a request waits for its body, or for the hash of a password, writes nothing.
import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { allRoutes, nameOf } from '../../scripts/routes-doc.js';
import { fetchOpenApi, type OpenApiDocument } from '../support/contract.js';
import { first, nth } from '../support/items.js';
import { holdRequest, type RawResponse } from '../support/raw-http.js';
import { serverOfThisFile } from '../support/service-of-file.js';
import { type Caller, decide, newAdministrator, newCaller } from './support/callers.js';
import { expectProblem } from './support/refusals.js';
import { allOperationsOf, callOf, type Ids, newResources, type Place } from './support/routes.js';
import { doctor, newEmail, numbered, successful } from './support/samples.js';
import { PASSWORD, trySignIn } from './support/signing-in.js';
import { newcomer, trySignUp } from './support/signing-up.js';

const server = serverOfThisFile({ AUTH: 'required' });
let root: Caller;
let ids: Ids;
let places: readonly Place[];
beforeAll(async () => {
  root = await newAdministrator(server);
  server.headers = root.authorization;
  ids = await newResources(server);
  server.headers = {};
  const held = new Set(
    allRoutes
      .filter(({ body, access: { who } }) => body !== undefined && who.token.startsWith('required'))
      .map((route) => nameOf(route)),
  );
  places = allOperationsOf(await fetchOpenApi<OpenApiDocument>(server)).filter(({ method, route }) =>
    held.has(nameOf({ method, path: route })),
  );
  expect(places.map(({ route }) => route)).toEqual(expect.arrayContaining(['/users/doctor', '/auth-service/password']));
});

/** How a caller loses the right to write, by the name of the way. */
const LOSSES: Readonly<Record<string, (caller: Caller) => Promise<unknown>>> = {
  'was rejected': ({ user }) => decide(server, root, user, 'reject'),
  'was disabled': async ({ user }) =>
    successful(await server.put(`/users/${user.id}`, { enabled: false }, root.authorization)),
  'was erased': async ({ user }) =>
    successful(await server.send('DELETE', `/users/${user.id}/personal-data`, { headers: root.authorization })),
  'has signed out': ({ authorization }) => server.post('/api/sign-out', undefined, authorization),
  'has ended the session': async ({ authorization }) => {
    const { body } = await server.get<{ items: { id: string }[] }>('/auth-service/sessions', authorization);
    const path = `/auth-service/sessions/${first(body.items).id}`;
    return successful(await server.send('DELETE', path, { headers: authorization }));
  },
  'has changed the password': async ({ authorization }) => {
    const body = { currentPassword: PASSWORD, newPassword: 'a password of my own' };
    return successful(await server.put('/auth-service/password', body, authorization));
  },
};

const expectRawProblem = ({ status, headers, body }: RawResponse, expected: number, code: string) =>
  expectProblem({ status, headers, body: JSON.parse(body) }, expected, code);

/** Resolves after the service has read everything that was sent before. */
const read = async () => {
  for (const _ of [1, 2]) await server.get('/livez');
};

describe('a request whose body ends after its caller', () => {
  it.each(Object.keys(LOSSES))('%s is refused and records nothing, on every route', async (loss) => {
    const caller = await newCaller(server, root, { type: 'ADMINISTRATOR' });
    const held = await Promise.all(
      places.map(async (place) => {
        const { method, path, json } = callOf(place, ids);
        return {
          name: `${method} ${path}`,
          ...(await holdRequest(server.url, { method, path, json, headers: caller.authorization })),
        };
      }),
    );
    await read();
    await LOSSES[loss]?.(caller);
    const head = await server.head();
    for (const { name, finish } of held) {
      const response = await finish();
      expect([name, response.status]).toEqual([name, 401]);
      expectRawProblem(response, 401, 'token-refused');
    }
    expect(await server.head()).toBe(head);
  });
});

it('a request is recorded with the roles that its caller has when the body is complete', async () => {
  const { user, authorization } = await newCaller(server, root, { type: 'NURSE', approved: false });
  const json = { lastName: 'Lima' };
  const request = { method: 'PUT', path: `/users/${user.id}`, headers: authorization, json };
  const { finish } = await holdRequest(server.url, request);
  await read();
  await decide(server, root, user, 'approve');
  expect((await finish()).status).toBe(200);
  const { metadata } = nth(await server.recorded(`user-${user.id}`), -1);
  expect(metadata.actor).toEqual({ id: user.id, roles: ['NURSE'] });
});

it('a stored response is not repeated to a caller whose session ended while the body arrived', async () => {
  const { authorization } = await newCaller(server, root, { type: 'ADMINISTRATOR' });
  const headers = { ...authorization, 'Idempotency-Key': randomUUID() };
  const json = { name: `Name ${randomUUID()}` };
  successful(await server.post('/specialties', json, headers));
  const { finish } = await holdRequest(server.url, { method: 'POST', path: '/specialties', headers, json });
  await read();
  await server.post('/api/sign-out', undefined, authorization);
  expectRawProblem(await finish(), 401, 'token-refused');
});

describe('a request that waits for the hash of a password', () => {
  /** Makes so many passwords wait to be hashed that the next one waits for a second or so. */
  const keepBusy = () => Promise.all(numbered(30, () => trySignUp(server, newcomer())));

  it('registers nobody if its caller is rejected meanwhile', async () => {
    const caller = await newCaller(server, root, { type: 'ADMINISTRATOR' });
    const email = newEmail();
    const busy = keepBusy();
    await read();
    const sent = doctor({ auth: { email, password: PASSWORD } });
    const registering = server.post<{ id: string }>('/users/doctor', sent, caller.authorization);
    await read();
    await decide(server, root, caller.user, 'reject');
    const registered = await registering;
    await busy;
    if (registered.status === 200) {
      // The hashes did not take longer than the rejection. Then the registration was the earlier of the two.
      const [first] = await server.recorded(`user-${registered.body.id}`);
      const rejection = nth(await server.recorded(`user-${caller.user.id}`), -1);
      expect(rejection.type).toBe('UserProfileRejected');
      expect(Date.parse(String(first?.metadata.at))).toBeLessThanOrEqual(Date.parse(rejection.metadata.at));
      return;
    }
    expectProblem(registered, 401, 'token-refused');
    const { body } = await server.get<{ items: unknown[] }>(`/users?email=${email}`, root.authorization);
    expect(body.items).toEqual([]);
  });

  it('changes no password if its caller signs out meanwhile', async () => {
    const { authorization, email, user } = await newCaller(server, root, { type: 'NURSE' });
    const busy = keepBusy();
    await read();
    const newPassword = 'a password of my own';
    const changing = server.put('/auth-service/password', { currentPassword: PASSWORD, newPassword }, authorization);
    await read();
    await server.post('/api/sign-out', undefined, authorization);
    expectProblem(await changing, 401, 'token-refused');
    await busy;
    expect((await server.recorded(`user-${user.id}`)).map(({ type }) => type)).not.toContain('UserPasswordChanged');
    expect((await trySignIn(server, email)).status).toBe(200);
  });
});
