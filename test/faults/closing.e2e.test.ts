// A store that fails to close.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { temporaryDirectory } from '../support/directory.js';
import { programFile } from '../support/process.js';

const failing = fileURLToPath(new URL('support/close-fails.mjs', import.meta.url));

it('a stop whose stores do not all close logs the reason and exits with 1', async () => {
  const env = { DATA_DIR: temporaryDirectory(), PORT: '0', NODE_OPTIONS: `--import ${failing}` };
  const child = spawn(process.execPath, [programFile('main', 'modules')], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const errors = text(child.stderr);
  const lines: { readonly msg?: string; readonly level?: number; readonly err?: { readonly message: string } }[] = [];
  const ended = once(child, 'close');
  for await (const line of createInterface(child.stdout)) {
    lines.push(JSON.parse(line));
    if (lines.at(-1)?.msg?.startsWith('listening on')) child.kill('SIGTERM');
  }
  const [code] = await ended;
  expect({ code, errors: await errors }).toEqual({ code: 1, errors: '' });
  const last = lines.at(-1);
  expect(last?.level).toBe(50);
  expect(last?.err?.message).toBe('the vault does not close');
});
