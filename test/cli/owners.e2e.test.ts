// The operator's tool, run by root beside a service of another user.
import { chmodSync, chownSync, mkdirSync, readdirSync, readFileSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { createDoctor, successful } from '../http/support/samples.js';
import { temporaryDirectory } from '../support/directory.js';
import { eventually } from '../support/eventually.js';
import { run, runCli } from '../support/process.js';
import { describeAsRoot, NOBODY } from '../support/root.js';
import { Server } from '../support/server.js';
import { outputOf } from './support/tool.js';

const OTHER = 65_533;

/** Returns what a directory has that a user does not own, with its owner. */
const notOf = (uid: number, directory: string): readonly string[] =>
  ['.', ...readdirSync(directory, { recursive: true, encoding: 'utf8' })]
    .map((name) => [name, statSync(join(directory, name)).uid] as const)
    .filter(([, owner]) => owner !== uid)
    .map(([name, owner]) => `${name} of ${owner}`);

const directoryOf = (uid: number): string => {
  const directory = temporaryDirectory();
  chownSync(directory, uid, uid);
  return directory;
};

const asNobody = ['setpriv', `--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups'];

describeAsRoot('the tool, run by root', () => {
  it.each([0o770, 0o775, 0o2770])('leaves a volume of root with mode %i to the group of its service', async (mode) => {
    const server = new Server(temporaryDirectory(), {}, asNobody);
    chownSync(server.directory, 0, NOBODY);
    chmodSync(server.directory, mode);
    await server.start();
    onTestFinished(() => server.kill());
    const { id } = await createDoctor(server);
    await outputOf(server.directory, 'keys', 'rotate');
    await outputOf(server.directory, 'erase', '--user', id, '--reason', 'a wish');
    await createDoctor(server);
    expect(statSync(server.directory).mode & 0o7777).toBe(mode);
    expect(notOf(NOBODY, server.directory)).toEqual(['. of 0']);
  });
  const server = new Server(temporaryDirectory(), {}, asNobody);
  const masterKey = join(server.directory, 'master.key');
  const [nobody, other, parent] = [directoryOf(NOBODY), directoryOf(OTHER), directoryOf(OTHER)];
  const faults = async () => {
    const { status, body } = await server.get<{ status: string; faults?: readonly { code: string }[] }>('/readyz');
    return [status, body.status, ...(body.faults ?? []).map(({ code }) => code)];
  };

  beforeAll(async () => {
    chownSync(server.directory, NOBODY, NOBODY);
    await server.start();
  });
  afterAll(() => server.stop());

  it('leaves every file to the user of the service, which goes on', async () => {
    const person = await createDoctor(server);
    await outputOf(server.directory, 'keys', 'rotate');
    await outputOf(server.directory, 'erase', '--user', person.id, '--reason', 'a wish');
    await outputOf(server.directory, 'projections', 'list');
    expect(readFileSync(join(server.directory, 'erased.txt'), 'utf8')).toContain(person.id);
    expect(notOf(NOBODY, server.directory)).toEqual([]);
    await createDoctor(server);
    expect(await faults()).toEqual([200, 'ready']);
  });

  it('gives backups and exports to the owner of the directory that they are in', async () => {
    await outputOf(server.directory, 'backup', join(nobody, 'backups', 'night'));
    await outputOf(server.directory, 'audit', 'export', join(other, 'deep', 'log'));
    await outputOf(server.directory, 'audit', 'export', parent);
    expect(notOf(NOBODY, nobody)).toEqual([]);
    expect(notOf(OTHER, other)).toEqual([]);
    expect(notOf(OTHER, parent)).toEqual([]);
  });

  it.each([
    ['an empty directory of the user', () => directoryOf(OTHER)],
    ['a new directory', () => join(directoryOf(OTHER), 'data')],
  ])('restores for the user into %s', async (_, newDirectory) => {
    const directory = newDirectory();
    const environment = { DATA_DIR: directory, MASTER_KEY: readFileSync(masterKey, 'utf8').trim() };
    const { code } = await run('cli', { environment, arguments: ['restore', join(nobody, 'backups', 'night')] });
    expect([code, notOf(OTHER, directory)]).toEqual([0, []]);
  });

  it('refuses a restore over stores without a file of its own', async () => {
    const directory = directoryOf(OTHER);
    await run('cli', { environment: { DATA_DIR: directory }, arguments: ['signing-keys', 'list'], uid: OTHER });
    expect(await runCli(directory, 'restore', join(nobody, 'backups', 'night'))).toMatchObject({ code: 1 });
    expect(notOf(OTHER, directory)).toEqual([]);
  });

  it('refuses another user who may write to the directory, but cannot give the key back', async () => {
    const [before, names] = [readFileSync(masterKey, 'utf8'), readdirSync(server.directory).toSorted()];
    const share = (mode: number, ofDirectory: number, group: number) => {
      for (const name of names) {
        chownSync(join(server.directory, name), NOBODY, group);
        chmodSync(join(server.directory, name), mode);
      }
      chownSync(server.directory, NOBODY, group);
      chmodSync(server.directory, ofDirectory);
    };
    // A child of this process has its group.
    share(0o660, 0o770, process.getegid?.() ?? 0);
    const environment = { DATA_DIR: server.directory };
    const { code, err } = await run('cli', { environment, arguments: ['keys', 'rotate'], uid: OTHER });
    share(0o600, 0o700, NOBODY);
    expect([code, err]).toEqual([1, expect.stringContaining(`must belong to user ${NOBODY}`)]);
    expect(readFileSync(masterKey, 'utf8')).toBe(before);
    expect(readdirSync(server.directory).toSorted()).toEqual(names);
    await createDoctor(server);
  });

  it.each([
    ['is of another user', () => chownSync(masterKey, 0, 0), () => chownSync(masterKey, NOBODY, NOBODY)],
    ['is gone', () => renameSync(masterKey, `${masterKey}.old`), () => renameSync(`${masterKey}.old`, masterKey)],
    [
      'is a directory',
      () => {
        renameSync(masterKey, `${masterKey}.old`);
        mkdirSync(masterKey);
      },
      () => {
        renameSync(masterKey, `${masterKey}.directory`);
        renameSync(`${masterKey}.old`, masterKey);
      },
    ],
  ])('a service whose key file %s says so, and makes no other', async (_, take, giveBack) => {
    const before = readFileSync(masterKey, 'utf8');
    take();
    await eventually(async () => expect(await faults()).toEqual([200, 'degraded', 'master-key-unreadable']));
    giveBack();
    await eventually(async () => expect(await faults()).toEqual([200, 'ready']));
    successful(await server.get('/users'));
    expect(readFileSync(masterKey, 'utf8')).toBe(before);
  });
});
