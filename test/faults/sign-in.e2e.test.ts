// Signs in, refreshes and signs out while the stores for it are unavailable: the response is 503, and no session is
// lost.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bearerHeader, newUser, refresh, type SignIn, sessionsOf, signIn, trySignIn } from '../http/signing-in.js';
import type { Client } from '../support/client.js';
import { EngineSet } from '../support/engine-set.js';
import { eventually } from '../support/eventually.js';
import { expectUnavailable, lockableService } from './locking.js';
import { enginesOf, onRealSet, WatchedServer } from './sets.js';

/** Expects the session to continue with the refresh token that it had before. */
const expectGoesOn = async (client: Client, { refreshToken, user }: SignIn): Promise<void> => {
  const renewed = await eventually(async () => {
    const response = await refresh(client, refreshToken);
    expect(response.status).toBe(200);
    return response.body;
  });
  const { items } = (await sessionsOf(client, renewed.token)).body;
  expect(items).toHaveLength(1);
  expect((await client.get(`/users/${user.id}`, bearerHeader(renewed.token))).status).toBe(200);
};

describe('a vault that another process keeps locked', () => {
  const { server, lock } = lockableService();

  it('ends no session', async () => {
    const { email } = await newUser(server);
    const session = await signIn(server, email);
    const unlock = lock('vault');
    const refused = [trySignIn(server, email), refresh(server, session.refreshToken), signOut(server, session)];
    for (const response of await Promise.all(refused)) expectUnavailable(response);
    unlock();
    await expectGoesOn(server, session);
  });
});

const signOut = (client: Client, { token }: SignIn) => client.post('/api/sign-out', undefined, bearerHeader(token));

onRealSet('a service on the distributed engines', () => {
  let set: EngineSet;
  let server: WatchedServer;
  beforeAll(async () => {
    set = await EngineSet.start();
    server = new WatchedServer(enginesOf(set));
    await server.start();
  });
  afterAll(async () => {
    await server.stop();
    await set.end();
  });

  it.each([
    { what: 'MongoDB', kill: () => set.mongo.end('SIGKILL'), start: () => set.mongo.start() },
    { what: 'EventStoreDB', kill: () => set.facts.kill(), start: () => set.facts.start() },
  ])('without $what responds with 503 and ends no session', async ({ kill, start }) => {
    const { email } = await newUser(server);
    const session = await signIn(server, email);
    await kill();
    for (const response of await Promise.all([trySignIn(server, email), refresh(server, session.refreshToken)])) {
      expectUnavailable(response);
    }
    await start();
    await expectGoesOn(server, session);
    expect((await eventually(() => signIn(server, email))).user.id).toBe(session.user.id);
  });

  it('without MongoDB does not treat a valid token as invalid', async () => {
    const { email } = await newUser(server);
    const session = await signIn(server, email);
    await set.mongo.end('SIGKILL');
    // The service checks a cached session again within seconds.
    const response = await eventually(async () => {
      const asked = await sessionsOf(server, session.token);
      expect(asked.status).not.toBe(200);
      return asked;
    });
    expectUnavailable(response);
    await set.mongo.start();
    await expectGoesOn(server, session);
  });
});
