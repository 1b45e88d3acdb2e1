// The help and the usage errors of the operator's tool, run with the built tool and without any store.
import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { temporaryDirectory } from '../support/directory.js';
import { run } from '../support/process.js';
import { withoutModules } from '../support/without-modules.js';
import { outputOf, refusalOf } from './support/tool.js';

const commands = [
  'admin create',
  'audit checkpoint',
  'audit export',
  'audit prove',
  'audit replay',
  'auditor create',
  'backup',
  'erase',
  'jobs dead',
  'jobs retry',
  'keys list',
  'keys rotate',
  'log-keys list',
  'log-keys new-log',
  'log-keys rotate',
  'projections list',
  'projections rebuild',
  'projections retry',
  'restore',
  'sign-in-address set',
  'signing-keys list',
  'signing-keys revoke',
  'signing-keys rotate',
  'verify',
];

const withoutEngines = withoutModules('@photostructure/sqlite', 'mongodb', 'bullmq', 'ioredis', '@eventstore');

describe('the help of the tool', () => {
  it.each(['--help', '-h', 'help'])('lists every command on standard output: %s', async (word) => {
    const out = await outputOf(temporaryDirectory(), word);
    for (const command of commands) expect(out).toMatch(new RegExp(`^ +${command}\\b`, 'm'));
  });

  it.each(commands)('explains a command without touching a store: %s', async (command) => {
    const directory = temporaryDirectory();
    expect(await outputOf(directory, ...command.split(' '), '--help')).toContain(
      `Usage: clinical-protocols ${command}`,
    );
    expect(readdirSync(directory)).toEqual([]);
  });

  it('names the tool as npm starts it', async () => {
    const environment = { DATA_DIR: temporaryDirectory(), npm_lifecycle_event: 'cli' };
    const { out } = await run('cli', { environment, arguments: ['verify', '--help'] });
    expect(out).toContain('Usage: npm run cli -- verify');
  });

  it('loads no engine', async () => {
    const environment = { ...withoutEngines, DATA_DIR: temporaryDirectory() };
    const { code, err } = await run('cli', { environment, arguments: ['--help'] });
    expect({ code, err }).toEqual({ code: 0, err: '' });
    const onRedis = { ...environment, REDIS_URL: 'redis://127.0.0.1:1' };
    const needsOne = await run('cli', { environment: onRedis, arguments: ['projections', 'retry', 'users'] });
    expect(needsOne).toEqual({ code: 1, out: '', err: expect.stringContaining('an engine') });
  });
});

describe('a wrong command line', () => {
  it.each([
    ['an unknown command', ['frobnicate'], 'frobnicate'],
    ['an unknown command of a group', ['keys', 'frobnicate'], 'frobnicate'],
    ['an unknown option', ['keys', 'list', '--frobnicate'], '--frobnicate'],
    ['a missing argument', ['projections', 'retry'], 'name'],
    ['a missing option', ['erase', '--user', '01a1ff29-c2dd-7067-a089-49af938c8fea'], '--reason'],
    ['an extra argument', ['keys', 'list', 'frobnicate'], 'keys list'],
    ['no command', [], 'projections list'],
    ['no command of a group', ['keys'], 'keys list'],
    ['an unknown command of the audit', ['audit', 'rewind'], 'audit prove'],
    ['no queue', ['jobs', 'dead'], 'queue'],
    ['no job', ['jobs', 'retry', 'upkeep'], 'id'],
    ['no directory', ['audit', 'export'], 'directory'],
    ['an extra argument of a rebuild', ['projections', 'rebuild', 'protocols', '4'], 'rebuild <name> [--no-wait]'],
    ['an option that is gone', ['projections', 'rebuild', 'protocols', '--parts'], "unknown option '--parts'"],
    ['the old spelling of --as-of', ['audit', 'replay', '--asOf', '2026-11-22'], '--as-of'],
    ['no profile', ['audit', 'replay', '--profile'], '--profile'],
  ])('fails with an explanation and touches no store: %s', async (_, words, expected) => {
    const directory = temporaryDirectory();
    expect(await refusalOf(directory, ...words)).toContain(expected);
    expect(readdirSync(directory)).toEqual([]);
  });
});
