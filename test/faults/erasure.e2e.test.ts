// After a person was erased, no store of any set has a value of theirs, in any form; and all that was built on the log
// can be rebuilt.
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { describe, expect, it, type TestContext } from 'vitest';
import { tracedPerson } from '../http/erased-person.js';
import { expectProblem } from '../http/refusals.js';
import { createDoctor, newEmail, type Page, successful, type User } from '../http/samples.js';
import { bearing, signIn } from '../http/signing-in.js';
import { newPhone, signUp } from '../http/signing-up.js';
import { bytesUnder, type Canaries, foundIn, newCanaries } from '../support/canaries.js';
import type { ClientResponse } from '../support/client.js';
import { clockAhead, DAY_MS, MINUTE_MS } from '../support/clock.js';
import { temporaryDirectory } from '../support/directory.js';
import { eventually } from '../support/eventually.js';
import { opaqueIn, since } from '../support/opaque.js';
import { messagesIn } from '../support/outbox.js';
import { run } from '../support/process.js';
import { headOf, recordedIn } from '../support/recorded.js';
import { startServer, startWorker } from './processes.js';
import {
  type Engines,
  expectReadModelsAsFresh,
  type SetOfEngines,
  sets,
  startedOn,
  type WatchedServer,
} from './sets.js';
import { storedIn } from './traces.js';

/** The values that each store has, where it has some. */
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
  return (await Promise.all(lists)).map((answer) => successful(answer).body.items);
};

// Long enough that no turn of the upkeep was planned before.
const UPKEEP_IS_DUE = clockAhead(120 * MINUTE_MS);

/** Erases one person over HTTP and one by the operator's tool: each way must leave nothing. */
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
  it('a person erased over HTTP and one erased by the tool are in no store, and others are as before', {
    timeout: 180_000,
  }, async (test) => {
    const { engines, server } = await started(set, test);
    const [first, second, kept] = [await tracedPerson(server), await tracedPerson(server), await tracedPerson(server)];
    const gone = [first, second];
    await expectReadModelsAsFresh(engines);
    // The search finds what is there: the read models have every field, the log and the vault nothing.
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

    // A process that was started after it, and one that ended, wrote nothing of them either.
    expect(await server.stop()).toBe(0);
    await server.start();
    await expectGone();
    expect(server.uncaught).toEqual([]);
  });
});

describe('an erasure without a worker', () => {
  it('is recorded and unfinished: 503; asked for again once there is one, it is complete', async () => {
    const directory = temporaryDirectory();
    const canaries = newCanaries();
    const [server, worker] = [await startServer(directory, 'http'), await startWorker(directory)];
    const { userId } = await tracedPerson(server, canaries);
    const token = since(await opaqueIn(directory), headOf(directory));
    successful(await server.get('/users', token));
    expect(await worker.stop()).toBe(0);

    const erase = () => server.send<User>('DELETE', `/users/${userId}/personal-data`);
    const unfinished = await erase();
    expectProblem(unfinished, 503, 'erasure-unfinished');
    expect(unfinished.headers.get('retry-after')).toMatch(/^\d+$/);
    expect(foundIn(bytesUnder(directory, 'views'), canaries)).toContain(canaries.email);
    expectProblem(await server.put(`/users/${userId}`, { firstName: 'Bia' }), 410, 'user-erased');
    expectProblem(await erase(), 503, 'erasure-unfinished');

    await startWorker(directory);
    const { body } = successful(await eventually(erased(erase)));
    expect(body).toMatchObject({ id: userId, firstName: null, auth: [] });
    await startWorker(directory, UPKEEP_IS_DUE);
    await eventually(() => expect(foundIn(bytesUnder(directory), canaries)).toEqual([]));
    const events = recordedIn(directory, `user-${userId}`).filter(({ type }) => type === 'UserErased');
    expect(events).toHaveLength(1);
  }, 90_000);
});

const erased = (erase: () => Promise<ClientResponse<User>>) => async () => {
  const answer = await erase();
  expect(answer.status).toBe(200);
  return answer;
};

describe('the outbox', () => {
  const toMessages = (directory: string) => messagesIn(directory).map(({ to }) => to);

  it('no longer has messages to an erased person, confirmed or not, and keeps those to others', async () => {
    const directory = temporaryDirectory();
    const server = await startServer(directory, 'all');
    const [gone, kept] = [await signUp(server), await signUp(server)];
    const { token } = await signIn(server, gone.email);
    // The second code makes the first one void, whose message stays.
    const phones = [newPhone(), newPhone()];
    for (const [index, { phone }] of phones.entries()) {
      successful(await server.post('/auth-service/change-phone', { dialingCode: '55', phone }, bearing(token)));
      await eventually(() => expect(toMessages(directory)).toHaveLength(3 + index));
    }
    const sentTo = [gone.email, kept.email, ...phones.map(({ number }) => number)];
    expect(toMessages(directory).toSorted()).toEqual(sentTo.toSorted());
    successful(await server.put(`/users/${gone.id}`, { email: newEmail() }));
    successful(await server.send('DELETE', `/users/${gone.id}/personal-data`));
    expect(toMessages(directory)).toEqual([kept.email]);
  });

  it('loses what is older than a day to the upkeep, though no message is written', async () => {
    const directory = temporaryDirectory();
    const server = await startServer(directory, 'all');
    await signUp(server);
    await eventually(() => expect(toMessages(directory)).toHaveLength(1));
    await server.restart(clockAhead(DAY_MS + MINUTE_MS));
    await eventually(() => expect(toMessages(directory)).toEqual([]));
  });
});

describe('a lost key of a person', () => {
  it('reads as null, is reported in log and metric, found by verify, and ends no process', async () => {
    const directory = temporaryDirectory();
    const server = await startServer(directory, 'all');
    const { userId, profileId, canaries, other } = await tracedPerson(server);
    expect(await server.stop()).toBe(0);
    lose(directory, userId);
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

/** Takes the key of a person out of a vault that nobody has open. */
const lose = (directory: string, person: string): void => {
  const db = new Sqlite(join(directory, 'vault.sqlite'));
  const { changes } = db.prepare("DELETE FROM records WHERE kind = 'person-key' AND key = ?").run(person);
  db.close();
  expect(changes).toBe(1);
};
