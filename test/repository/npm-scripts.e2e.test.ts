// Programs that run through npm end with npm: a supervisor, a timer or a container sends SIGTERM only to the npm process.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { temporaryDirectory } from '../support/directory.js';
import { eventually } from '../support/eventually.js';
import { PATH } from '../support/process.js';
import { Server } from '../support/server.js';

/** Starts npm in a process group of its own, and resolves once a line of its output matches. */
const startNpm = async (given: readonly string[], more: Readonly<Record<string, string>>, line: RegExp) => {
  const cwd = fileURLToPath(new URL('../..', import.meta.url));
  // A terminal on which nobody types. Node.js would close a pipe of its own as soon as npm ends.
  const input = spawn('sleep', ['600']);
  const stdio = [input.stdout, 'pipe', 'inherit'] as const;
  const child = spawn('npm', given, {
    cwd,
    env: { PATH, HOME: process.env['HOME'], ...more },
    stdio: [...stdio],
    detached: true,
  });
  onTestFinished(() => {
    input.kill();
    if (isRunning(child)) process.kill(groupOf(child), 'SIGKILL');
  });
  const lines: string[] = [];
  await new Promise<void>((resolve, reject) => {
    child.once('exit', () => reject(new Error(`npm ended: ${lines.join('\n')}`)));
    createInterface({ input: child.stdout as Readable }).on('line', (text) => {
      lines.push(text);
      if (line.test(text)) resolve();
    });
  });
  return { child, lines };
};

const groupOf = ({ pid = 0 }: ChildProcess): number => -pid;

/** Returns whether npm, or a process that it started, is running. */
const isRunning = (child: ChildProcess): boolean => {
  try {
    return process.kill(groupOf(child), 0);
  } catch {
    return false;
  }
};

const endNpm = async (child: ChildProcess): Promise<void> => {
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
  await eventually(() => expect(isRunning(child)).toBe(false));
};

it('npm start ends the service with npm, drained, and frees its directory', async () => {
  const directory = temporaryDirectory();
  const { child, lines } = await startNpm(['start'], { DATA_DIR: directory, PORT: '0' }, /"url":/);
  await endNpm(child);
  expect(lines.at(-1)).toContain('"msg":"stopped"');
  const next = new Server(directory);
  await next.start();
  await next.stop();
});

it.each([
  ['npm run cli', ['run', 'cli', '--', 'admin', 'create', '--email', 'a@example.org', '--name', "Ana O'Neill"]],
  ['npm run engines:start', ['run', 'engines:start', '--', temporaryDirectory(), 'eventstoredb']],
])('%s ends its program with npm', async (_, given) => {
  // The command waits for a password on standard input.
  const NODE_OPTIONS = `--import=data:text/javascript,process.argv[1].endsWith('bundle/cli.js')&&console.log('export')`;
  const { child } = await startNpm(given, { DATA_DIR: temporaryDirectory(), NODE_OPTIONS }, /^export/);
  await endNpm(child);
});
