// Writes files and directories to stable storage.
import { open, writeFile } from 'node:fs/promises';

export const syncFile = async (path: string): Promise<void> => {
  const opened = await open(path, 'r');
  try {
    await opened.sync();
  } finally {
    await opened.close();
  }
};

/** Flushes the entries of a directory to stable storage. */
export const syncDirectory = syncFile;

/** Writes a new file with mode 0600 to stable storage. Rejects if the file exists. */
export const writeNewFile = (file: string, text: string): Promise<void> =>
  writeFile(file, text, { flag: 'wx', mode: 0o600, flush: true });
