// The lock of a data directory, on the SQLite of this Node.js.

import { rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { DirectoryInUse, lockDirectory } from '../../../src/infrastructure/sqlite/directory-lock.js';
import { temporaryDirectory } from '../../support/directory.js';

const refusalOf = (directory: string): DirectoryInUse => {
  try {
    lockDirectory(directory, 0)();
  } catch (error) {
    if (error instanceof DirectoryInUse) return error;
    throw error;
  }
  throw new Error('nobody owns the directory');
};

it('a directory has one owner at a time, which the refusal names', () => {
  const directory = temporaryDirectory();
  const disown = lockDirectory(directory, 0);
  expect(refusalOf(directory).message).toContain(`process ${process.pid} on ${hostname()}`);
  disown();
  lockDirectory(directory, 0)();
});

it.each([
  ['is missing', (file: string) => rmSync(file)],
  ['is still empty', (file: string) => writeFileSync(file, '')],
])('an owner is respected if the file with its name %s', (_, change) => {
  const directory = temporaryDirectory();
  const disown = lockDirectory(directory, 0);
  change(join(directory, 'owner.txt'));
  expect(refusalOf(directory).message).toContain(directory);
  disown();
});
