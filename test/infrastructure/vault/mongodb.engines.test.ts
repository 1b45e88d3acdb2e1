import { randomUUID } from 'node:crypto';
import { MongoClient } from 'mongodb';
import { describe, expect, it } from 'vitest';
import { StoreUnavailable } from '../../../src/infrastructure/errors.js';
import { MongoConnection } from '../../../src/infrastructure/mongodb/connection.js';
import { MongoVault } from '../../../src/infrastructure/vault/mongodb.js';
import { CLAIM_KIND, VERSION_KEPT_MS } from '../../../src/infrastructure/vault/vault.js';
import { eventually } from '../../support/eventually.js';
import { startMongoServer, withMongo } from '../../support/mongodb.js';
import { vaultSuite } from './vault.suite.js';

const vaultAt = (url: string) => new MongoVault(new MongoConnection(url));
const entry = { kind: 'claim', key: 'one', value: 1 };

const ALONE = 'the server is not in a replica set';

withMongo('the vault on MongoDB', (mongo) => {
  vaultSuite('MongoDB', () => {
    const url = mongo.newUrl();
    return () => vaultAt(url);
  });

  describe('the database of the vault', () => {
    it('has the name in the URL with the suffix _vault, and each index once', async () => {
      const url = mongo.newUrl();
      const vaults = Array.from({ length: 4 }, () => vaultAt(url));
      await Promise.all(vaults.map((vault, n) => vault.insert({ ...entry, key: `${n}` })));

      const client = new MongoClient(url);
      const records = client.db(`${new URL(url).pathname.slice(1)}_vault`).collection('records');
      await eventually(async () => {
        const indexes = await records.indexes();
        expect(indexes.map(({ key }) => key)).toEqual(
          expect.arrayContaining([{ _id: 1 }, { subject: 1, kind: 1, key: 1 }, { purgeAt: 1 }]),
        );
        expect(indexes.find(({ name }) => name === 'purge')).toMatchObject({ expireAfterSeconds: 0 });
        expect(indexes).toHaveLength(3);
      });
      for (const vault of vaults) await vault.close();
      expect(await records.countDocuments()).toBe(4);
      await client.close();
    });

    it('lets the server remove a record when it expires, a claim a day later, and no record that does not expire', async () => {
      const url = mongo.newUrl();
      const vault = vaultAt(url);
      const [expiresAt, key] = [Date.now() + 60_000, randomUUID()];
      await vault.insert({ kind: 'code', key, value: 1, expiresAt });
      await vault.insert({ kind: CLAIM_KIND, key, value: 1 });
      await vault.replace({ kind: CLAIM_KIND, key, value: 1, expiresAt }, 1);
      await vault.insert({ kind: 'session', key, value: 1, expiresAt });
      await vault.replace({ kind: 'session', key, value: 1 }, 1);
      const client = new MongoClient(url);
      const stored = await client
        .db(`${new URL(url).pathname.slice(1)}_vault`)
        .collection('records')
        .find({}, { sort: { kind: 1 } })
        .toArray();
      expect(stored.map(({ purgeAt }) => purgeAt?.getTime())).toEqual([
        expiresAt + VERSION_KEPT_MS,
        expiresAt,
        undefined,
      ]);
      await client.close();
      await vault.close();
    });

    it('does not confuse kinds that contain a colon', async () => {
      const vault = vaultAt(mongo.newUrl());
      expect(await vault.insert({ kind: 'a:b', key: 'c', value: 1 })).toBe(1);
      expect(await vault.insert({ kind: 'a', key: 'b:c', value: 2 })).toBe(1);
      await vault.close();
    });
  });

  describe('an unavailable vault on MongoDB', () => {
    it('rejects calls while the server is down, and then has every record that it acknowledged', async (context) => {
      const server = await startMongoServer(context);
      const vault = vaultAt(server.url);
      const keys = Array.from({ length: 20 }, (_, n) => `${n}`);
      const inserted = await Promise.all(keys.map((key) => vault.insert({ ...entry, key })));
      expect(inserted).toEqual(keys.map(() => 1));
      await server.end('SIGKILL');
      const calls = [vault.get(entry), vault.insert(entry), vault.replace(entry, 1), vault.remove(entry)];
      await Promise.all(calls.map((call) => expect(call).rejects.toBeInstanceOf(StoreUnavailable)));
      await server.start();
      await eventually(() => vault.get(entry));
      const again = await Promise.all(keys.map((key) => vault.insert({ ...entry, key })));
      expect(again).toEqual(keys.map(() => undefined));
      await vault.close();
    });

    it('can be closed while the server is silent', async (context) => {
      const server = await startMongoServer(context);
      const vault = vaultAt(server.url);
      await vault.insert(entry);
      await server.signal('SIGSTOP');
      const call = expect(vault.get(entry)).rejects.toBeInstanceOf(StoreUnavailable);
      await vault.close();
      await call;
    });

    it('rejects every call once it is closed, while other vaults on its connection continue to work', async () => {
      const connection = new MongoConnection(mongo.newUrl());
      const [closed, open] = [new MongoVault(connection), new MongoVault(connection)];
      await closed.close();
      await closed.close();
      await expect(closed.insert(entry)).rejects.toBeInstanceOf(StoreUnavailable);
      expect(await open.insert(entry)).toBe(1);
      await open.close();
      await expect(open.get(entry)).rejects.toBeInstanceOf(StoreUnavailable);
    });

    it('refuses an invalid URL', () => {
      expect(() => new MongoConnection('http://localhost')).toThrow(/connection string/);
    });
  });
});

it.each([
  ['', { setName: 'rs0', isWritablePrimary: true }],
  ['', { setName: 'rs0', secondary: true }],
  ['', { msg: 'isdbgrid' }],
  [ALONE, { isWritablePrimary: true }],
  [ALONE, { msg: 'not master' }],
])('the settings of MongoDB are wrong in these words: "%s" if it says %j', async (wrong, hello) => {
  const db = { command: async () => hello };
  const open = () => ({ run: (call: (on: typeof db) => unknown) => call(db) });
  expect(await new MongoVault({ open } as unknown as MongoConnection).wrongSettings()).toEqual({
    text: wrong,
    isUnsafe: false,
  });
});
