// Starts the built programs on files that do not belong together, and on those that look so and do.
import { copyFileSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { Database } from '../../src/infrastructure/sqlite/driver.js';
import { createDoctor, createInstitution, newEmail, type Page } from '../http/support/samples.js';
import { PASSWORD } from '../http/support/signing-in.js';
import { Directories, temporaryDirectory } from '../support/directory.js';
import { eventually } from '../support/eventually.js';
import { run } from '../support/process.js';
import { Server } from '../support/server.js';

const FILES = ['facts.sqlite', 'vault.sqlite', 'views.sqlite', 'master.key'] as const;
type File = (typeof FILES)[number];

const directories = new Directories();
afterAll(() => directories.remove());

/** The directories of two installations after a stop, and of the first before its first write and after it. */
const installations = { new: '', early: '', mine: '', other: '' };
type Installation = keyof typeof installations;

const namesIn = async (server: Server): Promise<readonly string[]> => {
  const { body } = await server.get<Page<{ readonly lastName: string }>>('/users');
  return body.items.map(({ lastName }) => lastName).toSorted();
};
const expectNames = (server: Server, names: readonly string[]) =>
  eventually(async () => expect(await namesIn(server)).toEqual(names));

// A vault without the keys of a person shows only what the read models hold, so they must hold everybody before a stop.
const createDoctors = async (server: Server, lastNames: readonly string[]) => {
  for (const lastName of lastNames) await createDoctor(server, { lastName });
  await expectNames(server, lastNames);
};

beforeAll(async () => {
  const [server, other] = [new Server(directories.make()), new Server(directories.make())];
  const keep = async (running: Server, name: Installation) => {
    expect(await running.stop()).toBe(0);
    installations[name] = directories.make();
    for (const file of FILES) copyFileSync(join(running.directory, file), join(installations[name], file));
  };
  await server.start();
  await keep(server, 'new');
  await server.start();
  await createInstitution(server, { name: 'Mine' });
  await keep(server, 'early');
  await server.start();
  await createDoctors(server, ['Mine', 'Mine too']);
  await keep(server, 'mine');
  await other.start();
  await createInstitution(other, { name: 'Other' });
  await createDoctors(other, ['Other', 'Other too']);
  await keep(other, 'other');
});

type Change = (directory: string) => void;
const from =
  (name: Installation, ...files: readonly File[]): Change =>
  (directory) => {
    for (const file of files) copyFileSync(join(installations[name], file), join(directory, file));
  };
const without =
  (...files: readonly File[]): Change =>
  (directory) => {
    for (const file of files) rmSync(join(directory, file));
  };
const emptied =
  (...files: readonly File[]): Change =>
  (directory) => {
    for (const file of files) writeFileSync(join(directory, file), '');
  };
/** Takes the id out of the stamp of the vault, and changes its format. */
const stamped =
  (format: number): Change =>
  (directory) => {
    const db = new Database(join(directory, 'vault.sqlite'));
    db.exec(`UPDATE records SET value = '{"format":${format}}' WHERE kind = 'format'`);
    db.close();
  };

/** Returns a copy of my installation with these changes. */
const changed = (...changes: readonly Change[]): string => {
  const directory = temporaryDirectory();
  for (const change of [from('mine', ...FILES), ...changes]) change(directory);
  return directory;
};

const contentsOf = (directory: string) =>
  FILES.map((file) => existsSync(join(directory, file)) && readFileSync(join(directory, file)).toString('base64'));

describe('a start, and a command that writes, are refused with one line, and create and change nothing', () => {
  it.each<[what: string, changes: readonly Change[], line: RegExp]>([
    ['no vault', [without('vault.sqlite')], /vault\.sqlite\) is missing or empty/],
    ['a vault of 0 bytes', [emptied('vault.sqlite')], /vault\.sqlite\) is missing or empty/],
    ['no vault and no read models', [without('vault.sqlite', 'views.sqlite')], /vault\.sqlite\) is missing or empty/],
    ['no log', [without('facts.sqlite')], /facts\.sqlite\) is missing or empty/],
    ['a log of 0 bytes', [emptied('facts.sqlite')], /facts\.sqlite\) is missing or empty/],
    ['the log from before the first write', [from('new', 'facts.sqlite')], /facts\.sqlite\) is missing or empty/],
    ['no log, and a vault of the version before', [stamped(10), without('facts.sqlite')], /facts\.sqlite\) is missing/],
    ['the vault of another', [from('other', 'vault.sqlite', 'master.key')], /facts\.sqlite\) begins with event/],
    ['the log of another', [from('other', 'facts.sqlite')], /vault\.sqlite\) with/],
    ['the log of another, and a vault of the version before', [from('other', 'facts.sqlite'), stamped(10)], /no key/],
    ['the log of another, and a vault without its id', [from('other', 'facts.sqlite'), stamped(11)], /no key/],
  ])('%s', async (_, changes, line) => {
    const DATA_DIR = changed(...changes);
    const before = contentsOf(DATA_DIR);
    const refused = await run('main', { environment: { DATA_DIR, PORT: '0' } });
    expect(refused).toMatchObject({ code: 1, out: '', err: expect.stringMatching(line) });
    expect(refused.err).toMatch(/^[^\n]*restore both from one backup[^\n]*\n$/);
    const words = ['admin', 'create', '--email', newEmail(), '--name', 'Ana Lima'];
    const told = await run('cli', { environment: { DATA_DIR }, arguments: words, input: `${PASSWORD}\n` });
    expect(told).toMatchObject({ code: 1, out: '', err: expect.stringMatching(line) });
    expect(contentsOf(DATA_DIR)).toEqual(before);
  });
});

const started = async (directory: string): Promise<Server> => {
  const server = new Server(directory);
  onTestFinished(() => server.stop().then(() => undefined));
  await server.start();
  return server;
};

describe('a start goes on', () => {
  it.each<[what: string, changes: readonly Change[], names: readonly string[]]>([
    ['after a kill before the id was kept', [stamped(11)], ['Mine', 'Mine too']],
    ['on stores of the version before', [stamped(10)], ['Mine', 'Mine too']],
    [
      'on a log and a vault of another, without their data in read models of mine',
      [from('other', 'facts.sqlite', 'vault.sqlite', 'master.key')],
      ['Other', 'Other too'],
    ],
    ['on read models of another, without their data', [from('other', 'views.sqlite')], ['Mine', 'Mine too']],
    ['on an older vault of the same log', [from('early', 'vault.sqlite')], ['Mine', 'Mine too']],
    ['without log and vault, as a new installation', [without('facts.sqlite', 'vault.sqlite')], []],
    ['on a log and a vault of 0 bytes, as a new installation', [emptied('facts.sqlite', 'vault.sqlite')], []],
    ['on what the first start made, without the log', [from('new', ...FILES), without('facts.sqlite')], []],
    ['on what the first start made, with a vault of 0 bytes', [from('new', ...FILES), emptied('vault.sqlite')], []],
  ])('%s', async (_, changes, names) => {
    const server = await started(changed(...changes));
    await expectNames(server, names);
    const { id } = await createInstitution(server);
    await server.restart();
    expect((await server.get(`/institutions/${id}`)).status).toBe(200);
    await expectNames(server, names);
  });

  it('once the right file is back', async () => {
    const directory = changed(emptied('vault.sqlite'));
    expect((await run('main', { environment: { DATA_DIR: directory, PORT: '0' } })).code).toBe(1);
    from('mine', 'vault.sqlite')(directory);
    await expectNames(await started(directory), ['Mine', 'Mine too']);
  });

  it('a second time if nobody wrote, and after the tool was the first to write', async () => {
    const server = await started(temporaryDirectory());
    await server.restart();
    await expectNames(server, []);
    const DATA_DIR = temporaryDirectory();
    const words = ['admin', 'create', '--email', newEmail(), '--name', 'Ana First'];
    const created = await run('cli', { environment: { DATA_DIR }, arguments: words, input: `${PASSWORD}\n` });
    expect(created).toMatchObject({ code: 0, err: '' });
    await expectNames(await started(DATA_DIR), ['First']);
  });
});

describe('commands that only inspect', () => {
  const cli = (DATA_DIR: string, ...words: readonly string[]) =>
    run('cli', { environment: { DATA_DIR }, arguments: words });

  it('report stores that do not belong together', async () => {
    const { code, out } = await cli(changed(from('other', 'facts.sqlite')), 'verify');
    expect([code, out]).toEqual([1, expect.stringMatching(/^pair +FAULT: [^\n]*begins with event/)]);
  });

  it.each(['facts.sqlite', 'vault.sqlite'] as const)('take a %s of 0 bytes for a missing one', async (file) => {
    const directory = changed(emptied(file));
    for (const words of [['verify'], ['audit', 'prove'], ['backup', join(temporaryDirectory(), 'backup')]]) {
      const { code, err } = await cli(directory, ...words);
      expect([code, err]).toEqual([
        1,
        expect.stringMatching(new RegExp(`^DATA_DIR: [^\\n]* has no ${file}[^\\n]*\\n$`)),
      ]);
    }
    expect(readFileSync(join(directory, file))).toHaveLength(0);
  });

  it('restore a backup of any moment, and the service starts on it', async () => {
    for (const name of ['new', 'early', 'mine'] as const) {
      const backup = join(temporaryDirectory(), 'backup');
      expect(await cli(installations[name], 'backup', backup)).toMatchObject({ code: 0 });
      const directory = temporaryDirectory();
      from('mine', 'master.key')(directory);
      expect(await cli(directory, 'restore', backup)).toMatchObject({ code: 0 });
      await started(directory);
    }
    expect(readdirSync(installations.mine).filter((file) => file.endsWith('-wal'))).toEqual([]);
  });
});
