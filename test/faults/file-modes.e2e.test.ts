// Starts the server on files of the stores that other users of the machine can read.
import { chmodSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { temporaryDirectory } from '../support/directory.js';
import { Server } from '../support/server.js';

const server = new Server(temporaryDirectory());
afterAll(() => server.stop());

it('makes files that other users can read private at the start, and names them in a warning', async () => {
  await server.start();
  await server.post('/users/doctor', {});
  await server.stop();
  const loose = ['facts.sqlite', 'vault.sqlite'].map((name) => join(server.directory, name));
  for (const file of loose) chmodSync(file, 0o644);
  await server.start();
  for (const name of readdirSync(server.directory)) {
    expect(statSync(join(server.directory, name)).mode & 0o077, name).toBe(0);
  }
  const warnings = server.log.filter(({ level, files }) => level === 40 && files !== undefined);
  expect(warnings).toMatchObject([{ files: expect.arrayContaining(loose) }]);
});
