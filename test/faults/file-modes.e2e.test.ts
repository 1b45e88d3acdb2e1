// Starts the server in a directory that other users of the machine can enter.
import { chmodSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { temporaryDirectory } from '../support/directory.js';
import { Server } from '../support/server.js';

const directory = join(temporaryDirectory(), 'data');
const server = new Server(directory);
afterAll(() => server.stop());

it('makes the directory and its files private', async () => {
  mkdirSync(directory);
  chmodSync(directory, 0o755);
  await server.start();
  await server.post('/users/doctor', {});
  const modes = ['.', ...readdirSync(directory)].map((name) => [name, statSync(join(directory, name)).mode & 0o077]);
  expect(modes.filter(([, others]) => others !== 0)).toEqual([]);
  expect(modes.length).toBeGreaterThan(5);
});
