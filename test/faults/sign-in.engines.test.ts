// Signs in and refreshes while an engine is unavailable: the response is 503, and no session is lost.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { newUser, refresh, sessionsOf, signIn, trySignIn } from '../http/support/signing-in.js';
import { EngineSet, onRealSet } from '../support/engine-set.js';
import { eventually } from '../support/eventually.js';
import { expectUnavailable } from './support/responses.js';
import { expectSessionContinues } from './support/sessions.js';
import { enginesOf, WatchedServer } from './support/sets.js';

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
  ])('without $what responds with 503 and ends no session', async ({ what, kill, start }) => {
    const { email } = await newUser(server);
    const session = await signIn(server, email);
    await kill();
    for (const response of await Promise.all([trySignIn(server, email), refresh(server, session.refreshToken)])) {
      expectUnavailable(response);
    }
    if (what === 'MongoDB') {
      // The service checks a cached session again within seconds. It does not treat the valid token as invalid.
      const response = await eventually(async () => {
        const asked = await sessionsOf(server, session.token);
        expect(asked.status).not.toBe(200);
        return asked;
      });
      expectUnavailable(response);
    }
    await start();
    await expectSessionContinues(server, session);
    expect((await eventually(() => signIn(server, email))).user.id).toBe(session.user.id);
  });
});
