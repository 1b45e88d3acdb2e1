// Tests backups of the embedded stores: of a running service, restored elsewhere, interrupted, and rejected.
import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Database } from '../../src/infrastructure/sqlite/driver.js';
import { createDoctor, createInstitution, newEmail, successful, type User } from '../http/support/samples.js';
import { clockAhead, MINUTE_MS } from '../support/clock.js';
import { temporaryDirectory } from '../support/directory.js';
import { eventually } from '../support/eventually.js';
import { run, runCli, startProgram } from '../support/process.js';
import { recordedIn } from '../support/recorded.js';
import { Server } from '../support/server.js';

const STORES = ['facts.sqlite', 'vault.sqlite', 'views.sqlite', 'work.sqlite'];
const server = new Server(temporaryDirectory());
let person: User;

beforeAll(async () => {
  await server.start();
  person = await createDoctor(server);
});
afterAll(() => server.stop());

const parent = () => join(temporaryDirectory(), 'backups');
const backedUp = async (to = join(parent(), 'night')): Promise<string> => {
  expect(await runCli(server.directory, 'backup', to)).toMatchObject({ code: 0, err: '' });
  return to;
};
let made: Promise<string> | undefined;
/** Returns a copy of one shared backup. */
const someBackup = async (): Promise<string> => {
  made ??= backedUp();
  const copy = join(parent(), 'night');
  cpSync(await made, copy, { recursive: true });
  return copy;
};
/** Creates a directory for a restore, which contains only the master key. */
const directoryWithKey = (): string => {
  const directory = temporaryDirectory();
  copyFileSync(join(server.directory, 'master.key'), join(directory, 'master.key'));
  return directory;
};
const restore = (backup: string, directory: string, ...flags: readonly string[]) =>
  runCli(directory, 'restore', backup, ...flags);
const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);
const storesIn = (directory: string) => STORES.filter((file) => existsSync(join(directory, file)));

/** Repeats an action until the test stops it. `stop` returns the number of repetitions. */
const repeating = (task: () => Promise<unknown>) => {
  let isOver = false;
  const ended = (async () => {
    let times = 0;
    for (; !isOver; times += 1) await task();
    return times;
  })();
  return {
    stop: () => {
      isOver = true;
      return ended;
    },
  };
};

describe('a backup of a service that writes', { timeout: 120_000 }, () => {
  it('holds every write that was acknowledged before it started, and its stores are from the same moment', async () => {
    const known = new Set<string>();
    const users = await Promise.all([createDoctor(server), createDoctor(server), createDoctor(server)]);
    const load = [
      repeating(async () => void known.add((await createInstitution(server)).id)),
      repeating(async () => {
        for (const { id } of users) successful(await server.put(`/users/${id}`, { email: newEmail() }));
      }),
      repeating(async () => void (await createDoctor(server))),
    ];
    for (let times = 0; times < 2; times += 1) {
      const before = [...known];
      const directory = directoryWithKey();
      const restored = await restore(await backedUp(), directory);
      expect([restored.code, restored.err]).toEqual([0, '']);
      for (const check of ['keys', 'claims', 'sealed', 'events', 'streams', 'audit-log']) {
        expect(restored.out).toMatch(new RegExp(`^${check} +ok`, 'm'));
      }
      const db = new Database(join(directory, 'facts.sqlite'), { readOnly: true });
      const streams = new Set(db.prepareValue<[], string>('SELECT DISTINCT stream FROM events').all());
      db.close();
      expect(before.filter((id) => !streams.has(`institution-${id}`))).toEqual([]);
    }
    expect(Math.min(...(await Promise.all(load.map(({ stop }) => stop()))))).toBeGreaterThan(0);
  });

  it('serves the same data after a restore', async () => {
    const directory = directoryWithKey();
    expect(await restore(await someBackup(), directory)).toMatchObject({ code: 0 });
    const other = new Server(directory);
    await other.start();
    expect((await other.get(`/users/${person.id}`)).body).toMatchObject({ id: person.id, firstName: person.firstName });
    expect(await other.stop()).toBe(0);
  });

  it('is readable only by its owner, and has no WAL and no key', async () => {
    const backup = await backedUp();
    const files = readdirSync(backup).toSorted();
    expect(files).toEqual(['facts.sqlite', 'manifest.json', 'vault.sqlite']);
    expect([modeOf(backup), ...files.map((file) => modeOf(join(backup, file)))]).toEqual(['700', '600', '600', '600']);
    const key = readFileSync(join(server.directory, 'master.key'), 'utf8').trim();
    for (const file of files) expect(readFileSync(join(backup, file)).includes(key)).toBe(false);
    const { masterKeys } = JSON.parse(readFileSync(join(backup, 'manifest.json'), 'utf8'));
    expect((await runCli(server.directory, 'keys', 'list')).out).toContain(masterKeys[0]);
  });

  it('never overwrites a backup', async () => {
    const backup = await someBackup();
    const manifest = readFileSync(join(backup, 'manifest.json'), 'utf8');
    const { code, err } = await runCli(server.directory, 'backup', backup);
    expect([code, err]).toEqual([1, expect.stringContaining(backup)]);
    expect(readFileSync(join(backup, 'manifest.json'), 'utf8')).toBe(manifest);
  });

  it('is rejected for distributed stores and for a directory without stores', async () => {
    const target = join(temporaryDirectory(), 'night');
    const environment = { DATA_DIR: server.directory, EVENTSTORE_URL: 'esdb://localhost:1?tls=false' };
    const distributed = await run('cli', { environment, arguments: ['backup', target] });
    expect(distributed).toMatchObject({ code: 1, err: expect.stringContaining('EVENTSTORE_URL') });
    const empty = temporaryDirectory();
    expect(await runCli(empty, 'backup', target)).toMatchObject({ code: 1, err: expect.stringContaining(empty) });
    expect([readdirSync(empty), existsSync(target)]).toEqual([[], false]);
  });
});

describe('a person who was erased after the backup', { timeout: 120_000 }, () => {
  const erasedAgain = async (backup: string, userId: string, environment: Record<string, string> = {}) => {
    const directory = directoryWithKey();
    const restored = await run('cli', {
      environment: { ...environment, DATA_DIR: directory },
      arguments: ['restore', backup],
    });
    expect([restored.code, restored.err]).toEqual([0, '']);
    expect(restored.out).toMatch(/^[1-9]\d* users? erased after that time/m);
    const events = recordedIn(directory, `user-${userId}`);
    expect(events.at(-1)?.type).toBe('UserErased');
    const vault = new Database(join(directory, 'vault.sqlite'), { readOnly: true });
    expect(vault.prepare('SELECT kind FROM records WHERE subject = ?').all(userId)).toEqual([]);
    vault.close();
    const again = new Server(directory);
    await again.start();
    expect((await again.get<User>(`/users/${userId}`)).body.firstName).toBeNull();
    expect(await again.stop()).toBe(0);
  };
  const erase = async ({ id }: User) => successful(await server.send('DELETE', `/users/${id}/personal-data`));

  it.each([
    ['at once', {}],
    ['an hour later', clockAhead(60 * MINUTE_MS)],
  ])('is erased again %s, without a fault, if a later backup listed the erasure', async (_, environment) => {
    const doctor = await createDoctor(server);
    const backups = parent();
    const first = await backedUp(join(backups, 'first'));
    await erase(doctor);
    await backedUp(join(backups, 'second'));
    expect(modeOf(join(backups, 'erased.txt'))).toBe('600');
    await erasedAgain(first, doctor.id, environment);
  });

  it('is erased again if the list of erased users survived the directory', async () => {
    const doctor = await createDoctor(server);
    const backup = await backedUp();
    await erase(doctor);
    const list = join(temporaryDirectory(), 'erased.txt');
    copyFileSync(join(server.directory, 'erased.txt'), list);
    await erasedAgain(backup, doctor.id, { ERASURE_LIST: list });
  });

  it('is listed in ERASURE_LIST before any deletion, also by the tool', async () => {
    const list = join(temporaryDirectory(), 'lists', 'erased.txt');
    const doctor = await createDoctor(server);
    const environment = { DATA_DIR: server.directory, ERASURE_LIST: list };
    const words = ['erase', '--user', doctor.id, '--reason', 'Asked for'];
    expect(await run('cli', { environment, arguments: words })).toMatchObject({ code: 0 });
    expect(readFileSync(list, 'utf8')).toMatch(new RegExp(`^${doctor.id} \\S+$`, 'm'));
    expect(modeOf(list)).toBe('600');
    const other = await createDoctor(server);
    const unusable = { ...environment, ERASURE_LIST: join(list, 'no-directory') };
    const refused = await run('cli', {
      environment: unusable,
      arguments: ['erase', '--user', other.id, '--reason', 'Asked for'],
    });
    expect(refused).toMatchObject({ code: 1, err: expect.stringContaining('list of erased users') });
    expect((await server.get<User>(`/users/${other.id}`)).body.firstName).toBe(other.firstName);
  });
});

describe('a backup or a restore that is killed', { timeout: 120_000 }, () => {
  it('leaves no backup with the final name, and nothing that a restore accepts', async () => {
    const backups = temporaryDirectory();
    const target = join(backups, 'night');
    // The backup waits for this lock.
    const lock = new Database(join(server.directory, 'facts.sqlite'));
    lock.exec('BEGIN IMMEDIATE');
    const tool = startProgram('cli', { environment: { DATA_DIR: server.directory }, arguments: ['backup', target] });
    await eventually(async () => expect(readdirSync(backups)).toHaveLength(1));
    tool.kill();
    await tool.ended;
    lock.exec('ROLLBACK');
    lock.close();
    const [partial = '', ...others] = readdirSync(backups);
    expect([partial, others]).toEqual([expect.stringContaining('partial'), []]);
    const directory = directoryWithKey();
    const refused = await restore(join(backups, partial), directory);
    expect(refused).toMatchObject({ code: 1, err: expect.stringContaining(partial) });
    expect(storesIn(directory)).toEqual([]);
    await backedUp(target);
  });

  it('leaves a directory that no program opens until the restore is repeated', async () => {
    const backup = await someBackup();
    const directory = directoryWithKey();
    // The restore blocks on the list, a FIFO without a writer, after it has copied both stores.
    const list = join(temporaryDirectory(), 'erased.txt');
    expect(spawnSync('mkfifo', [list]).status).toBe(0);
    const environment = { DATA_DIR: directory, ERASURE_LIST: list };
    const tool = startProgram('cli', { environment, arguments: ['restore', backup] });
    await eventually(async () => expect(storesIn(directory)).toEqual(['facts.sqlite', 'vault.sqlite']));
    tool.kill();
    await tool.ended;
    for (const ended of [
      await run('main', { environment: { DATA_DIR: directory, PORT: '0' } }),
      await runCli(directory, 'admin', 'create', '--user', person.id),
      await runCli(directory, 'verify'),
      await runCli(directory, 'backup', join(parent(), 'night')),
    ]) {
      expect(ended).toMatchObject({ code: 1, err: expect.stringContaining('restore') });
    }
    expect(await restore(backup, directory)).toMatchObject({ code: 0, err: '' });
    expect(await runCli(directory, 'verify')).toMatchObject({ code: 0 });
  });
});

describe('a restore', { timeout: 120_000 }, () => {
  it('rejects a directory that a service has open, and a directory with stores', async () => {
    const backup = await someBackup();
    const used = await restore(backup, server.directory);
    expect(used).toMatchObject({ code: 1, err: expect.stringMatching(/service uses.*stop/s) });
    const directory = directoryWithKey();
    expect(await restore(backup, directory)).toMatchObject({ code: 0 });
    const again = await restore(backup, directory);
    expect(again).toMatchObject({ code: 1, err: expect.stringContaining(join(directory, 'facts.sqlite')) });
    expect(await runCli(directory, 'verify')).toMatchObject({ code: 0 });
  });

  it.each<[string, (directory: string) => void]>([
    ['another master key', (directory) => writeFileSync(join(directory, 'master.key'), `${'ab'.repeat(32)}\n`)],
    ['no master key', (directory) => renameSync(join(directory, 'master.key'), join(directory, 'elsewhere'))],
  ])('rejects %s, names the needed key, and leaves nothing', async (_, change) => {
    const backup = await someBackup();
    const directory = directoryWithKey();
    change(directory);
    const before = readdirSync(directory);
    const { masterKeys } = JSON.parse(readFileSync(join(backup, 'manifest.json'), 'utf8'));
    expect(await restore(backup, directory)).toMatchObject({ code: 1, err: expect.stringContaining(masterKeys[0]) });
    expect(readdirSync(directory)).toEqual(before);
  });

  it.each<[string, (backup: string) => void]>([
    ['a changed byte', (backup) => writeFileSync(join(backup, 'vault.sqlite'), flipped(join(backup, 'vault.sqlite')))],
    ['a missing file', (backup) => renameSync(join(backup, 'facts.sqlite'), `${backup}.away`)],
    ['an invalid manifest', (backup) => writeFileSync(join(backup, 'manifest.json'), '{}')],
  ])('rejects a backup with %s, and leaves nothing', async (_, change) => {
    const backup = await someBackup();
    change(backup);
    const directory = directoryWithKey();
    const { code, out, err } = await restore(backup, directory);
    expect([code, out]).toEqual([1, '']);
    expect(err).toContain(basename(backup));
    expect(readdirSync(directory)).toEqual(['master.key']);
  });

  it('says why it cannot read the manifest of a backup', async () => {
    const backup = join(temporaryDirectory(), 'backup');
    mkdirSync(join(backup, 'manifest.json'), { recursive: true });
    const { code, err } = await restore(backup, directoryWithKey());
    expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining('manifest.json cannot be read (EISDIR)') });
  });

  it('creates a missing directory if MASTER_KEY has the key', async () => {
    const directory = join(temporaryDirectory(), 'new');
    const environment = {
      DATA_DIR: directory,
      MASTER_KEY: readFileSync(join(server.directory, 'master.key'), 'utf8').trim(),
    };
    const restored = await run('cli', { environment, arguments: ['restore', await someBackup()] });
    expect([restored.code, restored.err]).toEqual([0, '']);
    expect([modeOf(directory), modeOf(join(directory, 'facts.sqlite'))]).toEqual(['700', '600']);
  });
});

const flipped = (file: string): Buffer => {
  const bytes = readFileSync(file);
  const last = bytes.length - 1;
  bytes[last] = (bytes[last] ?? 0) ^ 1;
  return bytes;
};
