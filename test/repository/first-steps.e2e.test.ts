// Does what a newcomer and an operator do first. CI also runs this file on other versions of Node.js
// (scripts/node-versions.sh).
import { spawn } from 'node:child_process';
import { copyFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { Bash, missingProgram } from '../support/bash.js';
import { temporaryDirectory } from '../support/directory.js';
import { PATH, type ProgramResult, programFile, run, runCli } from '../support/process.js';
import { Server } from '../support/server.js';
import { stepsIn } from '../support/shell-document.js';

const PASSWORD = 'the password that you chose';
const page = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');
const ON_TERMINAL = 'data:text/javascript,process.stdout.isTTY=true';
const requests = stepsIn(page).flatMap(({ commands }) => (commands.includes('curl ') ? [commands] : []));
const reason = missingProgram('bash', 'curl');

const expectSuccess = ({ code, err }: ProgramResult) => expect({ code, err }).toEqual({ code: 0, err: '' });

describe(`the first steps of a newcomer, on Node.js ${process.versions.node}`, () => {
  const [directory, backup] = [temporaryDirectory(), join(temporaryDirectory(), 'backup')];
  const server = new Server(directory);
  const bash = new Bash(temporaryDirectory(), { PATH });
  const send = async (commands = ''): Promise<unknown> =>
    JSON.parse(
      (await bash.run(commands.replaceAll('http://127.0.0.1:3000', server.url))).trim().split('\n').at(-1) ?? '',
    );

  beforeAll(() => server.start());
  afterAll(async () => {
    await bash.end();
    await server.stop();
  });

  if (reason === undefined) {
    it('are the requests of README.md', async () => {
      expect(await send(requests[0])).toMatchObject({ protocol: { name: 'Pain today' }, form: { version: 1 } });
      expect(await send(requests[1])).toMatchObject({ status: 400, errors: expect.any(Array) });
    });
  } else it('are the requests of README.md', ({ skip }) => skip(reason));

  it('are a start on a terminal, which names both addresses in one plain line', async () => {
    const env = { DATA_DIR: temporaryDirectory(), PORT: '0', NODE_OPTIONS: `--import=${ON_TERMINAL}` };
    const child = spawn(process.execPath, [programFile('main')], { env, stdio: ['ignore', 'pipe', 'inherit'] });
    onTestFinished(() => void child.kill('SIGKILL'));
    const lines: string[] = [];
    for await (const line of createInterface(child.stdout)) {
      lines.push(line);
      if (line.startsWith('The service is at ')) break;
    }
    expect(lines.at(-1)).toMatch(/^The service is at (http:\/\/127\.0\.0\.1:\d+), .* \1\/docs$/);
  });

  it('are an administrator who can sign in', async () => {
    const given = ['admin', 'create', '--email', 'you@example.org', '--name', 'First Last'];
    expectSuccess(await run('cli', { environment: { DATA_DIR: directory }, arguments: given, input: `${PASSWORD}\n` }));
    const email = 'you@example.org';
    const { status, body } = await server.post('/auth-service/auth', { email, password: PASSWORD });
    expect({ status, body }).toMatchObject({ status: 200, body: { token: expect.any(String), user: { email } } });
  });

  it('are a check, a backup and its restore', async () => {
    expectSuccess(await runCli(directory, 'verify'));
    expectSuccess(await runCli(directory, 'backup', backup));
    expect(await server.stop()).toBe(0);
    const restored = temporaryDirectory();
    // A backup holds no master key.
    copyFileSync(join(directory, 'master.key'), join(restored, 'master.key'));
    expectSuccess(await runCli(restored, 'restore', backup));
    expectSuccess(await runCli(restored, 'verify'));
  });
});
