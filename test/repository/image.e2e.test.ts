// Lays out the files of the image as the Dockerfile says, without a container engine, and runs them as the image does.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { temporaryDirectory } from '../support/directory.js';
import { eventually } from '../support/eventually.js';
import { freePort } from '../support/free-port.js';
import { PATH } from '../support/process.js';

const repository = fileURLToPath(new URL('../..', import.meta.url));
const text = readFileSync(join(repository, 'Dockerfile'), 'utf8').replaceAll('\\\n', ' ');
const runtime = text.slice(text.lastIndexOf('\nFROM ')).split('\n');

/** Returns the arguments of each instruction of this name in the last stage. */
const instructions = (name: string): readonly string[] =>
  runtime.filter((line) => line.startsWith(`${name} `)).map((line) => line.slice(name.length + 1));

const only = (name: string): string => {
  const [found = '', ...more] = instructions(name);
  expect(more).toEqual([]);
  return found;
};

const programIn = (line: string): readonly string[] => JSON.parse(line.slice(line.indexOf('['))) as string[];

describe('the image', () => {
  const root = temporaryDirectory();
  const app = join(root, only('WORKDIR'));
  /** Returns an absolute path of the image below the root of this test. */
  const inRoot = (path: string) => (path.startsWith('/') ? join(root, path) : path);
  const output: string[] = [];
  let environment: Record<string, string> = {};
  let service: ChildProcess;

  const copy = (line: string): void => {
    const words = line.split(' ').filter((word) => !word.startsWith('--'));
    const target = words.at(-1) ?? '';
    for (const source of words.slice(0, -1)) {
      const from = join(repository, source.replace(/^\/app\//, ''));
      const to = target.endsWith('/') ? join(app, target, source.split('/').at(-1) ?? '') : join(app, target);
      mkdirSync(dirname(to), { recursive: true });
      // The packages are too many to copy.
      if (source.endsWith('/node_modules')) symlinkSync(from, to);
      else cpSync(from, to, { recursive: true });
    }
  };

  const runIn = (program: readonly string[], more: Readonly<Record<string, string>> = {}) => {
    const [command = '', ...given] = program;
    return spawnSync(command, given, { cwd: app, env: { ...environment, ...more }, encoding: 'utf8' });
  };

  beforeAll(async () => {
    for (const line of instructions('COPY')) copy(line);
    for (const line of instructions('RUN').filter((command) => command.startsWith('ln '))) {
      const [, , target = '', link = ''] = line.split(' ').map(inRoot);
      mkdirSync(dirname(link), { recursive: true });
      symlinkSync(target, link);
    }
    const set = only('ENV')
      .split(' ')
      .map((assignment) => assignment.split('='));
    environment = {
      ...Object.fromEntries(set.map(([name, value = '']) => [name, inRoot(value)])),
      PATH: [join(root, 'usr/local/bin'), PATH].join(delimiter),
      HOME: temporaryDirectory(),
      PORT: String(await freePort()),
    };
    const [command = '', ...given] = programIn(only('CMD'));
    service = spawn(command, given, { cwd: app, env: environment, stdio: ['ignore', 'pipe', 'inherit'] });
    service.stdout?.on('data', (bytes: Buffer) => output.push(bytes.toString()));
  });

  afterAll(async () => {
    const ended = once(service, 'exit');
    service.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
  });

  const lines = () => output.join('').split('\n');

  it('listens on every address, requires callers to sign in, and is healthy', async () => {
    await eventually(() => expect(lines().some((line) => line.includes('"msg":"listening on '))).toBe(true));
    expect(lines().find((line) => line.includes('"url":'))).toContain(`http://0.0.0.0:${environment['PORT']}`);
    expect((await fetch(`http://127.0.0.1:${environment['PORT']}/users`)).status).toBe(401);
    expect(runIn(programIn(only('HEALTHCHECK')))).toMatchObject({ status: 0, stderr: '' });
  });

  it('names the command in its log that its operator can run there', async () => {
    const advice = /create the first administrator with: (.*) admin create/;
    await eventually(() => expect(output.join('')).toMatch(advice));
    const [, command = ''] = advice.exec(output.join('')) ?? [];
    const made = spawnSync(command, ['admin', 'create', '--email', 'you@example.org', '--name', 'Your Name'], {
      ...{ cwd: app, env: environment, encoding: 'utf8' as const, input: 'the password that you chose\n' },
    });
    expect(made).toMatchObject({ status: 0, stdout: expect.stringContaining('is an administrator') });
    expect(runIn([command, '--help']).stdout).toContain(`Usage: ${command} `);
  });

  it('runs the tool with npm, too', () => {
    const { status, stdout, stderr } = runIn(['npm', 'run', '--silent', 'cli', '--', 'verify']);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toMatch(/^claims +ok: /m);
    expect(runIn(['npm', 'run', '--silent', 'cli', '--', '--help']).stdout).toContain('Usage: npm run cli -- ');
  });

  it('has the verifier and its page', () => {
    expect(existsSync(join(app, 'verifier/index.html'))).toBe(true);
    expect(runIn(['node', 'verifier/verify.mjs']).stdout).toContain('verify.mjs');
  });
});
