// Tests failing starts of the built program. Each writes one line, or one line for each fault of the configuration.
import { chmodSync, closeSync, existsSync, mkdirSync, openSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryDirectory } from '../support/directory.js';
import { TEST_MASTER_KEY } from '../support/master-key.js';
import { type ProgramResult, programFile, run } from '../support/process.js';
import { startServer } from './processes.js';

const NOBODY = 65_534;
const isRoot = process.geteuid?.() === 0;

/** Returns the one line that a failed start writes to standard error. */
const lineOf = ({ code, out, err }: ProgramResult): string => {
  expect({ code, out, lines: err.trimEnd().split('\n').length }).toEqual({ code: 1, out: '', lines: 1 });
  return err.trimEnd();
};

/** Returns whether a process that wrote to the vault, as every start does first, has closed the vault. */
const isVaultClosed = (directory: string): boolean => !existsSync(join(directory, 'vault.sqlite-wal'));

const mayRead = (uid: number, file: string): boolean => {
  process.seteuid?.(uid);
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
  it.each([
    ['EVENTSTORE_URL', 'esdb://ana:canary@host:port', 'esdb://localhost:2113?tls=false'],
    ['EVENTSTORE_URL', 'esdb://ana:can/ary@host?tls=perhaps', 'esdb://localhost:2113?tls=false'],
    ['MONGODB_URL', 'mongodb://ana:can/ary@host/x', 'mongodb://localhost:27017/clinical_protocols'],
    ['MONGODB_URL', 'mongodb://ana:canary@host/x?nonsense=1', 'mongodb://localhost:27017/clinical_protocols'],
    ['REDIS_URL', 'redis://:canary@host:port', 'redis://localhost:6379'],
  ])('stops the start if the driver rejects %s (%s), and shows a valid value', async (variable, value, works) => {
    const environment = { DATA_DIR: temporaryDirectory(), MASTER_KEY: TEST_MASTER_KEY, [variable]: value };
    const line = lineOf(await run('main', { environment }));
    expect(line).toMatch(new RegExp(`^${variable}: `));
    expect(line).toContain(works);
    expect(line).not.toMatch(/can|ary/);
  });

  it('stops the start with a line for each invalid variable, and stores nothing', async () => {
    const directory = join(temporaryDirectory(), 'data');
    const environment = { DATA_DIR: directory, PORT: 'http', LOG_LEVEL: 'loud', ROLES: 'boss' };
    const { code, out, err } = await run('main', { environment });
    expect([code, out]).toEqual([1, '']);
    const variables = err
      .trimEnd()
      .split('\n')
      .map((line) => line.split(':')[0]);
    expect(variables.toSorted()).toEqual(['LOG_LEVEL', 'PORT', 'ROLES']);
    expect(existsSync(directory)).toBe(false);
  });

  it("stops the operator's tool too", async () => {
    const environment = { DATA_DIR: temporaryDirectory(), LOG_LEVEL: 'loud' };
    expect(lineOf(await run('cli', { environment, arguments: ['projections', 'list'] }))).toMatch(/^LOG_LEVEL: /);
  });
});

describe('a data directory', () => {
  it('is accessible only to its owner while a server uses it', async () => {
    const directory = temporaryDirectory();
    await startServer(directory, 'all');
    expect(statSync(directory).mode & 0o777).toBe(0o700);
    const files = readdirSync(directory);
    expect(files).toEqual(expect.arrayContaining(['facts.sqlite', 'views.sqlite', 'vault.sqlite']));
    for (const file of files) expect(statSync(join(directory, file)).mode & 0o777).toBe(0o600);
  });
});

describe('a data directory that cannot be used', () => {
  it('stops the start with one line that names it if a file is in its place', async () => {
    const file = join(temporaryDirectory(), 'data');
    writeFileSync(file, '');
    const line = lineOf(await run('main', { environment: { DATA_DIR: file } }));
    expect(line).toMatch(/^DATA_DIR: /);
    expect(line).toContain(file);
  });

  it('stops the start with one line that names the file if one of its parents is a file', async () => {
    const parent = join(temporaryDirectory(), 'parent');
    writeFileSync(parent, '');
    const line = lineOf(await run('main', { environment: { DATA_DIR: join(parent, 'data') } }));
    expect(line).toMatch(/^DATA_DIR: /);
    expect(line).toContain(parent);
  });

  it('stops the start if it is not writable', async ({ skip }) => {
    const readOnly = join(temporaryDirectory(), 'read-only');
    mkdirSync(readOnly, { mode: 0o555 });
    if (isRoot) {
      chmodSync(join(readOnly, '..'), 0o755);
      skip(
        !mayRead(NOBODY, programFile('main')),
        'root may write everywhere, and another user may not read the program',
      );
    }
    // The owner of a directory could make it writable. So the data directory has to be created in a read-only parent.
    const directory = isRoot ? readOnly : join(readOnly, 'data');
    const line = lineOf(await run('main', { environment: { DATA_DIR: directory }, ...(isRoot && { uid: NOBODY }) }));
    expect(line).toMatch(/^DATA_DIR: /);
    expect(line).toContain(directory);
    expect(readdirSync(readOnly)).toEqual([]);
  });

  it.each(['facts', 'views', 'vault', 'work'])(
    'stops the start with one line if %s.sqlite is not a database, and closes the vault',
    async (name) => {
      const directory = temporaryDirectory();
      writeFileSync(join(directory, `${name}.sqlite`), 'something else altogether, longer than a header'.repeat(100), {
        mode: 0o600,
      });
      expect(lineOf(await run('main', { environment: { DATA_DIR: directory } }))).toMatch(/not a database/);
      expect(isVaultClosed(directory)).toBe(true);
    },
  );
});

it('a HOST that is not an address of this machine stops the start with one line that names the variable', async () => {
  const environment = { DATA_DIR: temporaryDirectory(), HOST: '192.0.2.1' };
  const { code, err } = await run('main', { environment });
  expect([code, err.trimEnd().split('\n')]).toEqual([1, [expect.stringMatching(/^HOST, PORT: .*192\.0\.2\.1/)]]);
});

describe('a port that is taken', () => {
  it('stops the start with one line, and closes the vault', async () => {
    const directory = temporaryDirectory();
    const other = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => other.once('listening', resolve));
    const address = other.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    const ended = await run('main', { environment: { DATA_DIR: directory, PORT: String(port) } });
    expect(ended.code).toBe(1);
    expect(ended.err.trimEnd().split('\n')).toEqual([expect.stringMatching(`^HOST, PORT: .*${port}`)]);
    expect(isVaultClosed(directory)).toBe(true);
    other.close();
  });
});
