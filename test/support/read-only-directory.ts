// Provides a read-only directory.
import { chmodSync } from 'node:fs';
import { temporaryDirectory } from './directory.js';

const NOBODY = 65_534;

/**
 * Calls `use`, which must be synchronous, with a read-only directory. Root runs as `nobody`, because no mode stops
 * root.
 */
export const readOnlyDirectory = (use: (directory: string) => void): void => {
  const directory = temporaryDirectory();
  chmodSync(directory, 0o555);
  const root = process.geteuid?.() === 0;
  if (root) process.seteuid?.(NOBODY);
  try {
    use(directory);
  } finally {
    if (root) process.seteuid?.(0);
  }
};
