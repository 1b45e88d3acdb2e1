// Checks the files in deploy/ with the programs that read them.
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { temporaryDirectory } from '../support/directory.js';

const deploy = fileURLToPath(new URL('../../deploy', import.meta.url));
const inDeploy = (file: string) => readFileSync(join(deploy, file), 'utf8');

/** Runs a program on copies of files. */
const check = (program: string, files: Readonly<Record<string, string>>, ...given: readonly string[]) => {
  const directory = temporaryDirectory();
  for (const [file, content] of Object.entries(files)) writeFileSync(join(directory, file), content);
  const env = { PATH: process.env['PATH'], HOME: directory };
  const { status, stderr } = spawnSync(program, given, { cwd: directory, env, encoding: 'utf8' });
  return { status, stderr };
};

/** The programs, each with the check of a file or two. */
const checks = {
  'systemd-analyze': () => {
    const units = [
      'clinical-protocols.service',
      'clinical-protocols-backup.service',
      'clinical-protocols-backup.timer',
    ];
    // It looks for the programs of the units.
    const ofThisNode = (unit: string) => inDeploy(unit).replaceAll('/usr/local/bin/node', process.execPath);
    const files = Object.fromEntries(units.map((unit) => [unit, ofThisNode(unit)]));
    const paths = units.map((unit) => `./${unit}`);
    expect(check('systemd-analyze', files, 'verify', '--man=no', ...paths)).toEqual({ status: 0, stderr: '' });
  },
  caddy: () => {
    const result = check('caddy', { Caddyfile: inDeploy('Caddyfile') }, 'validate', '--config', 'Caddyfile');
    expect(result).toMatchObject({ status: 0, stderr: expect.not.stringMatching(/"level":"(warn|error)"/) });
  },
  promtool: () => {
    const result = check(
      'promtool',
      { 'alerts.yml': inDeploy('alerts.yml') },
      'check',
      'rules',
      '--lint-fatal',
      'alerts.yml',
    );
    expect(result).toEqual({ status: 0, stderr: '' });
    const config = { 'alerts.yml': inDeploy('alerts.yml'), 'prometheus.yml': inDeploy('prometheus.yml') };
    expect(check('promtool', config, 'check', 'config', 'prometheus.yml')).toEqual({ status: 0, stderr: '' });
  },
};

for (const [program, run] of Object.entries(checks)) {
  const isMissing = spawnSync('sh', ['-c', `command -v ${program}`]).status !== 0;
  it(`${program} accepts its files`, ({ skip }) => (isMissing ? skip(`${program} is not installed`) : run()));
}
