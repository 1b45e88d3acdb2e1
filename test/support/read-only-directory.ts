// Provides a read-only directory.
import { chmodSync } from 'node:fs';
import { temporaryDirectory } from './directory.js';
import { asNobody } from './root.js';

/** Calls `use`, which must be synchronous, with a read-only directory. */
export const readOnlyDirectory = (use: (directory: string) => void): void => {
  const directory = temporaryDirectory();
  chmodSync(directory, 0o555);
  asNobody(() => use(directory));
};
