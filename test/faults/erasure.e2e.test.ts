// Tests that after the erasure of a person no store has a value of that person in any form, and that the read models
// can be rebuilt from the log.
import { join } from 'node:path';
import { describe, expect, it, type TestContext } from 'vitest';
import { Database } from '../../src/infrastructure/sqlite/driver.js';
import { tracedPerson } from '../http/erased-person.js';
import { expectProblem } from '../http/refusals.js';
import { createDoctor, newEmail, type Page, successful, type User } from '../http/samples.js';
import { bearerHeader, signIn } from '../http/signing-in.js';
import { newPhone, signUp } from '../http/signing-up.js';
import { type Canaries, foundIn } from '../support/canaries.js';
import type { ClientResponse } from '../support/client.js';
import { clockAhead, DAY_MS, MINUTE_MS } from '../support/clock.js';
import { temporaryDirectory } from '../support/directory.js';
import { withEngines } from '../support/engines-of-file.js';
import { eventually } from '../support/eventually.js';
import { messagesIn } from '../support/outbox.js';
import { run } from '../support/process.js';
import { startEngines, startServer, startWorker, tokenOf } from './processes.js';
import {
  type Engines,
  expectReadModelsAsFresh,
  type SetOfEngines,
  sets,
  startedOn,
  type WatchedServer,
} from './sets.js';
import { storedIn } from './traces.js';

/** Returns the values that each store has, without the stores that have none. */
const findings = async (engines: Engines, canaries: Canaries): Promise<Readonly<Record<string, readonly string[]>>> => {
  const stores = [...(await storedIn(engines))].map(([name, bytes]) => [name, foundIn(bytes, canaries)] as const);
  return Object.fromEntries(stores.filter(([, found]) => found.length > 0));
};

const runCli = (engines: Engines, ...given: readonly string[]) =>
  run('cli', { environment: engines.environment, arguments: given });

const started = async ({ missing, start }: SetOfEngines, { skip }: TestContext) => {
  const reason = missing();
  skip(reason !== undefined, reason);
  const engines = await start();
  return { engines, server: await startedOn(engines) };
};

const listsOf = async (server: WatchedServer) => {
  const lists = ['/users', '/profiles'].map((list) => server.get<Page<unknown>>(`${list}?limit=200`));
  return (await Promise.all(lists)).map((response) => successful(response).body.items);
};

// So far ahead that no run of the upkeep is planned for that time yet.
const UPKEEP_IS_DUE = clockAhead(120 * MINUTE_MS);

/** Erases one person over HTTP and one with the operator's tool. Each way must leave nothing. */
const eraseBothWays = async (
  server: WatchedServer,
  engines: Engines,
  [first, second]: readonly [User['id'], User['id']],
) => {
  successful(await server.send('DELETE', `/users/${first}/personal-data`, { json: { reason: 'Asked for' } }));
  const { code, err } = await runCli(engines, 'erase', '--user', second, '--reason', 'Asked for');
  expect([code, err]).toEqual([0, '']);
};

describe.each(sets)('on $name', (set) => {
  it('a person erased over HTTP or with the tool is in no store, and other people are unchanged', {
    timeout: 180_000,
  }, async (test) => {
    const { engines, server } = await started(set, test);
    const [first, second, kept] = [await tracedPerson(server), await tracedPerson(server), await tracedPerson(server)];
    const gone = [first, second];
    await expectReadModelsAsFresh(engines);
    // Before the erasure the search finds every field in the read models, and none in the log and the vault.
    for (const { canaries } of gone) {
      const { reasons, ...fields } = canaries;
      const before = await findings(engines, canaries);
      expect([before['views'], reasons.length]).toEqual([Object.values(fields), 2]);
      expect([before['facts'], before['vault']]).toEqual([undefined, undefined]);
    }

    await eraseBothWays(server, engines, [first.userId, second.userId]);
    await server.restart(UPKEEP_IS_DUE);
    const expectGone = async () => {
      for (const { canaries } of gone) expect(await findings(engines, canaries)).toEqual({});
    };
    await eventually(expectGone);
    expect((await findings(engines, kept.canaries))['views']).toEqual(
      Object.values(kept.canaries).filter((value) => typeof value === 'string'),
    );
    expect((await server.get<User>(`/users/${kept.userId}`)).body.email).toBe(kept.canaries.email);

    const lists = await listsOf(server);
    expect(await runCli(engines, 'projections', 'rebuild', 'users')).toMatchObject({ code: 0 });
    expect(await listsOf(server)).toEqual(lists);
    await expectReadModelsAsFresh(engines);
    const compared = await runCli(engines, 'audit', 'replay', '--all', '--compare');
    expect([compared.code, compared.out]).toEqual([0, expect.stringMatching(/, 0 differ$/m)]);
    expect(await runCli(engines, 'verify')).toMatchObject({ code: 0 });

    // A process that stops or starts after the erasure writes no value of these people either.
    expect(await server.stop()).toBe(0);
    await server.start();
    await expectGone();
    expect(server.uncaught).toEqual([]);
  });
});

withEngines('an erasure without a worker', () => {
  it('is recorded but unfinished (503), and is completed by a second request once a worker runs', async () => {
    const [directory, engines] = [temporaryDirectory(), await startEngines()];
    const server = await startServer(directory, 'http', engines);
    const worker = await startWorker(directory, engines);
    const { userId } = await tracedPerson(server);
    successful(await server.get('/users', tokenOf(await server.put(`/users/${userId}`, { gender: null }))));
    expect(await worker.stop()).toBe(0);

    const erase = () => server.send<User>('DELETE', `/users/${userId}/personal-data`);
    const unfinished = await erase();
    expectProblem(unfinished, 503, 'erasure-unfinished');
    expect(unfinished.headers.get('retry-after')).toMatch(/^\d+$/);
    expectProblem(await server.put(`/users/${userId}`, { firstName: 'Bia' }), 410, 'user-erased');
    expectProblem(await erase(), 503, 'erasure-unfinished');

    await startWorker(directory, engines);
    const { body } = successful(await eventually(erased(erase)));
    expect(body).toMatchObject({ id: userId, firstName: null, auth: [] });
    const { items } = successful(
      await server.get<{ items: readonly { type: string }[] }>(`/audit/events?stream=user-${userId}`),
    ).body;
    expect(items.filter(({ type }) => type === 'UserErased')).toHaveLength(1);
  }, 90_000);
});

const erased = (erase: () => Promise<ClientResponse<User>>) => async () => {
  const response = await erase();
  expect(response.status).toBe(200);
  return response;
};

describe('the outbox', () => {
  const toMessages = (directory: string) => messagesIn(directory).map(({ to }) => to);

  it('loses the messages to every address of an erased person, confirmed or not, and keeps messages to other people', async () => {
    const directory = temporaryDirectory();
    const server = await startServer(directory, 'all');
    const [gone, kept] = [await signUp(server), await signUp(server)];
    const { token } = await signIn(server, gone.email);
    // The second code makes the first code void. The message with the first code stays.
    const phones = [newPhone(), newPhone()];
    for (const [index, { phone }] of phones.entries()) {
      successful(await server.post('/auth-service/change-phone', { dialingCode: '55', phone }, bearerHeader(token)));
      await eventually(() => expect(toMessages(directory)).toHaveLength(3 + index));
    }
    const sentTo = [gone.email, kept.email, ...phones.map(({ number }) => number)];
    expect(toMessages(directory).toSorted()).toEqual(sentTo.toSorted());
    successful(await server.put(`/users/${gone.id}`, { email: newEmail() }));
    successful(await server.send('DELETE', `/users/${gone.id}/personal-data`));
    expect(toMessages(directory)).toEqual([kept.email]);
  });

  it('loses messages older than a day, even if no new message is written', async () => {
    const directory = temporaryDirectory();
    const server = await startServer(directory, 'all');
    await signUp(server);
    await eventually(() => expect(toMessages(directory)).toHaveLength(1));
    await server.restart(clockAhead(DAY_MS + MINUTE_MS));
    await eventually(() => expect(toMessages(directory)).toEqual([]));
  });
});

describe("the loss of a person's key", () => {
  it('makes fields null, is reported in the log and a metric, is found by verify, and ends no process', async () => {
    const directory = temporaryDirectory();
    const server = await startServer(directory, 'all');
    const { userId, profileId, canaries, other } = await tracedPerson(server);
    expect(await server.stop()).toBe(0);
    removeKey(directory, userId);
    await server.start();

    const asOf = `asOf=${new Date().toISOString()}`;
    const { body } = successful(await server.get<User>(`/users/${userId}?${asOf}`));
    expect(body).toMatchObject({ id: userId, firstName: null, email: null, enabled: true });
    const history = successful(await server.get(`/users/${userId}/profiles/${profileId}/history`)).body;
    expect(foundIn(Buffer.from(JSON.stringify(history)), canaries)).toEqual([]);
    expect(server.log).toContainEqual(expect.objectContaining({ person: userId }));
    expect(`${(await server.get('/metrics')).body}`).toMatch(/^personal_events_without_key_total [1-9]/m);

    const refused = await server.put(`/users/${userId}`, { firstName: 'Bia' });
    expectProblem(refused, 503, 'personal-key-missing');
    expect((await server.patch(`/users/${userId}/profiles/${profileId}/reject`, {})).status).toBe(200);
    expect(successful(await server.get<User>(`/users/${other.id}?${asOf}`)).body.email).toBe(other.email);
    expect((await createDoctor(server)).firstName).toBe('Ana');

    const { code, out } = await run('cli', { environment: { DATA_DIR: directory }, arguments: ['verify'] });
    expect([code, out]).toEqual([
      1,
      expect.stringMatching(new RegExp(`^keys +FAULT: .*${userId}.*\n +do: .*vault`, 'm')),
    ]);
    expect(out).not.toContain(other.id);
  }, 60_000);
});

/** Removes the key of a person from a vault that no process has open. */
const removeKey = (directory: string, person: string): void => {
  const db = new Database(join(directory, 'vault.sqlite'));
  const { changes } = db.prepare("DELETE FROM records WHERE kind = 'person-key' AND key = ?").run(person);
  db.close();
  expect(changes).toBe(1);
};
