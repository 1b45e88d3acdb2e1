// Tests that after the erasure of a person no store has a value of that person in any form, that no process returns
// one, and that the read models can be rebuilt from the log.
import { Redis } from 'ioredis';
import { MongoClient } from 'mongodb';
import { expect, it } from 'vitest';
import { type Traced, tracedPerson } from '../http/support/erased-person.js';
import { createDoctor, createInstitution, type Page, successful, type User } from '../http/support/samples.js';
import { bytesUnder, type Canaries, foundIn } from '../support/canaries.js';
import type { Client, ClientResponse } from '../support/client.js';
import { clockAhead, MINUTE_MS } from '../support/clock.js';
import { eventually } from '../support/eventually.js';
import { run } from '../support/process.js';
import { type Engines, expectReadModelsAsFresh, loggedIn, startedOn, withStores } from './support/sets.js';

// So far ahead that no run of the upkeep is planned for that time yet.
const UPKEEP_IS_DUE = clockAhead(120 * MINUTE_MS);

/** Declares the test of a service on these engines. */
export const erasureSuite = (startEngines: () => Engines | Promise<Engines>): void => {
  it('a person erased over HTTP or with the tool is in no store, and other people are unchanged', {
    timeout: 180_000,
  }, async () => {
    const engines = await startEngines();
    const server = await startedOn(engines);
    const runCli = (...given: readonly string[]) => run('cli', { environment: engines.environment, arguments: given });
    const [first, second, kept] = [await tracedPerson(server), await tracedPerson(server), await tracedPerson(server)];
    const gone = [first, second];
    await expectReadModelsAsFresh(engines);
    // Before the erasure the search finds every field in the read models, and none in the log and the vault.
    for (const { canaries } of gone) {
      const { reasons, ...fields } = canaries;
      const before = await findings(engines, canaries);
      expect([before['views'], reasons.length]).toEqual([Object.values(fields), 3]);
      expect([before['facts'], before['vault']]).toEqual([undefined, undefined]);
    }

    const reason = 'Asked for';
    successful(await server.send('DELETE', `/users/${first.userId}/personal-data`, { json: { reason } }));
    expect(await runCli('erase', '--user', second.userId, '--reason', reason)).toMatchObject({ code: 0, err: '' });
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
    expect(await runCli('projections', 'rebuild', 'users')).toMatchObject({ code: 0 });
    expect(await listsOf(server)).toEqual(lists);
    await expectReadModelsAsFresh(engines);
    const compared = await runCli('audit', 'replay', '--all', '--compare');
    expect([compared.code, compared.out]).toEqual([0, expect.stringMatching(/, 0 differ$/m)]);
    expect(await runCli('verify')).toMatchObject({ code: 0 });

    // A process that stops or starts after the erasure writes no value of these people either.
    expect(await server.stop()).toBe(0);
    await server.start();
    await expectGone();
    expect(server.uncaught).toEqual([]);
  });
};

const listsOf = async (server: Client) => {
  const lists = ['/users', '/profiles'].map((list) => server.get<Page<unknown>>(`${list}?limit=200`));
  return (await Promise.all(lists)).map((response) => successful(response).body.items);
};

/** Returns the values that each store has, without the stores that have none. */
const findings = async (engines: Engines, canaries: Canaries): Promise<Readonly<Record<string, readonly string[]>>> => {
  const stores = [...(await storedIn(engines))].map(([name, bytes]) => [name, foundIn(bytes, canaries)] as const);
  return Object.fromEntries(stores.filter(([, found]) => found.length > 0));
};

/**
 * Returns the bytes of each store by its name. Files of embedded engines count for the store that they are named after.
 */
const storedIn = async (engines: Engines): Promise<ReadonlyMap<string, Buffer>> => {
  const { directory, environment } = engines;
  const { MONGODB_URL, REDIS_URL } = environment;
  const log = JSON.stringify(await withStores(engines, loggedIn));
  const stores = new Map<string, Buffer>([
    ['DATA_DIR', bytesUnder(directory)],
    ['facts', Buffer.concat([bytesUnder(directory, 'facts'), Buffer.from(log)])],
    ['views', bytesUnder(directory, 'views')],
    ['vault', bytesUnder(directory, 'vault')],
  ]);
  if (MONGODB_URL !== undefined) for (const [name, bytes] of await inMongoDb(MONGODB_URL)) stores.set(name, bytes);
  if (REDIS_URL !== undefined) stores.set('Redis', await inRedis(REDIS_URL));
  return stores;
};

/** Returns the collections of each database under the last part of the database's name. */
const inMongoDb = async (url: string): Promise<readonly (readonly [string, Buffer])[]> => {
  const client = new MongoClient(url);
  try {
    const { databases } = await client.db().admin().listDatabases({ nameOnly: true });
    const all = databases.map(async ({ name }) => {
      const collections = await client.db(name).listCollections({}, { nameOnly: true }).toArray();
      const documents = collections.map((each) => client.db(name).collection(each.name).find({}).toArray());
      const kind = name.slice(name.lastIndexOf('_') + 1);
      return [kind, Buffer.from(JSON.stringify([collections, await Promise.all(documents)]))] as const;
    });
    return await Promise.all(all);
  } finally {
    await client.close();
  }
};

/** Returns every key with its value in the dump format of Redis, without compression. */
const inRedis = async (url: string): Promise<Buffer> => {
  const redis = new Redis(url);
  try {
    await redis.config('SET', 'rdbcompression', 'no');
    const keys = await redis.keys('*');
    // A lock or a delayed job may expire between the two calls. Then Redis has nothing to dump.
    const values: (Buffer | null)[] = await Promise.all(keys.map((key) => redis.dumpBuffer(key)));
    return Buffer.concat([Buffer.from(keys.join('\n')), ...values.filter((value) => value !== null)]);
  } finally {
    redis.disconnect();
  }
};

/** Expects that `reading` returns no value of a person as soon as `erase`, which runs beside it, has ended. */
export const expectErasedElsewhere = async (
  reading: Client,
  erase: (userId: string) => Promise<unknown>,
): Promise<void> => {
  const traced = await tracedPerson(reading);
  const { id: institutionId } = await createInstitution(reading);
  const kept = await createDoctor(reading);
  const then = new Date().toISOString();
  expect(foundIn(textOf(await readAll(reading, traced, then)), traced.canaries)).not.toEqual([]);
  successful(await reading.put(`/users/${traced.userId}`, {}));

  await erase(traced.userId);

  // The commands come first, because a read would refresh the cache of the process.
  const commanded = await commandAll(reading, traced, institutionId);
  expect(commanded.map(({ status }) => status)).toEqual(commanded.map(() => 410));
  expect(foundIn(textOf(commanded), traced.canaries)).toEqual([]);
  expect(foundIn(textOf(await readAll(reading, traced, then)), traced.canaries)).toEqual([]);
  const read = successful(await reading.get<User>(`/users/${kept.id}?asOf=${then}`));
  expect(read.body.firstName).toBe(kept.firstName);
};

/** Sends every GET whose response includes personal data of the user, and the streamed forms of the audit trail. */
const readAll = async (client: Client, traced: Traced, then: string): Promise<readonly ClientResponse[]> => {
  const user = `/users/${traced.userId}`;
  const profile = `${user}/profiles/${traced.profileId}`;
  const trail = `/audit/events?stream=user-${traced.userId}`;
  const paths = [
    ...[`${user}?asOf=${then}`, `${profile}?asOf=${then}`, `${profile}/history`, `${profile}/history?asOf=${then}`],
    ...[trail, '/audit/events?category=user', user, profile, '/users?limit=200', '/profiles?limit=200'],
  ];
  const forms = ['application/x-ndjson', 'application/cloudevents-batch+json'];
  const all = [...paths.map((path) => client.get(path)), ...forms.map((Accept) => client.get(trail, { Accept }))];
  return (await Promise.all(all)).map((response) => successful(response));
};

/** Sends commands on the user. The process decides them on the state that it has cached. */
const commandAll = async (client: Client, { userId, profileId, other }: Traced, institutionId: string) => {
  const profile = `/users/${userId}/profiles/${profileId}`;
  const responses: ClientResponse[] = [
    // This code does not fit the cached phone number, so a decision on the cached state would be a validation error.
    await client.put(`/users/${userId}`, { dialingCode: '376' }),
    await client.put(`/users/${userId}`, {}),
    await client.patch(`${profile}/approve`, {}),
    await client.post(`/users/${userId}/profiles`, {}),
    await client.post(`/institutions/${institutionId}/users`, { userIds: [other.id, userId] }),
  ];
  return responses;
};

const textOf = (responses: readonly ClientResponse[]) => Buffer.from(JSON.stringify(responses.map(({ body }) => body)));
