// Signing in, refreshing and signing out while the stores that they need are unavailable: 503, and no session is lost.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bearing, newUser, refresh, type SignIn, sessionsOf, signIn, trySignIn } from '../http/signing-in.js';
import type { Client } from '../support/client.js';
import { EngineSet } from '../support/engine-set.js';
import { eventually } from '../support/eventually.js';
import { expectUnavailable, lockableService } from './locking.js';
import { enginesOf, onRealSet, WatchedServer } from './sets.js';

/** The session goes on by the token that it had before. */
const expectGoesOn = async (client: Client, { refreshToken, user }: SignIn): Promise<void> => {
  const goneOn = await eventually(async () => {
    const answer = await refresh(client, refreshToken);
    expect(answer.status).toBe(200);
    return answer.body;
  });
  const { items } = (await sessionsOf(client, goneOn.token)).body;
  expect(items).toHaveLength(1);
  expect((await client.get(`/users/${user.id}`, bearing(goneOn.token))).status).toBe(200);
};

describe('a vault that another process keeps locked', () => {
  const { server, lock } = lockableService();

  it('costs nobody a session', async () => {
    const { email } = await newUser(server);
    const session = await signIn(server, email);
    const unlock = lock('vault');
    const refused = [trySignIn(server, email), refresh(server, session.refreshToken), signOut(server, session)];
    for (const answer of await Promise.all(refused)) expectUnavailable(answer);
    unlock();
    await expectGoesOn(server, session);
  });
});

const signOut = (client: Client, { token }: SignIn) => client.post('/api/sign-out', undefined, bearing(token));

onRealSet('the real set', () => {
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
  ])('without $what answers 503, and costs nobody a session', async ({ kill, start }) => {
    const { email } = await newUser(server);
    const session = await signIn(server, email);
    await kill();
    for (const answer of await Promise.all([trySignIn(server, email), refresh(server, session.refreshToken)])) {
      expectUnavailable(answer);
    }
    await start();
    await expectGoesOn(server, session);
    expect((await eventually(() => signIn(server, email))).user.id).toBe(session.user.id);
  });

  it('without MongoDB takes no token for a bad one', async () => {
    const { email } = await newUser(server);
    const session = await signIn(server, email);
    await set.mongo.end('SIGKILL');
    // What is known of a session is looked at again within seconds.
    const answer = await eventually(async () => {
      const asked = await sessionsOf(server, session.token);
      expect(asked.status).not.toBe(200);
      return asked;
    });
    expectUnavailable(answer);
    await set.mongo.start();
    await expectGoesOn(server, session);
  });
});
