// The operator's commands for master keys, run with the built tool on the embedded vault.
import { randomBytes, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Keyring } from '../../src/infrastructure/keys/keyring.js';
import { MasterKeyFile } from '../../src/infrastructure/keys/master-key-file.js';
import { SqliteVault } from '../../src/infrastructure/vault/sqlite.js';
import { temporaryDirectory } from '../support/directory.js';
import { createStores } from '../support/embedded-files.js';
import { run } from '../support/process.js';
import { outputOf } from './support/tool.js';

const aKey = () => randomBytes(32).toString('base64');

/** Returns a directory with the keys of three persons. The keyring stays open beside the tool. */
const withKeys = async () => {
  const directory = temporaryDirectory();
  await createStores(directory);
  const vault = new SqliteVault(directory);
  onTestFinished(() => vault.close());
  const file = new MasterKeyFile(join(directory, 'master.key'));
  const keyring = new Keyring(vault, file);
  const persons = [randomUUID(), randomUUID(), randomUUID()];
  for (const person of persons) await keyring.makeOfPerson(person);
  return { directory, keyring, persons, file, masterKey: file.current().id };
};
const secretIn = (directory: string) => readFileSync(join(directory, 'master.key'), 'utf8').trim();

describe('keys list', () => {
  it('counts the keys by master key, and shows no key', async () => {
    const { directory, masterKey } = await withKeys();
    const out = await outputOf(directory, 'keys', 'list');
    expect(out).toMatch(new RegExp(`^${masterKey} .*\\b4\\b.*current$`, 'm'));
    expect(out).not.toContain(secretIn(directory));
  });
});

describe('keys rotate', () => {
  it('rewraps all keys while a service keeps running', async () => {
    const { directory, keyring, persons, file, masterKey } = await withKeys();
    const before = secretIn(directory);
    const out = await outputOf(directory, 'keys', 'rotate');
    expect(secretIn(directory)).toMatch(/^\S{44}$/);
    expect(secretIn(directory)).not.toBe(before);
    expect(out).not.toContain(secretIn(directory));
    const { current, counts } = await keyring.counts();
    expect([...counts]).toEqual([[current, 4]]);
    expect(current).not.toBe(masterKey);
    expect(file.current().id).toBe(current);
    expect((await keyring.ofPersons(persons)).size).toBe(3);
  });

  it('fails with other master keys, and changes nothing', async () => {
    const { directory, keyring, masterKey } = await withKeys();
    const environment = { DATA_DIR: directory, MASTER_KEY: aKey() };
    const { code, out, err } = await run('cli', { environment, arguments: ['keys', 'rotate'] });
    expect(code).toBe(1);
    expect(out).toContain(masterKey);
    expect(err).toContain('4 keys');
    expect((await keyring.counts()).counts.get(masterKey)).toBe(4);
  });

  it('moves the keys from a master key in a file to a master key in a variable', async () => {
    const { directory } = await withKeys();
    const next = aKey();
    const both = { DATA_DIR: directory, MASTER_KEY: `${next},${secretIn(directory)}` };
    expect(await run('cli', { environment: both, arguments: ['keys', 'rotate'] })).toMatchObject({ code: 0 });
    const one = { DATA_DIR: directory, MASTER_KEY: next };
    expect((await run('cli', { environment: one, arguments: ['keys', 'list'] })).out).toMatch(/4 keys {2}current/);
  });
});
