// Tests starts of the built program that fail, each with one line that says what to do, and what a start leaves behind.
import { randomBytes, randomUUID } from 'node:crypto';
import { chmodSync, closeSync, existsSync, mkdirSync, openSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Keyring } from '../../src/infrastructure/keys/keyring.js';
import { MasterKeyFile } from '../../src/infrastructure/keys/master-key-file.js';
import { SqliteVault } from '../../src/infrastructure/vault/sqlite.js';
import { StoreFormat } from '../../src/infrastructure/vault/store-format.js';
import { temporaryDirectory } from '../support/directory.js';
import { eventually } from '../support/eventually.js';
import { TEST_MASTER_KEY } from '../support/master-key.js';
import { type Launch, programFile, run } from '../support/process.js';
import { startServer } from '../support/processes.js';

/** Returns the one line on standard error with which a start is refused. */
const refusalOf = async (environment: Launch['environment'], more: Partial<Launch> = {}): Promise<string> => {
  const { code, out, err } = await run('main', { environment: { PORT: '0', ...environment }, ...more });
  expect({ code, out, lines: err.trimEnd().split('\n').length }).toEqual({ code: 1, out: '', lines: 1 });
  return err.trimEnd();
};

/** Creates a file in a directory, and returns the path of the file. */
const fileIn = (directory: string, name: string): string => {
  const file = join(directory, name);
  writeFileSync(file, 'something else altogether, longer than a header'.repeat(100), { mode: 0o600 });
  return file;
};

/** Creates a vault that has the key of a person. */
const vaultIn = async (directory: string): Promise<void> => {
  const vault = new SqliteVault(directory);
  await new StoreFormat(vault).claim();
  await new Keyring(vault, new MasterKeyFile(join(directory, 'master.key'))).makeOfPerson(randomUUID());
  await vault.close();
};

/** Returns whether a process that wrote to the vault, as every start does first, has closed the vault. */
const isVaultClosed = (directory: string): boolean => !existsSync(join(directory, 'vault.sqlite-wal'));

describe('a start is refused with one line that names the cause', () => {
  // In the line, the temporary directory is replaced by DIR.
  it.each<[what: string, line: RegExp, prepare: (directory: string) => object | Promise<object>]>([
    ['a file as data directory', /^DATA_DIR: .*DIR\/data/, (directory) => ({ DATA_DIR: fileIn(directory, 'data') })],
    [
      'a data directory below a file',
      /^DATA_DIR: .*DIR\/parent/,
      (directory) => ({ DATA_DIR: join(fileIn(directory, 'parent'), 'data') }),
    ],
    [
      'no MASTER_KEY for a vault in MongoDB',
      /^MASTER_KEY: .*openssl rand -base64 32/,
      () => ({ MONGODB_URL: 'mongodb://127.0.0.1:1/nowhere' }),
    ],
    [
      'a MASTER_KEY that differs from the key of the vault',
      /^MASTER_KEY: .*[0-9a-f]{8}/,
      (directory) => vaultIn(directory).then(() => ({ MASTER_KEY: TEST_MASTER_KEY })),
    ],
    [
      'a master key file that differs from the key of the vault',
      /DIR\/master\.key/,
      async (directory) => {
        await vaultIn(directory);
        writeFileSync(join(directory, 'master.key'), randomBytes(32).toString('base64'));
        return {};
      },
    ],
  ])('%s', async (_, line, prepare) => {
    const directory = temporaryDirectory();
    const environment = { DATA_DIR: directory, ...(await prepare(directory)) };
    expect((await refusalOf(environment)).replaceAll(directory, 'DIR')).toMatch(line);
  });

  it.each(['facts.sqlite', 'views.sqlite', 'vault.sqlite', 'work.sqlite'])(
    '%s, which is not a database, after the other stores are closed',
    async (name) => {
      const directory = temporaryDirectory();
      fileIn(directory, name);
      expect(await refusalOf({ DATA_DIR: directory })).toMatch(/not a database/);
      expect(isVaultClosed(directory)).toBe(true);
    },
  );

  it.each([
    ['EVENTSTORE_URL', 'esdb://ana:canary@host:port', 'esdb://localhost:2113?tls=false'],
    ['EVENTSTORE_URL', 'esdb://ana:can/ary@host?tls=perhaps', 'esdb://localhost:2113?tls=false'],
    ['MONGODB_URL', 'mongodb://ana:can/ary@host/x', 'mongodb://localhost:27017/clinical_protocols'],
    ['MONGODB_URL', 'mongodb://ana:canary@host/x?nonsense=1', 'mongodb://localhost:27017/clinical_protocols'],
    ['REDIS_URL', 'redis://:canary@host:port', 'redis://localhost:6379'],
  ])('and shows a valid value if the driver rejects %s (%s)', async (variable, value, works) => {
    const environment = { DATA_DIR: temporaryDirectory(), MASTER_KEY: TEST_MASTER_KEY, [variable]: value };
    const line = await refusalOf(environment);
    expect(line).toMatch(new RegExp(`^${variable}: `));
    expect(line).toContain(works);
    expect(line).not.toMatch(/can|ary/);
  });

  // The parts of the service that work in the background have started by then, and may log.
  const listenRefusalOf = async (environment: Launch['environment']): Promise<string> => {
    const { code, err } = await run('main', { environment: { DATA_DIR: temporaryDirectory(), ...environment } });
    expect({ code, lines: err.trimEnd().split('\n').length }).toEqual({ code: 1, lines: 1 });
    return err;
  };

  it('a HOST that is not an address of this machine', async () =>
    expect(await listenRefusalOf({ HOST: '192.0.2.1', PORT: '0' })).toMatch(/^HOST, PORT: .*192\.0\.2\.1/));

  it('a port that is taken', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => other.once('listening', resolve));
    const { port } = other.address() as AddressInfo;
    const DATA_DIR = temporaryDirectory();
    expect(await listenRefusalOf({ DATA_DIR, PORT: `${port}` })).toMatch(new RegExp(`^HOST, PORT: .*${port}`));
    expect(isVaultClosed(DATA_DIR)).toBe(true);
    other.close();
  });

  it('a read-only data directory', async ({ skip }) => {
    const isRoot = process.geteuid?.() === 0;
    const readOnly = join(temporaryDirectory(), 'read-only');
    mkdirSync(readOnly, { mode: 0o555 });
    if (isRoot) {
      chmodSync(join(readOnly, '..'), 0o755);
      const reason = 'root may write everywhere, and another user may not read the program';
      skip(!mayNobodyRead(programFile('main')), reason);
    }
    // The owner of a directory could make it writable. So the data directory has to be created in a read-only parent.
    const directory = isRoot ? readOnly : join(readOnly, 'data');
    const line = await refusalOf({ DATA_DIR: directory }, isRoot ? { uid: NOBODY } : {});
    expect(line).toMatch(/^DATA_DIR: /);
    expect(line).toContain(directory);
    expect(readdirSync(readOnly)).toEqual([]);
  });

  it('another name of the audit log than its first signature has', async () => {
    const server = await startServer(temporaryDirectory(), 'all', { PUBLIC_URL: 'http://first.example:81' });
    const { directory } = server;
    const expectCheckpoint = (events: number) =>
      eventually(async () => {
        const { body } = await server.get<string>('/audit/log/checkpoint');
        expect(body.split('\n').slice(0, 2)).toEqual(['first.example:81/audit/log', `${events}`]);
      });
    await server.post('/specialties', { name: 'First' });
    await expectCheckpoint(1);
    await server.stop();

    const line = await refusalOf({ DATA_DIR: directory, PUBLIC_URL: 'http://second.example' });
    expect(line).toMatch(/^LOG_ORIGIN: .*set LOG_ORIGIN=first\.example:81$/);

    await server.restart({ PUBLIC_URL: 'http://second.example', LOG_ORIGIN: 'first.example:81' });
    await server.post('/specialties', { name: 'Second' });
    await expectCheckpoint(2);
  });
});

const NOBODY = 65_534;
const mayNobodyRead = (file: string): boolean => {
  process.seteuid?.(NOBODY);
  try {
    closeSync(openSync(file, 'r'));
    return true;
  } catch {
    return false;
  } finally {
    process.seteuid?.(0);
  }
};

describe('a wrong configuration', () => {
  it('stops the start with a line for each invalid variable, and stores nothing', async () => {
    const directory = join(temporaryDirectory(), 'data');
    const environment = { DATA_DIR: directory, PORT: 'http', LOG_LEVEL: 'loud', ROLES: 'boss' };
    const { code, out, err } = await run('main', { environment });
    expect([code, out]).toEqual([1, '']);
    const lines = err.trimEnd().split('\n');
    expect(lines.map((line) => line.split(':')[0]).toSorted()).toEqual(['LOG_LEVEL', 'PORT', 'ROLES']);
    expect(existsSync(directory)).toBe(false);
  });

  it("stops the operator's tool too", async () => {
    const environment = { DATA_DIR: temporaryDirectory(), LOG_LEVEL: 'loud' };
    const { code, err } = await run('cli', { environment, arguments: ['projections', 'list'] });
    expect([code, err]).toEqual([1, expect.stringMatching(/^LOG_LEVEL: [^\n]*\n$/)]);
  });
});

describe('a successful start', () => {
  it('makes the directory and its files private, even if other users could enter the directory', async () => {
    const directory = join(temporaryDirectory(), 'data');
    mkdirSync(directory);
    chmodSync(directory, 0o755);
    const server = await startServer(directory, 'all');
    await server.post('/users/doctor', {});
    const modes = ['.', ...readdirSync(directory)].map((name) => [name, statSync(join(directory, name)).mode & 0o077]);
    expect(modes.filter(([, others]) => others !== 0)).toEqual([]);
    expect(modes.length).toBeGreaterThan(5);
  });

  it('creates no master key file if MASTER_KEY has the key', async () => {
    const server = await startServer(temporaryDirectory(), 'all', { MASTER_KEY: TEST_MASTER_KEY });
    expect(await server.stop()).toBe(0);
    expect(readdirSync(server.directory)).not.toContain('master.key');
  });
});

it('a service listens only after it has read the lists of easy passwords', async () => {
  // The program reads the lists with `require`.
  const refusing = `import module from 'node:module';
  const { _load } = module;
  module._load = (name, ...rest) => {
    if (name.startsWith('@zxcvbn-ts')) throw new Error('the test refuses ' + name);
    return _load(name, ...rest);
  };`;
  const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(refusing)}`;
  const environment = { DATA_DIR: temporaryDirectory(), NODE_OPTIONS };
  expect(await refusalOf(environment)).toContain('the test refuses @zxcvbn-ts');
});
