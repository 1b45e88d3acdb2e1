// Tests the service while another process, the test, keeps one of its stores locked.
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { Database } from '../../src/infrastructure/sqlite/driver.js';
import { createInstitution, type Page, type Protocol, successful } from '../http/support/samples.js';
import { bearerHeader, newUser, refresh, signedInUser, signIn, trySignIn } from '../http/support/signing-in.js';
import { activate, codeIn, signUp } from '../http/support/signing-up.js';
import type { ClientResponse } from '../support/client.js';
import { temporaryDirectory } from '../support/directory.js';
import { eventually } from '../support/eventually.js';
import { first } from '../support/items.js';
import { messagesIn } from '../support/outbox.js';
import { type Recorded, recordedIn } from '../support/recorded.js';
import { Server } from '../support/server.js';
import { expectUnavailable } from './support/responses.js';
import { expectSessionContinues } from './support/sessions.js';

const directory = temporaryDirectory();
const server = new Server(directory);
let institutionId: string;

beforeAll(async () => {
  await server.start();
  institutionId = (await createInstitution(server)).id;
});
afterAll(() => server.stop());

/** Takes the write lock of a store. Returns a function that releases the lock. */
const lock = (store: 'facts' | 'views' | 'vault' | 'work'): (() => void) => {
  const db = new Database(join(directory, `${store}.sqlite`));
  db.exec('BEGIN IMMEDIATE');
  const unlock = () => db.close();
  onTestFinished(unlock);
  return unlock;
};

/** Creates a protocol of this name. */
const post = (name: string, key?: string): Promise<ClientResponse<Protocol>> =>
  server.post('/protocols', { institutionId, name }, key === undefined ? {} : { 'Idempotency-Key': key });

/** Returns the events with this name in their data. */
const recorded = (name: string): readonly Recorded[] =>
  recordedIn(directory).filter(({ data }) => data['name'] === name);

/** Resolves after this time, for tests of what must not happen meanwhile. */
const secondsLater = (seconds: number): Promise<void> => {
  const then = Date.now() + seconds * 1_000;
  return eventually(() => expect(Date.now()).toBeGreaterThan(then));
};

/** Returns how many records the vault holds. */
const recordsInVault = (): number => {
  const db = new Database(join(directory, 'vault.sqlite'), { readOnly: true });
  try {
    return Number(db.prepareValue('SELECT count(*) FROM records').get());
  } finally {
    db.close();
  }
};

describe('a service whose store another process keeps locked', () => {
  it.each(['facts', 'vault'] as const)(
    'delays a write and applies it once if the %s store is locked for a second',
    async (store) => {
      const name = `A second of ${store}`;
      const unlock = lock(store);
      let hasResponded = false;
      const writing = post(name, name).finally(() => {
        hasResponded = true;
      });
      await secondsLater(1);
      expect({ hasResponded, recorded: recorded(name) }).toEqual({ hasResponded: false, recorded: [] });
      expect((await server.get('/livez')).status).toBe(200);
      unlock();
      const { id } = successful(await writing).body;
      expect(recorded(name)).toMatchObject([{ stream: `protocol-${id}` }]);
    },
  );

  it('refuses writes while the log stays locked, continues to read, and stores no refused write', async () => {
    const { id } = successful(await post('There before')).body;
    const unlock = lock('facts');
    const writes = ['One', 'Two', 'Three'].map((name) => post(name, `key of ${name}`));
    const revision = server.put<Protocol>(`/protocols/${id}`, { name: 'Revised' });
    expect(await server.get(`/protocols/${id}`)).toMatchObject({ status: 200, body: { name: 'There before' } });
    expect((await server.get('/protocols')).status).toBe(200);
    for (const response of await Promise.all([...writes, revision])) expectUnavailable(response);
    unlock();
    expect(['One', 'Two', 'Three', 'Revised'].flatMap(recorded)).toEqual([]);
    expect(await server.get(`/protocols/${id}`)).toMatchObject({ body: { name: 'There before' } });

    const again = successful(await post('One', 'key of One'));
    const replay = successful(await post('One', 'key of One'));
    expect(replay.body).toEqual(again.body);
    expect(recorded('One')).toMatchObject([{ stream: `protocol-${again.body.id}` }]);
  });

  it('writes and reads its own writes while the read models stay locked, and catches up afterwards', async () => {
    const unlock = lock('views');
    const { body, headers } = successful(await post('Behind'));
    expect((await server.get(`/protocols/${body.id}`)).body).toEqual(body);
    expectUnavailable(await server.get('/protocols', { 'Consistency-Token': headers.get('consistency-token') ?? '' }));
    await secondsLater(2);
    unlock();
    await eventually(async () => {
      const page = await server.get<Page<Protocol>>('/protocols?name=behind');
      expect(page.body.items).toEqual([body]);
    });
  });
});

describe('a service whose vault another process keeps locked', () => {
  it('refuses writes with an Idempotency-Key, and accepts writes without one', async () => {
    const unlock = lock('vault');
    const keyed = post('With a key', 'with-a-key');
    successful(await post('Without a key'));
    expectUnavailable(await keyed);
    unlock();
    expect(recorded('With a key')).toEqual([]);
    successful(await post('With a key', 'with-a-key'));
    expect(recorded('With a key')).toHaveLength(1);
  });

  it('returns a stored write whose response was lost when the request is repeated with the same key', async () => {
    const before = recordsInVault();
    const unlockFacts = lock('facts');
    const writing = post('Stored, not answered', 'stored-not-answered');
    await eventually(() => expect(recordsInVault()).toBe(before + 1));
    const unlockVault = lock('vault');
    unlockFacts();
    await eventually(() => expect(recorded('Stored, not answered')).toHaveLength(1));
    expectUnavailable(await writing);
    unlockVault();
    const found = successful(await post('Stored, not answered', 'stored-not-answered'));
    expect(recorded('Stored, not answered')).toMatchObject([{ stream: `protocol-${found.body.id}` }]);
  });

  it('refuses the reads of a user whose sessions a rejection could not end', async () => {
    const { user, token } = await signedInUser(server);
    successful(await server.get('/protocols', bearerHeader(token)));
    const unlock = lock('vault');
    successful(await server.patch(`/users/${user.id}/profiles/${first(user.profiles).id}/reject`, {}));
    unlock();
    // The session still has its record, so only the event can end it.
    await eventually(async () => expect((await server.get('/protocols', bearerHeader(token))).status).toBe(401));
  });

  it('ends no session', async () => {
    const { email } = await newUser(server);
    const session = await signIn(server, email);
    const unlock = lock('vault');
    const signOut = server.post('/api/sign-out', undefined, bearerHeader(session.token));
    const refused = [trySignIn(server, email), refresh(server, session.refreshToken), signOut];
    for (const response of await Promise.all(refused)) expectUnavailable(response);
    unlock();
    await expectSessionContinues(server, session);
  });
});

it('a process that is killed before it stores the job of a code sends the code after its restart', async () => {
  const unlock = lock('work');
  const { id, email } = await signUp(server);
  await server.kill();
  unlock();
  await server.start();
  const message = await eventually(() => {
    const [first, ...others] = messagesIn(directory).filter(({ to }) => to === email);
    expect(others).toEqual([]);
    if (first === undefined) throw new Error('there is no message yet');
    return first;
  });
  successful(await activate(server, id, codeIn(message)));
});
