// A directory of its own for a test, removed when the test file ends.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';

/** Makes an empty directory; call it while a test file or a suite is collected or runs. */
export const temporaryDirectory = (): string => {
  const directory = mkdtempSync(join(tmpdir(), 'clinical-protocols-'));
  made.push(directory);
  return directory;
};

const made: string[] = [];
afterAll(() => {
  for (const directory of made.splice(0)) rmSync(directory, { recursive: true, force: true });
});
