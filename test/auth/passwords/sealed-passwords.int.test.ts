// Tests that a password in the vault matches only if this service has sealed it for its user, on both engines.
import { hash } from '@node-rs/argon2';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Passwords, passwordCost } from '../../../src/auth/passwords/passwords.js';
import { MongoConnection } from '../../../src/infrastructure/mongodb/connection.js';
import { newKey } from '../../../src/infrastructure/sealing/aes-gcm.js';
import { Keyring } from '../../../src/infrastructure/sealing/keyring.js';
import { newMasterKey, ProvidedMasterKeys } from '../../../src/infrastructure/sealing/master-key.js';
import { wrap } from '../../../src/infrastructure/sealing/wrapping.js';
import { MongoVault } from '../../../src/infrastructure/vault/mongodb.js';
import { SqliteVault } from '../../../src/infrastructure/vault/sqlite.js';
import type { Vault } from '../../../src/infrastructure/vault/vault.js';
import { temporaryDirectory } from '../../support/directory.js';
import { withMongo } from '../../support/mongodb.js';
import { uuidOf } from '../../support/specification.js';

const [RITA, ANA] = [uuidOf(1), uuidOf(2)];
const OWN = 'correct horse';
const FOREIGN = 'the horse of an attacker';
const FORMER = { kind: 'service-key', key: 'sentinel' };

const suite = (engine: string, openVault: () => Vault) =>
  describe(`a password in a vault on ${engine}`, () => {
    const setUp = () => {
      const vault = openVault();
      onTestFinished(() => vault.close());
      const master = newMasterKey();
      /** Opens the vault as another process does. */
      const open = () => {
        const keyring = new Keyring(vault, new ProvidedMasterKeys([master]));
        const passwords = new Passwords(vault, (name) => keyring.serviceKey(name));
        return { passwords, migrate: () => keyring.migrateOnce(() => passwords.sealAll()) };
      };
      /** Stores a hash as programs before format 6 did. */
      const putBare = async (userId: string, password: string, more = {}): Promise<void> => {
        const value = { hash: await hash(password, passwordCost), ...more };
        await vault.remove({ kind: 'password', key: userId });
        await vault.insert({ kind: 'password', key: userId, value, subject: userId });
      };
      const makeOld = () => vault.insert({ ...FORMER, value: wrap(master, FORMER, newKey()) });
      return { vault, open, putBare, makeOld };
    };

    it('does not match if it is a bare hash, or the record of another user', async () => {
      const { vault, open, putBare } = setUp();
      const { passwords } = open();
      for (const user of [RITA, ANA]) await passwords.keep(user, user === RITA ? OWN : FOREIGN);
      const foreign = await vault.get({ kind: 'password', key: ANA });
      await vault.replace({ kind: 'password', key: RITA, value: foreign?.value, subject: RITA }, 1);
      expect(await passwords.verify(ANA, FOREIGN)).toBe(true);
      expect(await passwords.verify(RITA, FOREIGN)).toBe(false);
      await putBare(RITA, FOREIGN);
      expect(await passwords.verify(RITA, FOREIGN)).toBe(false);
      expect(await passwords.replace(RITA, OWN, await passwords.versionOf(RITA))).toBe(true);
      expect(await passwords.verify(RITA, OWN)).toBe(true);
    });

    it('of an earlier version matches after the migration, even if several processes migrate at once', async () => {
      const { vault, open, putBare, makeOld } = setUp();
      await makeOld();
      await putBare(RITA, OWN);
      await putBare(ANA, OWN, { initial: 'unused' });
      const processes = [open(), open(), open()];
      await Promise.all(processes.map(({ migrate }) => migrate()));
      for (const { passwords } of processes) expect(await passwords.verify(RITA, OWN)).toBe(true);
      const [first] = processes;
      expect([await first?.passwords.useInitial(ANA), await first?.passwords.useInitial(ANA)]).toEqual([true, false]);
      const records = await vault.ofKind<object>('password', undefined, 10);
      expect(records.flatMap(({ value }) => Object.keys(value))).toEqual(['sealed', 'sealed']);
      expect(await vault.ofSubject('password', RITA)).toHaveLength(1);
    });

    it('is not accepted as one of an earlier version, whatever records of the vault are removed', async () => {
      const { vault, open, putBare, makeOld } = setUp();
      await makeOld();
      await open().migrate();
      await open().passwords.keep(ANA, OWN);
      await putBare(RITA, FOREIGN);
      await open().migrate();
      expect(await open().passwords.verify(RITA, FOREIGN)).toBe(false);
      for (const { kind, key } of await vault.ofKind('service-key', undefined, 100)) await vault.remove({ kind, key });
      await open().migrate();
      expect(await open().passwords.verify(RITA, FOREIGN)).toBe(false);
    });

    it('is not sealed in a vault whose former first key is not authentic', async () => {
      const { vault, open, putBare } = setUp();
      await putBare(RITA, FOREIGN);
      await vault.insert({ ...FORMER, value: wrap(newMasterKey(), FORMER, newKey()) });
      await expect(open().migrate()).rejects.toThrow();
      expect(await vault.get<object>({ kind: 'password', key: RITA })).toMatchObject({
        value: { hash: expect.any(String) },
      });
    });
  });

suite('SQLite', () => new SqliteVault(temporaryDirectory()));

withMongo('passwords on MongoDB', (mongo) =>
  suite('MongoDB', () => new MongoVault(new MongoConnection(mongo.newUrl()))),
);
