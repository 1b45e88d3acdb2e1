// What the programs say when they find no space, on a file system of their own that is full.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { temporaryDirectory } from '../support/directory.js';
import { createStores } from '../support/embedded-files.js';
import { programFile, runCli } from '../support/process.js';

const inNamespace = ['--user', '--map-root-user', '--mount', 'sh', '-c'];
const MOUNT = 'mount -t tmpfs -o size=64k none "$FULL"';
const FILL = `${MOUNT} && mkdir "$FULL/x" && { head -c 65536 /dev/zero > "$FULL/filler" || true; } 2>/dev/null`;

/** Runs a program on a file system whose `free` last bytes are free. */
const runFull = (
  free: number,
  program: 'main' | 'cli',
  args: readonly string[],
  environment: Record<string, string>,
) => {
  const command = `${FILL} && truncate -s -${free} "$FULL/filler" && exec "$0" "$@"`;
  const given = [...inNamespace, command, process.execPath, programFile(program), ...args];
  return spawnSync('unshare', given, { env: { ...process.env, ...environment, PORT: '0' }, encoding: 'utf8' });
};

const missing = (): string | undefined => {
  const env = { ...process.env, FULL: temporaryDirectory() };
  const isPossible = spawnSync('unshare', [...inNamespace, MOUNT], { env }).status === 0;
  return isPossible ? undefined : 'this user may not mount a file system in a mount namespace';
};

describe('a program without space', () => {
  const [data, backup, full] = [temporaryDirectory(), join(temporaryDirectory(), 'backup'), temporaryDirectory()];
  const key = () => readFileSync(join(data, 'master.key'), 'utf8').trim();

  beforeAll(async () => {
    await createStores(data);
    expect(await runCli(data, 'signing-keys', 'rotate')).toMatchObject({ code: 0 });
    expect(await runCli(data, 'backup', backup)).toMatchObject({ code: 0 });
  });

  it.for([
    ['a backup', 0, 'cli', ['backup', join(full, 'x/night')], () => ({ DATA_DIR: data }), join(full, 'x')],
    ['a backup, later', 16_384, 'cli', ['backup', join(full, 'x/night')], () => ({ DATA_DIR: data }), join(full, 'x')],
    ['an export', 0, 'cli', ['audit', 'export', join(full, 'x')], () => ({ DATA_DIR: data }), join(full, 'x')],
    [
      'a restore',
      4_096,
      'cli',
      ['restore', backup],
      () => ({ DATA_DIR: join(full, 'x'), MASTER_KEY: key() }),
      join(full, 'x'),
    ],
    ['a command', 0, 'cli', ['keys', 'rotate'], () => ({ DATA_DIR: join(full, 'x') }), join(full, 'x')],
    ['a start', 0, 'main', [], () => ({ DATA_DIR: join(full, 'x') }), join(full, 'x')],
    ['a start, later', 16_384, 'main', [], () => ({ DATA_DIR: join(full, 'x') }), join(full, 'x')],
  ] as const)('names the directory: %s, with %i bytes', ([, free, program, args, environment, directory], test) => {
    const reason = missing();
    test.skip(reason !== undefined, reason);
    const { status, stderr } = runFull(free, program, args, { ...environment(), FULL: full });
    expect([status, stderr]).toEqual([1, expect.stringContaining(`no space left in ${directory}`)]);
  });
});
