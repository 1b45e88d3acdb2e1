// Commands that inspect stores fail and create nothing if the directory lacks a store that they need.
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { copyFileSync, existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { beforeAll, describe, expect, it } from 'vitest';
import { createDoctor } from '../http/support/samples.js';
import { temporaryDirectory } from '../support/directory.js';
import { type ProgramResult, programFile, run, runCli } from '../support/process.js';
import { Server } from '../support/server.js';

const FILES = ['facts.sqlite', 'vault.sqlite', 'views.sqlite', 'work.sqlite'] as const;

/** A command, and the files that it needs and names if one is missing. */
const commands: readonly (readonly [command: string, needed: readonly string[]])[] = [
  ['verify', ['facts.sqlite', 'vault.sqlite']],
  ['audit replay --all --compare', FILES],
  [`audit replay --profile ${randomUUID()}`, FILES],
  ['audit export BUNDLE', FILES],
  ['audit checkpoint', ['facts.sqlite', 'vault.sqlite']],
  ['audit prove', FILES],
  ['keys list', FILES],
  ['signing-keys list', FILES],
  ['log-keys list', FILES],
  ['projections list', FILES],
  ['jobs dead upkeep', FILES],
];

const whole = temporaryDirectory();

beforeAll(async () => {
  const server = new Server(whole);
  await server.start();
  await createDoctor(server);
  // The comparison waits until the read models have caught up with the log.
  expect(await runCli(whole, 'audit', 'replay', '--all', '--compare')).toMatchObject({ code: 0 });
  expect(await server.stop()).toBe(0);
});

/** Returns a directory with copies of the files except `missing`. */
const directoryWithout = (...missing: readonly string[]): string => {
  const directory = temporaryDirectory();
  const present = [...FILES, 'master.key'].filter((file) => !missing.includes(file));
  for (const file of present) copyFileSync(join(whole, file), join(directory, file));
  return directory;
};

/** Runs a command, which has no directory for temporary files except for the comparison. */
const runOn = async (directory: string, command: string): Promise<ProgramResult> => {
  const [temporary, bundle] = [temporaryDirectory(), join(temporaryDirectory(), 'bundle')];
  const TMPDIR = command.includes('--compare') ? temporary : join(temporary, 'missing');
  const environment = { DATA_DIR: directory, TMPDIR };
  const ended = await run('cli', { environment, arguments: command.replace('BUNDLE', bundle).split(' ') });
  expect(readdirSync(temporary)).toEqual([]);
  return ended;
};

describe.each(commands)('%s', (command, needed) => {
  it('names a directory that does not exist, and does not create it', async () => {
    const [directory, bundle] = ['mistyped', 'bundle'].map((name) => join(temporaryDirectory(), name));
    const { code, out, err } = await runCli(`${directory}`, ...command.replace('BUNDLE', `${bundle}`).split(' '));
    expect([code, out]).toEqual([1, '']);
    expect(err).toContain(directory);
    expect(err).not.toMatch(/^ +at /m);
    expect([directory, bundle].map((path) => existsSync(`${path}`))).toEqual([false, false]);
  });

  it.each(needed)('names a missing file that it needs, and creates nothing: %s', async (missing) => {
    const directory = directoryWithout(missing);
    const before = readdirSync(directory);
    const { code, err } = await runOn(directory, command);
    expect([code, err]).toEqual([1, expect.stringContaining(missing)]);
    expect(readdirSync(directory)).toEqual(before);
  });

  it('does not create the key file', async () => {
    const directory = directoryWithout('master.key');
    await runOn(directory, command);
    expect(existsSync(join(directory, 'master.key'))).toBe(false);
  });
});

it('verify accepts read models and jobs that the first start will create, and creates neither', async () => {
  const directory = directoryWithout('views.sqlite', 'work.sqlite');
  const { code, out } = await runOn(directory, 'verify');
  expect(out).toMatch(/^views +ok: not built yet$/m);
  expect(code).toBe(0);
  expect(readdirSync(directory).filter((name) => /views|work/.test(name))).toEqual([]);
});

it('a command names a directory without stores, and creates no file in it', async () => {
  const directory = temporaryDirectory();
  const { code, out, err } = await runCli(directory, 'keys', 'list');
  expect([code, out]).toEqual([1, '']);
  expect(err).toContain(directory);
  expect(readdirSync(directory)).toEqual([]);
});

it('ends quietly if the reader of its output has seen enough', async () => {
  const given = [programFile('cli'), 'projections', 'list'];
  const child = spawn(process.execPath, given, { env: { DATA_DIR: whole }, stdio: ['ignore', 'pipe', 'pipe'] });
  child.stdout.destroy();
  const [err, [code]] = await Promise.all([text(child.stderr), once(child, 'close')]);
  expect({ code, err }).toEqual({ code: 0, err: '' });
});
