// A directory that nothing can be written in, for a user whom that stops.
import { chmodSync } from 'node:fs';
import { temporaryDirectory } from './directory.js';

const NOBODY = 65_534;

/** Runs `use`, which must not wait, with a directory that it cannot write in; root, whom no mode stops, as nobody. */
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
