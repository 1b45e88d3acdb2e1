// Commands that inspect stores fail and create nothing if the directory has no stores or lacks the stores that they
// need.
import { randomUUID } from 'node:crypto';
import { copyFileSync, existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { createDoctor } from '../http/samples.js';
import { temporaryDirectory } from '../support/directory.js';
import { type ProgramResult, run, runCli } from '../support/process.js';
import { Server } from '../support/server.js';

/** A command, the files that it needs and names if one is missing, and the files that may all be missing. */
const commands: readonly (readonly [command: string, needed: readonly string[], others: readonly string[]])[] = [
  ['verify', [], ['views.sqlite', 'work.sqlite']],
  ['audit replay --all --compare', ['facts.sqlite', 'views.sqlite'], ['vault.sqlite', 'work.sqlite']],
  [`audit replay --profile ${randomUUID()}`, ['facts.sqlite', 'views.sqlite'], ['vault.sqlite', 'work.sqlite']],
  ['audit export BUNDLE', ['facts.sqlite'], ['vault.sqlite', 'views.sqlite', 'work.sqlite']],
  ['audit prove', ['facts.sqlite', 'vault.sqlite'], ['views.sqlite', 'work.sqlite']],
  ['keys list', ['vault.sqlite'], ['facts.sqlite', 'views.sqlite', 'work.sqlite']],
  ['signing-keys list', ['vault.sqlite'], ['facts.sqlite', 'views.sqlite', 'work.sqlite']],
  ['projections list', ['facts.sqlite', 'views.sqlite'], ['vault.sqlite', 'work.sqlite']],
  ['jobs dead upkeep', ['work.sqlite'], ['facts.sqlite', 'vault.sqlite', 'views.sqlite']],
];
const FILES = ['facts.sqlite', 'vault.sqlite', 'views.sqlite', 'work.sqlite', 'master.key'];

const whole = temporaryDirectory();

beforeAll(async () => {
  const server = new Server(whole);
  await server.start();
  await createDoctor(server);
  // The comparison waits until the read models have caught up with the log.
  expect(await runCli(whole, 'audit', 'replay', '--all', '--compare')).toMatchObject({ code: 0 });
  expect(await server.stop()).toBe(0);
});

/** Runs a command without some files, and expects it to create none of them and to leave no temporary files. */
const runWithout = async (missing: readonly string[], command: string): Promise<ProgramResult> => {
  const [directory, temporary, bundle] = [
    temporaryDirectory(),
    temporaryDirectory(),
    join(temporaryDirectory(), 'bundle'),
  ];
  const present = FILES.filter((file) => !missing.includes(file));
  for (const file of present) copyFileSync(join(whole, file), join(directory, file));
  const environment = { DATA_DIR: directory, TMPDIR: temporary };
  const ended = await run('cli', { environment, arguments: command.replace('BUNDLE', bundle).split(' ') });
  expect(missing.filter((file) => existsSync(join(directory, file)))).toEqual([]);
  expect(readdirSync(temporary)).toEqual([]);
  return ended;
};

describe.each(commands)('%s', (command, needed, others) => {
  it('names a directory that does not exist, and does not create it', async () => {
    const [directory, bundle] = ['mistyped', 'bundle'].map((name) => join(temporaryDirectory(), name));
    const { code, out, err } = await runCli(`${directory}`, ...command.replace('BUNDLE', `${bundle}`).split(' '));
    expect([code, out]).toEqual([1, '']);
    expect(err).toContain(directory);
    expect(err).not.toMatch(/^ +at /m);
    expect([directory, bundle].map((path) => existsSync(`${path}`))).toEqual([false, false]);
  });

  it.each(needed)('names a missing file that it needs, and does not create it: %s', async (missing) => {
    const { code, err } = await runWithout([missing], command);
    expect([code, err]).toEqual([1, expect.stringContaining(missing)]);
  });

  it('creates no file that it does not need', async () => {
    await runWithout([...others, 'master.key'], command);
  });
});

it.each(FILES)('verify does not create a missing file: %s', async (missing) => {
  await runWithout([missing], 'verify');
});

it('a command names a directory without stores, and creates no file in it', async () => {
  const directory = temporaryDirectory();
  const { code, out, err } = await runCli(directory, 'keys', 'list');
  expect([code, out]).toEqual([1, '']);
  expect(err).toContain(directory);
  expect(readdirSync(directory)).toEqual([]);
});
