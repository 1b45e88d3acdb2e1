// A service on a volume that belongs to root, and that its group may write to.
import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { createInstitution } from '../http/support/samples.js';
import { temporaryDirectory } from '../support/directory.js';
import { programFile } from '../support/process.js';
import { describeAsRoot, NOBODY } from '../support/root.js';
import { Server } from '../support/server.js';

const GROUP = 2_000;
const AS_USER = ['setpriv', `--reuid=${NOBODY}`, `--regid=${NOBODY}`, `--groups=${GROUP}`];

const volume = (mode: number): string => {
  const directory = temporaryDirectory();
  chownSync(directory, 0, GROUP);
  chmodSync(directory, mode);
  return directory;
};

describeAsRoot('a volume of root', () => {
  it.each([0o2770, 0o770, 0o2775])(
    'with mode %o is used, with a warning, by the service and the tool',
    async (mode) => {
      const server = new Server(volume(mode), {}, AS_USER);
      await server.start();
      onTestFinished(() => server.stop().then(() => undefined));
      await createInstitution(server);
      const warnings = server.log.filter(({ level, msg }) => level === 40 && `${msg}`.startsWith('DATA_DIR:'));
      expect(warnings).toHaveLength(1);
      const [command = '', ...given] = [...AS_USER, process.execPath, programFile('cli'), 'verify'];
      const { status, stderr } = spawnSync(command, given, { env: { DATA_DIR: server.directory }, encoding: 'utf8' });
      expect([status, stderr]).toEqual([0, '']);
      expect(statSync(server.directory).mode & 0o7777).toBe(mode);
      const { uid, mode: ofFile } = statSync(join(server.directory, 'vault.sqlite'));
      expect([uid, ofFile & 0o777]).toEqual([NOBODY, 0o600]);
    },
  );

  it.each([0o2777, 0o1777, 0o773, 0o755])(
    'with mode %o is refused, because others or not even its group can write to it',
    (mode) => {
      const [command = '', ...given] = [...AS_USER, process.execPath, programFile('main')];
      const { status, stderr } = spawnSync(command, given, { env: { DATA_DIR: volume(mode) }, encoding: 'utf8' });
      expect([status, stderr]).toEqual([1, expect.stringMatching(/^DATA_DIR: .*use a directory that this user owns/)]);
    },
  );
});
