// Tests what docs/one-server.md installs: the variables, the units, and the versions that it names.
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseEnv } from 'node:util';
import { describe, expect, it } from 'vitest';
import { readConfig } from '../../src/config.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const read = (file: string) => readFileSync(join(root, file), 'utf8');
const [service, backup, tool, install] = [
  read('deploy/clinical-protocols.service'),
  read('deploy/clinical-protocols-backup.service'),
  read('deploy/clinical-protocols'),
  read('deploy/install.sh'),
];
const variables = parseEnv(read('deploy/clinical-protocols.env'));

describe('one server', () => {
  it('requires callers to sign in although it listens on a loopback address, behind a proxy on this machine', () => {
    expect(readConfig(variables)).toMatchObject({
      ...{ host: '127.0.0.1', port: 3000, callers: 'required', trustedProxies: ['loopback'] },
      publicUrl: expect.stringMatching(/^https:/),
    });
    expect(read('deploy/Caddyfile')).toContain('reverse_proxy 127.0.0.1:3000');
  });

  it('has a mail server in its comments that the service accepts', () => {
    const commented = parseEnv(read('deploy/clinical-protocols.env').replaceAll(/^#(?=[A-Z_]+=)/gm, ''));
    expect(readConfig(commented)).toMatchObject({
      smtp: { from: { name: 'Clinical Protocols', address: 'no-reply@example.org' } },
    });
  });

  it.each(['deploy/clinical-protocols.env', 'deploy/Caddyfile', 'docs/one-server.md'])(
    '%s has the name that the page replaces',
    (file) => expect(read(file)).toContain('protocols.example.org'),
  );

  it('starts with the same small heap for new objects, by systemd, by npm and in the image', () => {
    for (const file of ['deploy/clinical-protocols.service', 'package.json', 'Dockerfile']) {
      const starts = read(file)
        .split('\n')
        .filter((line) => /\bnode\b.*bundle\/main\.js/.test(line));
      expect(starts, file).toEqual([expect.stringMatching(/node"?,? "?--max-semi-space-size=16\b/)]);
    }
  });

  it('runs the installed program with the same variables and the same user in the service, the backup and the tool', () => {
    const started =
      /\/usr\/local\/bin\/node (--max-\S+ )?--env-file=\/etc\/clinical-protocols\.env \/opt\/clinical-protocols\/dist\/bundle\//;
    for (const text of [service, backup, tool]) {
      expect(text.replaceAll(/ \\\n +/g, ' ')).toMatch(started);
      expect(text).toMatch(/(^User=|--user )clinical-protocols\b/m);
    }
    expect(install).toContain('program=/opt/clinical-protocols\nvariables=/etc/clinical-protocols.env\n');
  });

  it('may write only its own directories', () => {
    expect(variables).toMatchObject({
      ...{ DATA_DIR: '/var/lib/clinical-protocols', ERASURE_LIST: '/var/backups/clinical-protocols/erased.txt' },
    });
    for (const text of [service, backup]) {
      expect(text).toMatch(/^ProtectSystem=strict$/m);
      expect(text).toMatch(/^NoNewPrivileges=yes$/m);
      expect(text).toMatch(/^ReadWritePaths=\/var\/backups\/clinical-protocols\b/m);
    }
    expect(service).toMatch(/^StateDirectory=clinical-protocols$/m);
    expect(backup).toMatch(/^ReadWritePaths=.* \/var\/lib\/clinical-protocols$/m);
  });

  it('keeps backups as long as the page says', () => {
    const [, days] = /-mtime \+(\d+) /.exec(backup) ?? [];
    expect(read('docs/one-server.md')).toContain(`older than ${days} days`);
  });

  it('makes a backup each night, also when the local clock skips an hour, and names it by the same clock', () => {
    expect(read('deploy/clinical-protocols-backup.timer')).toMatch(/^OnCalendar=\*-\*-\* \d\d:\d\d UTC$/m);
    expect(read('docs/one-server.md')).toContain('03:30 UTC');
    // A line of a crontab has local times, so it runs in every hour, and looks at the clock itself.
    const [line = ''] = /^30 \* \* \* \* .*/m.exec(read('docs/operations.md')) ?? [];
    const condition = line.slice(line.indexOf('['), line.indexOf('&&')).replace('\\%', '%');
    for (const [zone, hour, isDue] of [
      ['Europe/Berlin', '2026-03-29T03:30:00Z', true],
      ['America/New_York', '2026-03-08T03:30:00Z', true],
      ['Asia/Kolkata', '2026-03-08T03:00:00Z', true],
      ['Europe/Berlin', '2026-03-29T01:30:00Z', false],
    ] as const) {
      const clock = `date() { command date -d '${hour}' "$@"; }; ${condition}`;
      expect(spawnSync('sh', ['-c', clock], { env: { TZ: zone } }).status === 0, zone).toBe(isDue);
    }
  });

  it.each(['deploy', 'docs', 'scripts', '.'])('%s has no name with a local time', (folder) => {
    const texts = readdirSync(join(root, folder), { withFileTypes: true }).filter((entry) => entry.isFile());
    for (const { name } of texts) {
      // %s counts seconds, which are the same everywhere.
      expect(read(join(folder, name)), name).not.toMatch(/\$\(date (?!-u )(?!\+%s)/);
      expect(read(join(folder, name)), name).not.toMatch(/^OnCalendar=(?!.* UTC$)/m);
    }
  });

  it('takes the Node.js of the image', () => {
    const [, version] = /^FROM node:([\d.]+)-/m.exec(read('Dockerfile')) ?? [];
    const named = [...read('docs/one-server.md').matchAll(/node-?\/?v([\d.]+\d)/g)].map(([, each]) => each);
    expect(new Set(named)).toEqual(new Set([version]));
  });
});
