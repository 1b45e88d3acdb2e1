import { randomBytes, randomUUID } from 'node:crypto';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ConfigurationError, readConfig } from '../../src/config.js';
import { Keyring } from '../../src/infrastructure/sealing/keyring.js';
import { MasterKeyFile } from '../../src/infrastructure/sealing/master-key-file.js';
import { SqliteVault } from '../../src/infrastructure/vault/sqlite.js';
import { StoreFormat } from '../../src/infrastructure/vault/store-format.js';
import { temporaryDirectory } from '../support/directory.js';
import { run } from '../support/process.js';
import { Server } from '../support/server.js';

const base64 = () => randomBytes(32).toString('base64');
const hex = () => randomBytes(32).toString('hex');
const MONGODB_URL = 'mongodb://127.0.0.1:1/nowhere';

/** Returns the one line on standard error with which a start is refused. */
const refusalOf = async (environment: Readonly<Record<string, string>>): Promise<string> => {
  const { code, out, err } = await run('main', { environment: { DATA_DIR: temporaryDirectory(), ...environment } });
  expect({ code, out, lines: err.trimEnd().split('\n').length }).toEqual({ code: 1, out: '', lines: 1 });
  return err;
};

/** Returns a directory whose vault has the key of a person. */
const withPerson = async () => {
  const directory = temporaryDirectory();
  const vault = new SqliteVault(directory);
  await new StoreFormat(vault).claim();
  await new Keyring(vault, new MasterKeyFile(join(directory, 'master.key'))).makeOfPerson(randomUUID());
  await vault.close();
  return directory;
};

describe('MASTER_KEY', () => {
  it('is required if the vault is in MongoDB, and the message says how to make one', async () => {
    const line = await refusalOf({ MONGODB_URL });
    expect(line).toMatch(/^MASTER_KEY: .*openssl rand -base64 32/);
  });

  it.each([
    ['too short', 'c2hvcnQ='],
    ['not base64', '!'.repeat(44)],
    ['48 bytes', randomBytes(48).toString('base64')],
    ['63 digits', '0'.repeat(63)],
    ['a good one and a bad one', `${base64()},nonsense`],
    ['a good one and nothing', `${base64()},`],
  ])('is refused by a message that does not show it: %s', (_, value) => {
    const refused = () => readConfig({ MASTER_KEY: value });
    expect(refused).toThrow(ConfigurationError);
    expect(refused).toThrow(/^MASTER_KEY: [^\n]*openssl rand -base64 32$/);
    for (const part of value.split(',').filter((text) => text !== '')) expect(refused).not.toThrow(part);
  });

  it('is one key or several, in base64 or hexadecimal digits, the current key first', () => {
    const [first, second] = [base64(), hex()];
    const one = readConfig({ MONGODB_URL, MASTER_KEY: first }).masterKeys;
    const both = readConfig({ MASTER_KEY: ` ${first} , ${second} ` }).masterKeys;
    expect(one).toHaveLength(1);
    expect(both).toHaveLength(2);
    expect(both?.[0]?.id).toBe(one?.[0]?.id);
    expect(readConfig({ MASTER_KEY: second.toUpperCase() }).masterKeys?.[0]?.id).toBe(both?.[1]?.id);
    expect(readConfig({}).masterKeys).toBeUndefined();
  });

  it('is in no text form of the configuration', () => {
    const key = base64();
    const config = readConfig({ MASTER_KEY: key });
    const bytes = Buffer.from(key, 'base64');
    for (const text of [JSON.stringify(config), String(config.masterKeys)]) {
      for (const form of [key, bytes.toString('hex'), [...bytes].join(',')]) expect(text).not.toContain(form);
    }
  });

  it('stops the start if the vault was used with another key', async () => {
    const directory = await withPerson();
    const line = await refusalOf({ DATA_DIR: directory, MASTER_KEY: base64() });
    expect(line).toMatch(/^MASTER_KEY: .*[0-9a-f]{8}/);
  });

  it('takes precedence over the file, and the file is not created', async () => {
    const directory = temporaryDirectory();
    const server = new Server(directory, { MASTER_KEY: base64() });
    await server.start();
    expect(await server.stop()).toBe(0);
    expect(readdirSync(directory)).not.toContain('master.key');
  });
});

describe('a master key file that differs from the key of the vault', () => {
  it('stops the start with one line that names the file', async () => {
    const directory = await withPerson();
    writeFileSync(join(directory, 'master.key'), base64());
    expect(await refusalOf({ DATA_DIR: directory })).toContain(join(directory, 'master.key'));
  });
});
