import {
  Collection,
  type CommandStartedEvent,
  type Db,
  type MongoClient,
  type MongoClientEvents,
  MongoServerError,
} from 'mongodb';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  MongoConnection,
  type MongoDatabase,
  PATIENT_MS,
  PROMPT_MS,
} from '../../../src/infrastructure/mongodb/connection.js';
import { makeIndexes } from '../../../src/infrastructure/mongodb/indexes.js';
import { MongoVault } from '../../../src/infrastructure/vault/mongodb.js';
import { eventually } from '../../support/eventually.js';
import { withMongo } from '../../support/mongodb.js';

const WEAK = 'w=0&journal=false&wtimeoutMS=1&retryWrites=false&retryReads=false&readPreference=secondary';

withMongo('a connection to MongoDB', (mongo) => {
  /** Opens a database that is closed with the test, and records the commands that it sends. */
  const openDatabase = async (options: string, onError?: (error: Error) => void) => {
    const url = mongo.newUrl();
    const connection = new MongoConnection(
      `${url}${url.includes('?') ? '&' : '?'}monitorCommands=true&${options}`,
      onError,
    );
    const database = connection.open('the test', 'views');
    onTestFinished(() => database.close());
    const sent: CommandStartedEvent['command'][] = [];
    await database.run(async (db) => db.client.on('commandStarted', ({ command }) => sent.push(command)));
    return { database, connection, sent };
  };
  const write = (db: Db) => db.collection<{ _id: string }>('some').updateOne({ _id: 'one' }, { $set: { is: 'there' } });

  describe('whose URL asks for weaker guarantees', () => {
    it('still writes with a majority and the journal, within the deadline of the call', async () => {
      const { database, sent } = await openDatabase(WEAK);
      await database.run(write);
      await database.run(write, PATIENT_MS);
      await database.run((db) => db.dropCollection('some'), PATIENT_MS);
      const writes = sent.filter((command) => 'update' in command || 'drop' in command);
      expect(writes.map(({ writeConcern }) => writeConcern)).toEqual(
        [PROMPT_MS, PATIENT_MS, PATIENT_MS].map((wtimeout) => ({ w: 'majority', j: true, wtimeout })),
      );
    });

    it('reads from the primary with read concern majority', async () => {
      const { database, sent } = await openDatabase(WEAK);
      await database.run((db) => db.collection('some').findOne({}));
      expect(sent.find((command) => 'find' in command)).toMatchObject({ readConcern: { level: 'majority' } });
      expect(await database.run(async (db) => db.readPreference?.mode)).toBe('primary');
      expect(await database.run(async ({ client }) => client.options.readPreference.mode)).toBe('primary');
    });

    it('retries reads and writes, and waits longer for a primary than a failover takes', async () => {
      const { database } = await openDatabase(`${WEAK}&serverSelectionTimeoutMS=1&maxIdleTimeMS=7000`);
      const options = await database.run(async ({ client }) => client.options);
      expect(options).toMatchObject({ retryWrites: true, retryReads: true, maxIdleTimeMS: 7_000 });
      expect(options.serverSelectionTimeoutMS).toBeGreaterThan(12_000);
    });

    it('checks servers as often as the limit for a check assumes', async () => {
      const { database } = await openDatabase('heartbeatFrequencyMS=30000');
      expect(await database.run(async ({ client }) => client.options.heartbeatFrequencyMS)).toBe(10_000);
    });

    it('waits for a primary as long as the URL says if that is longer', async () => {
      const { database } = await openDatabase('serverSelectionTimeoutMS=60000');
      const options = await database.run(async ({ client }) => client.options);
      expect(options.serverSelectionTimeoutMS).toBe(60_000);
    });
  });

  describe('whose driver checks a server', () => {
    const SERVER = 'mongo.example:27017';
    const clientOf = (database: MongoDatabase) => database.run(async ({ client }) => client);
    type Step = number | keyof MongoClientEvents;
    /** Starts a check. Lets the events of `steps` happen in order, and as many milliseconds pass in between. */
    const check = (client: MongoClient, awaited: boolean, ...steps: readonly Step[]) => {
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
      onTestFinished(() => void vi.useRealTimers());
      for (const step of ['serverHeartbeatStarted' as const, ...steps]) {
        if (typeof step === 'number') vi.advanceTimersByTime(step);
        else client.emit(step as 'serverHeartbeatStarted', { connectionId: SERVER, address: SERVER, awaited } as never);
      }
      vi.useRealTimers();
    };
    const kinds = [
      ['a check', false, 6_000],
      ['a check that waits for a change', true, 13_000],
    ] as const;

    it.each(kinds)('starts a new client and reports it if %s does not end', async (_, awaited, ms) => {
      const reported: Error[] = [];
      const { database } = await openDatabase('', (error) => reported.push(error));
      const client = await clientOf(database);
      // The first timer gives the process time to read a response that has arrived in the meantime.
      check(client, awaited, ms, 1_000);
      expect(await clientOf(database)).not.toBe(client);
      expect(await database.run(write)).toMatchObject({ acknowledged: true });
      expect(reported).toMatchObject([{ message: expect.stringContaining(`${SERVER} does not end`) }]);
    });

    it.each(kinds)(
      'keeps the client if the end of %s is read late: the process was suspended',
      async (_, awaited, ms) => {
        const { database } = await openDatabase('');
        const client = await clientOf(database);
        check(client, awaited, ms + 500, 'serverHeartbeatSucceeded', 60_000);
        expect(await clientOf(database)).toBe(client);
      },
    );

    it.each(['serverHeartbeatSucceeded', 'serverHeartbeatFailed', 'serverClosed'] as const)(
      'keeps the client if the check ends with %s',
      async (event) => {
        const { database } = await openDatabase('');
        const client = await clientOf(database);
        check(client, false, event, 60_000);
        expect(await clientOf(database)).toBe(client);
      },
    );
  });

  describe('the indexes of a collection', () => {
    const indexes = [
      { name: 'one', key: { one: 1 } },
      { name: 'two', key: { two: 1 } },
    ];
    const namesIn = async (database: MongoDatabase) =>
      (await database.run((db) => db.collection('some').indexes())).map(({ name }) => name);
    const failing = (code: number, when: (given: Parameters<Collection['createIndexes']>) => boolean) => {
      const real = Collection.prototype.createIndexes;
      const spy = vi.spyOn(Collection.prototype, 'createIndexes');
      onTestFinished(() => spy.mockRestore());
      spy.mockImplementation(function (this: Collection, ...given: Parameters<Collection['createIndexes']>) {
        return when(given) ? Promise.reject(new MongoServerError({ message: 'no', code })) : real.apply(this, given);
      });
      return spy;
    };

    it('wait only for a majority of the members', async () => {
      const { database, sent } = await openDatabase('');
      await makeIndexes(database, 'some', indexes);
      expect(sent.find((command) => 'createIndexes' in command)).toMatchObject({
        commitQuorum: 'majority',
        writeConcern: { w: 'majority' },
      });
    });

    it('are created on a server that is not a replica set', async () => {
      const { database } = await openDatabase('');
      failing(2, ([, options]) => options !== undefined && 'commitQuorum' in options);
      await makeIndexes(database, 'some', indexes);
      expect(await namesIn(database)).toEqual(expect.arrayContaining(['one', 'two']));
    });

    it.each([85, 86])(
      'that conflict with existing indexes are reported, and the others are created: code %d',
      async (code) => {
        const reported: Error[] = [];
        const { database } = await openDatabase('', (error) => reported.push(error));
        failing(code, ([given]) => given.some(({ name }) => name === 'one'));
        await makeIndexes(database, 'some', indexes);
        expect(await namesIn(database)).toEqual(expect.arrayContaining(['two']));
        expect(reported).toHaveLength(1);
      },
    );

    it('that cannot be created fail no call of the vault, and are reported once', async () => {
      const reported: Error[] = [];
      const { connection } = await openDatabase('', (error) => reported.push(error));
      const vault = new MongoVault(connection);
      onTestFinished(() => vault.close());
      const spy = failing(85, ([given]) => given.some(({ name }) => name === 'purge'));
      for (const key of ['one', 'two']) expect(await vault.insert({ kind: 'claim', key, value: 1 })).toBe(1);
      await eventually(() => expect(reported).toHaveLength(1));
      const tried = spy.mock.calls.length;
      expect(await vault.get({ kind: 'claim', key: 'one' })).toMatchObject({ value: 1 });
      expect(spy.mock.calls.length).toBe(tried);
    });
  });
});
