// Files and directories that are on stable storage when the call returns.
import { open, writeFile } from 'node:fs/promises';

/** Makes the entries of a directory durable. */
export const syncDirectory = (directory: string): Promise<void> => sync(directory);

/** Makes the content of a file durable. */
export const syncFile = (file: string): Promise<void> => sync(file);

/** Writes a new file of mode 0600. Rejects if there is a file of this name. */
export const writeNewFile = (file: string, text: string): Promise<void> =>
  writeFile(file, text, { flag: 'wx', mode: 0o600, flush: true });

/** Returns undefined for a file that does not exist. Throws every other error. */
export const unlessMissing = (error: NodeJS.ErrnoException): undefined => {
  if (error.code !== 'ENOENT') throw error;
};

const sync = async (path: string): Promise<void> => {
  const opened = await open(path, 'r');
  try {
    await opened.sync();
  } finally {
    await opened.close();
  }
};
