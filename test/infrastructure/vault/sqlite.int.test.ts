import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { StoreUnavailable } from '../../../src/infrastructure/errors.js';
import { Database } from '../../../src/infrastructure/sqlite/driver.js';
import { SqliteVault } from '../../../src/infrastructure/vault/sqlite.js';
import { temporaryDirectory } from '../../support/directory.js';
import { readOnlyDirectory } from '../../support/read-only-directory.js';
import { vaultSuite } from './vault.suite.js';

vaultSuite('SQLite', async () => {
  const directory = temporaryDirectory();
  const vault = new SqliteVault(directory);
  return {
    vault,
    beside: async () => new SqliteVault(directory),
    reopen: async () => {
      await vault.close();
      return new SqliteVault(directory);
    },
  };
});

describe('the files of the vault', () => {
  const secret = { kind: 'key', key: '1', value: 'a-secret-that-is-easy-to-find', subject: 'someone' };
  const filesIn = (directory: string) => readdirSync(directory).map((name) => join(directory, name));

  it('are accessible only to their owner', async () => {
    const directory = temporaryDirectory();
    const vault = new SqliteVault(directory);
    await vault.insert(secret);
    const files = filesIn(directory);
    expect(files).toContain(join(directory, 'vault.sqlite'));
    for (const file of files) expect(statSync(file).mode & 0o777).toBe(0o600);
    await vault.close();
  });

  it('hold no value of an erased person once the vault is closed', async () => {
    const directory = temporaryDirectory();
    const vault = new SqliteVault(directory);
    const held = () => filesIn(directory).some((file) => readFileSync(file).includes(secret.value));
    await vault.insert(secret);
    expect(held()).toBe(true);
    await vault.removeSubject(secret.subject);
    await vault.close();
    expect(held()).toBe(false);
  });
});

describe('forget on SQLite', () => {
  it('rejects while another connection reads the erased values, and succeeds afterwards', async () => {
    const directory = temporaryDirectory();
    const vault = new SqliteVault(directory);
    const secret = { kind: 'key', key: '1', value: 'a-secret-that-is-easy-to-find', subject: 'someone' };
    const held = () =>
      readdirSync(directory).some((name) => readFileSync(join(directory, name)).includes(secret.value));
    await vault.insert(secret);
    const reader = new Database(join(directory, 'vault.sqlite'), { readOnly: true });
    reader.exec('BEGIN; SELECT count(*) FROM records;');
    await vault.removeSubject(secret.subject);
    await expect(vault.forget()).rejects.toBeInstanceOf(StoreUnavailable);
    expect(held()).toBe(true);
    reader.close();
    await vault.forget();
    expect(held()).toBe(false);
    await vault.close();
  });
});

describe('an unavailable vault on SQLite', () => {
  it('throws when it is opened in a directory that does not exist', () => {
    expect(() => new SqliteVault(join(temporaryDirectory(), 'missing'))).toThrow(/missing\/vault\.sqlite/);
  });

  it('throws when it is opened in a directory that it may not write', () => {
    readOnlyDirectory((directory) => {
      expect(() => new SqliteVault(directory)).toThrow(/EACCES.*vault\.sqlite/);
    });
  });

  it('throws when the file is not a database', () => {
    const directory = temporaryDirectory();
    writeFileSync(join(directory, 'vault.sqlite'), 'something else altogether, longer than a header'.repeat(100));
    expect(() => new SqliteVault(directory)).toThrow(StoreUnavailable);
  });

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
