// Commands that look at stores: on a directory that has none, or lacks what they show, they fail and create nothing.
import { randomUUID } from 'node:crypto';
import { copyFileSync, existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { createDoctor } from '../http/samples.js';
import { temporaryDirectory } from '../support/directory.js';
import { operate, run } from '../support/process.js';
import { Server } from '../support/server.js';

const commands: readonly (readonly [string, readonly string[]])[] = [
  ['verify', []],
  ['audit replay --all --compare', ['facts.sqlite', 'views.sqlite']],
  [`audit replay --profile ${randomUUID()}`, ['facts.sqlite', 'views.sqlite']],
  ['audit export BUNDLE', ['facts.sqlite']],
  ['keys list', ['vault.sqlite']],
  ['signing-keys list', ['vault.sqlite']],
  ['projections list', ['facts.sqlite', 'views.sqlite']],
  ['jobs dead upkeep', ['work.sqlite']],
];
const FILES = ['facts.sqlite', 'vault.sqlite', 'views.sqlite', 'work.sqlite', 'master.key'];

const whole = temporaryDirectory();

beforeAll(async () => {
  const server = new Server(whole);
  await server.start();
  await createDoctor(server);
  // It waits until the read models are at the end of the log.
  expect(await operate(whole, 'audit', 'replay', '--all', '--compare')).toMatchObject({ code: 0 });
  expect(await server.stop()).toBe(0);
});

describe.each(commands)('%s', (command, needed) => {
  const bundle = join(temporaryDirectory(), 'bundle');
  const words = command.replace('BUNDLE', bundle).split(' ');

  const without = (missing: string): string => {
    const directory = temporaryDirectory();
    for (const file of FILES.filter((each) => each !== missing)) {
      copyFileSync(join(whole, file), join(directory, file));
    }
    return directory;
  };

  it('names a directory that does not exist, and does not create it', async () => {
    const directory = join(temporaryDirectory(), 'mistyped');
    const { code, out, err } = await operate(directory, ...words);
    expect([code, out]).toEqual([1, '']);
    expect(err).toContain(directory);
    expect(err).not.toMatch(/^ +at /m);
    expect(existsSync(directory)).toBe(false);
    expect(existsSync(bundle)).toBe(false);
  });

  it('names a directory without stores, and creates no file in it', async () => {
    const directory = temporaryDirectory();
    const { code, out, err } = await operate(directory, ...words);
    expect([code, out]).toEqual([1, '']);
    expect(err).toContain(directory);
    expect(readdirSync(directory)).toEqual([]);
  });

  it.each(FILES)('creates no file where one is missing: %s', async (missing) => {
    const directory = without(missing);
    const temporary = temporaryDirectory();
    const environment = { DATA_DIR: directory, TMPDIR: temporary };
    const { code, err } = await run('cli', { environment, arguments: words });
    rmSync(bundle, { recursive: true, force: true });
    if (needed.includes(missing)) expect([code, err]).toEqual([1, expect.stringContaining(missing)]);
    expect(existsSync(join(directory, missing))).toBe(false);
    expect(readdirSync(temporary)).toEqual([]);
  });
});
