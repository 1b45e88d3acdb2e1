// Tests that root follows no link of the service's user on one server: what docs/one-server.md and deploy/ run as root, and
// what the blocks of the page do on directories with such links.
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeEach, describe, expect, it } from 'vitest';
import { missingProgram } from '../support/bash.js';
import { temporaryDirectory } from '../support/directory.js';
import { stepsIn } from '../support/shell-document.js';

const read = (file: string) => readFileSync(join(fileURLToPath(new URL('../..', import.meta.url)), file), 'utf8');
const blocks = stepsIn(read('docs/one-server.md')).map(({ commands }) => commands);

describe('as root', () => {
  /** The directories that the service's user can write: its own, and those of everybody. */
  const WRITABLE = /\/var\/(lib|backups)\/(clinical-protocols\b(?!-)|\$service\b)|(^|[ =])\/(var\/)?tmp\b/;
  /** Runs as the service's user, lists names, or changes the entry of a directory in its parent, which is root's. */
  const HARMLESS =
    /runuser --user clinical-protocols -- |^clinical-protocols (restore|backup) |^(newest=\$\()?ls |^\[ ! -e \S+ \] \|\| mv \S+ "[^"]+"$|^install --directory |useradd --system /;
  const commandsIn = (text: string) => text.replaceAll(/(\\|\||&&)\n\s+/g, '$1 ').split('\n');

  it.each([
    ['docs/one-server.md', blocks.flatMap(commandsIn)],
    ['deploy/install.sh', commandsIn(read('deploy/install.sh'))],
    ['deploy/clinical-protocols', commandsIn(read('deploy/clinical-protocols'))],
  ])('%s touches no file below a directory that the service can write', (_, commands) => {
    const touching = commands.filter((command) => WRITABLE.test(command) && !command.startsWith('#'));
    expect(touching.filter((command) => !HARMLESS.test(command))).toEqual([]);
  });

  it.each(['clinical-protocols', 'clinical-protocols-backup'])('%s.service runs nothing', (unit) => {
    const text = read(`deploy/${unit}.service`);
    expect(text).toMatch(/^User=clinical-protocols$/m);
    expect(text).not.toMatch(/^Exec\w+=[-@:]*[+!]|^PermissionsStartOnly/m);
  });
});

const USER = { name: 'nobody', id: 65_534 };
const BACKUP = '2026-11-22T023000';
const MADE_AT = new Date('2026-11-22T02:30:00Z');
const [service, backups] = ['var/lib/clinical-protocols', 'var/backups/clinical-protocols'];

/**
 * Makes the directories of the page elsewhere. `run` runs blocks of the page there, with `nobody` as the service's user. The
 * commands of the service only note that they were called.
 */
const machine = () => {
  const top = temporaryDirectory();
  const at = (path: string) => join(top, path);
  for (const path of [`root/backups/${BACKUP}`, service, backups, 'etc/caddy', 'bin']) {
    mkdirSync(at(path), { recursive: true });
  }
  chmodSync(top, 0o755);
  chmodSync(at('root'), 0o700);
  for (const path of [service, backups]) chownSync(at(path), USER.id, USER.id);
  const saved = ['master.key', 'clinical-protocols.env', 'Caddyfile', 'backups/erased.txt', `backups/${BACKUP}/facts`];
  for (const file of saved) writeFileSync(at(`root/${file}`), `saved ${file}`, { mode: 0o600 });
  utimesSync(at(`root/backups/${BACKUP}`), MADE_AT, MADE_AT);
  writeFileSync(at('root/secret'), 'for root alone', { mode: 0o600 });
  writeFileSync(at('etc/facts'), 'of root');
  for (const name of ['systemctl', 'clinical-protocols']) {
    writeFileSync(at(`bin/${name}`), `#!/bin/sh\necho ${name} "$@" >> ${at('calls')}\n`, { mode: 0o755 });
  }
  const run = (part: string) => {
    const commands = blocks.find((block) => block.includes(part)) ?? 'exit 9';
    const here = commands
      .replaceAll(/(?<![\w.])\/(root|var|etc)\b/g, `${top}/$1`)
      .replaceAll(/(--user |--owner=)clinical-protocols/g, `$1${USER.name}`)
      .replaceAll('--group=clinical-protocols', `--group=${USER.id}`);
    const env = { PATH: `${at('bin')}:${process.env['PATH']}` };
    const { status, stderr } = spawnSync('sh', ['-c', here], { cwd: at('root'), env, encoding: 'utf8' });
    return { status, stderr };
  };
  return { at, run, textOf: (path: string) => readFileSync(at(path), 'utf8') };
};

const SUCCESS = { status: 0, stderr: '' };
const [GIVE, RESTORE, SAVE] = ['tar --create', 'clinical-protocols restore', '> /root/master.key'];

describe('the blocks of the page', () => {
  beforeEach(({ skip }) => {
    const missing = process.geteuid?.() === 0 ? missingProgram('runuser', 'tar') : 'only root can become another user';
    skip(missing !== undefined, missing);
  });

  it('restore what was saved, for the user of the service alone, with the times of the backups', () => {
    const { at, run, textOf } = machine();
    writeFileSync(at(`${service}/vault.sqlite`), 'old');
    expect([run(GIVE), run(RESTORE)]).toEqual([SUCCESS, SUCCESS]);
    expect(readdirSync(at(service))).toEqual(['master.key']);
    expect(textOf(`${service}/master.key`)).toBe('saved master.key');
    expect(textOf(`${backups}/erased.txt`)).toBe('saved backups/erased.txt');
    for (const file of [`${service}/master.key`, `${backups}/${BACKUP}/facts`]) {
      expect(statSync(at(file))).toMatchObject({ uid: USER.id, mode: 0o100600 });
    }
    expect(statSync(at(`${backups}/${BACKUP}`)).mtime).toEqual(MADE_AT);
    expect(textOf('calls')).toContain(`clinical-protocols restore ${at(`${backups}/${BACKUP}`)}\n`);
  });

  it('go back with the key and the backups of this machine', () => {
    const { at, run, textOf } = machine();
    writeFileSync(at(`${service}/master.key`), 'current key', { mode: 0o644 });
    mkdirSync(at(`${backups}/2026-11-23T023000`));
    expect([run(SAVE), run(RESTORE)]).toEqual([SUCCESS, SUCCESS]);
    expect(textOf(`${service}/master.key`)).toBe('current key');
    expect(textOf('calls')).toContain('2026-11-23T023000\n');
  });

  it.each([
    [
      'a file',
      'erased.txt',
      (at: (path: string) => string) => symlinkSync(at('etc/facts'), at(`${backups}/erased.txt`)),
    ],
    ['a directory', BACKUP, (at: (path: string) => string) => symlinkSync(at('etc'), at(`${backups}/${BACKUP}`))],
    [
      'a second name of a file',
      'erased.txt',
      (at: (path: string) => string) => linkSync(at('etc/facts'), at(`${backups}/erased.txt`)),
    ],
  ])('write nothing through %s that the service replaced by a link', (_, name, link) => {
    const { at, run, textOf } = machine();
    link(at);
    expect([run(GIVE), run(RESTORE)]).toEqual([SUCCESS, SUCCESS]);
    expect(textOf('etc/facts')).toBe('of root');
    expect(statSync(at('etc/facts')).uid).toBe(0);
    expect(statSync(at(`${backups}/${name}`)).uid).toBe(USER.id);
  });

  it.each(['root/secret', 'root/clinical-protocols.env'])('give the service nothing of %s through a link', (file) => {
    const { at, run, textOf } = machine();
    symlinkSync(at(file), at(`${service}/master.key`));
    const saved = run(SAVE);
    expect(saved.status).not.toBe(0);
    expect(saved.stderr).toMatch(/Permission denied/);
    expect(run(RESTORE)).toEqual(SUCCESS);
    expect(textOf(`${service}/master.key`)).toBe('');
  });
});
