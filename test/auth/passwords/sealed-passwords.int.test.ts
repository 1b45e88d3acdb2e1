// Tests that a password in the vault matches only if this service has sealed it for its user, on both engines.
import { hash } from '@node-rs/argon2';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Passwords, passwordCost } from '../../../src/auth/passwords/passwords.js';
import { MongoConnection } from '../../../src/infrastructure/mongodb/connection.js';
import { Keyring } from '../../../src/infrastructure/sealing/keyring.js';
import { newMasterKey, providedMasterKeys } from '../../../src/infrastructure/sealing/master-key.js';
import { MongoVault } from '../../../src/infrastructure/vault/mongodb.js';
import { SqliteVault } from '../../../src/infrastructure/vault/sqlite.js';
import type { Vault } from '../../../src/infrastructure/vault/vault.js';
import { temporaryDirectory } from '../../support/directory.js';
import { withMongo } from '../../support/mongodb.js';
import { uuidOf } from '../../support/specification.js';

const [RITA, ANA] = [uuidOf(1), uuidOf(2)];
const OWN = 'correct horse';
const FOREIGN = 'the horse of an attacker';

const suite = (engine: string, openVault: () => Vault) =>
  describe(`a password in a vault on ${engine}`, () => {
    const setUp = () => {
      const vault = openVault();
      onTestFinished(() => vault.close());
      const keyring = new Keyring(vault, providedMasterKeys([newMasterKey()]));
      const passwords = new Passwords(vault, (name) => keyring.serviceKey(name));
      /** Stores a hash as somebody without the master key can. */
      const putBare = async (userId: string, password: string): Promise<void> => {
        const value = { hash: await hash(password, passwordCost) };
        await vault.remove({ kind: 'password', key: userId });
        await vault.insert({ kind: 'password', key: userId, value, subject: userId });
      };
      return { vault, passwords, putBare };
    };

    it('does not match if it is a bare hash, or the record of another user', async () => {
      const { vault, passwords, putBare } = setUp();
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
  });

suite('SQLite', () => new SqliteVault(temporaryDirectory()));

withMongo('passwords on MongoDB', (mongo) =>
  suite('MongoDB', () => new MongoVault(new MongoConnection(mongo.newUrl()))),
);
