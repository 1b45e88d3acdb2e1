// Tests that a restore believes only what the master key proves: the manifest, the stores and the list of erasures.
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { hash } from '@node-rs/argon2';
import { beforeAll, describe, expect, it } from 'vitest';
import { passwordCost } from '../../src/auth/passwords/passwords.js';
import { Database } from '../../src/infrastructure/sqlite/driver.js';
import { createDoctor, newEmail, successful, type User } from '../http/support/samples.js';
import { PASSWORD } from '../http/support/signing-in.js';
import { temporaryDirectory } from '../support/directory.js';
import { runCli } from '../support/process.js';
import { recordedIn } from '../support/recorded.js';
import { Server } from '../support/server.js';

const FOREIGN = 'the password of an attacker';
const email = newEmail();
const whole = join(temporaryDirectory(), 'backups');
let service: Server;
let person: User;

beforeAll(async () => {
  service = new Server(temporaryDirectory());
  await service.start();
  person = await createDoctor(service, { auth: { email, password: PASSWORD, token: '' } });
  await service.stop();
  expect(await runCli(service.directory, 'backup', join(whole, 'night'))).toMatchObject({ code: 0, err: '' });
});

/** Returns a copy of the backup, below a directory that the test may change. */
const copied = (): string => {
  const parent = join(temporaryDirectory(), 'backups');
  cpSync(whole, parent, { recursive: true });
  return join(parent, 'night');
};
const changeManifest = (backup: string, change: (manifest: Record<string, Record<string, unknown>>) => void): void => {
  const file = join(backup, 'manifest.json');
  const manifest = JSON.parse(readFileSync(file, 'utf8'));
  change(manifest);
  writeFileSync(file, JSON.stringify(manifest));
};
/** Puts another hash over the password of the person, and its SHA-256 into the manifest. */
const changePassword = async (backup: string): Promise<void> => {
  const file = join(backup, 'vault.sqlite');
  const db = new Database(file);
  const value = JSON.stringify({ hash: await hash(FOREIGN, passwordCost) });
  db.prepare("UPDATE records SET value = ? WHERE kind = 'password' AND key = ?").run(value, person.id);
  db.close();
  const sha256 = createHash('sha256').update(readFileSync(file)).digest('hex');
  changeManifest(backup, ({ vault }) => void Object.assign(vault ?? {}, { sha256 }));
};
const targetOf = (): string => {
  const directory = temporaryDirectory();
  copyFileSync(join(service.directory, 'master.key'), join(directory, 'master.key'));
  return directory;
};
const expectRefused = async (backup: string, message: string, ...flags: readonly string[]): Promise<void> => {
  const directory = targetOf();
  const { code, out, err } = await runCli(directory, 'restore', backup, ...flags);
  expect([code, out, err]).toEqual([1, '', expect.stringContaining(message)]);
  expect(readdirSync(directory)).toEqual(['master.key']);
};
const restored = async (backup: string, ...flags: readonly string[]): Promise<string> => {
  const directory = targetOf();
  expect(await runCli(directory, 'restore', backup, ...flags)).toMatchObject({ code: 0, err: '' });
  return directory;
};
const typesIn = (directory: string) => recordedIn(directory, `user-${person.id}`).map(({ type }) => type);

describe('a restore', { timeout: 120_000 }, () => {
  it('rejects a manifest that was altered, with and without --accept', async () => {
    const backup = copied();
    await changePassword(backup);
    for (const flags of [[], ['--accept']]) await expectRefused(backup, 'manifest.json', ...flags);
  });

  it('rejects a manifest without a MAC', async () => {
    const backup = copied();
    changeManifest(backup, (manifest) => void delete manifest['mac']);
    for (const flags of [[], ['--accept']]) await expectRefused(backup, 'manifest.json', ...flags);
  });

  it('copies only the two files with constant names', async () => {
    const backup = copied();
    const outside = join(backup, '..', 'outside');
    mkdirSync(outside);
    copyFileSync(join(backup, 'facts.sqlite'), join(outside, 'facts.sqlite'));
    changeManifest(backup, ({ facts }) => void Object.assign(facts ?? {}, { file: '../outside/facts.sqlite' }));
    const parent = temporaryDirectory();
    const directory = join(parent, 'data');
    mkdirSync(directory);
    mkdirSync(join(parent, 'outside'));
    copyFileSync(join(service.directory, 'master.key'), join(directory, 'master.key'));
    expect(await runCli(directory, 'restore', backup)).toMatchObject({ code: 0 });
    expect(readdirSync(join(parent, 'outside'))).toEqual([]);
  });

  it.each([
    ['a link', (file: string) => symlinkSync(`${file}.elsewhere`, file)],
    ['a directory', (file: string) => void mkdirSync(file)],
  ])('rejects %s in the place of a store', async (_, put) => {
    const backup = copied();
    const file = join(backup, 'facts.sqlite');
    renameSync(file, `${file}.elsewhere`);
    put(file);
    await expectRefused(backup, file);
  });

  it('erases nobody because of a line without the MAC of an erasure, unless the operator adds --accept', async () => {
    const backup = copied();
    const list = join(backup, '..', 'erased.txt');
    const before = typesIn(service.directory);
    for (const line of [person.id, `${person.id} 01234567.${'0'.repeat(64)}`]) {
      writeFileSync(list, `${line}\n`);
      await expectRefused(backup, '--accept');
    }
    rmSync(list);
    const kept = await restored(backup);
    expect([typesIn(kept), existsSync(join(kept, 'erased.txt'))]).toEqual([before, false]);
    writeFileSync(list, `${person.id}\n`);
    expect(typesIn(await restored(backup, '--accept')).at(-1)).toBe('UserErased');
  });

  it('needs no --accept for a line without a MAC whose user is erased in the backup', async () => {
    const directory = await restored(copied());
    const server = new Server(directory);
    await server.start();
    successful(await server.send('DELETE', `/users/${person.id}/personal-data`));
    await server.stop();
    const parent = join(temporaryDirectory(), 'backups');
    expect(await runCli(directory, 'backup', join(parent, 'night'))).toMatchObject({ code: 0 });
    writeFileSync(join(parent, 'erased.txt'), `${person.id}\n`);
    await restored(join(parent, 'night'));
  });

  it('does not follow a link in the place of the list beside the backups', async () => {
    const parent = temporaryDirectory();
    const directory = await restored(copied());
    const foreign = join(temporaryDirectory(), 'foreign');
    writeFileSync(foreign, '');
    writeFileSync(join(directory, 'erased.txt'), `${person.id}\n`);
    symlinkSync(foreign, join(parent, 'erased.txt'));
    expect(await runCli(directory, 'backup', join(parent, 'night'))).toMatchObject({ code: 1 });
    expect(readFileSync(foreign, 'utf8')).toBe('');
  });
});
