// Runs before every test file (setupFiles in vitest.config.ts), even if files share their modules.
import { isMainThread } from 'node:worker_threads';
import { afterAll } from 'vitest';
import { directoriesOfFile } from './directory.js';

afterAll(() => directoriesOfFile.remove());

// A process that opens stores makes its later files private. The other files of this process must not inherit that.
const umask = process.umask();
afterAll(() => {
  if (isMainThread) process.umask(umask);
});
