import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { StoreUnavailable } from '../../../src/infrastructure/errors.js';
import { Database } from '../../../src/infrastructure/sqlite/driver.js';
import { SqliteVault } from '../../../src/infrastructure/vault/sqlite.js';
import { temporaryDirectory } from '../../support/directory.js';
import { vaultSuite } from './vault.suite.js';

vaultSuite('SQLite', () => {
  const directory = temporaryDirectory();
  return () => new SqliteVault(directory);
});

const secret = { kind: 'key', key: '1', value: 'a-secret-that-is-easy-to-find', subject: 'someone' };
const isHeldIn = (directory: string) =>
  readdirSync(directory).some((name) => readFileSync(join(directory, name)).includes(secret.value));

describe('the files of the vault', () => {
  it('hold no value of an erased person once the vault is closed', async () => {
    const directory = temporaryDirectory();
    const vault = new SqliteVault(directory);
    await vault.insert(secret);
    expect(isHeldIn(directory)).toBe(true);
    await vault.removeSubject(secret.subject);
    await vault.close();
    expect(isHeldIn(directory)).toBe(false);
  });
});

describe('forget on SQLite', () => {
  it('rejects while another connection reads the erased values, and succeeds afterwards', async () => {
    const directory = temporaryDirectory();
    const vault = new SqliteVault(directory);
    await vault.insert(secret);
    const reader = new Database(join(directory, 'vault.sqlite'), { readOnly: true });
    reader.exec('BEGIN; SELECT count(*) FROM records;');
    await vault.removeSubject(secret.subject);
    await expect(vault.forget()).rejects.toBeInstanceOf(StoreUnavailable);
    expect(isHeldIn(directory)).toBe(true);
    reader.close();
    await vault.forget();
    expect(isHeldIn(directory)).toBe(false);
    await vault.close();
  });
});

describe('an unavailable vault on SQLite', () => {
  it('rejects every call once it is closed', async () => {
    const vault = new SqliteVault(temporaryDirectory());
    await vault.close();
    const calls = [
      vault.get({ kind: 'key', key: '1' }),
      vault.insert({ kind: 'key', key: '1', value: 1 }),
      vault.ofSubject('key', 'someone'),
    ];
    for (const settled of await Promise.allSettled<unknown>(calls)) {
      expect(settled).toMatchObject({ status: 'rejected', reason: expect.any(StoreUnavailable) });
    }
  });
});
