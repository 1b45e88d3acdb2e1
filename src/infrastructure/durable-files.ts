// Makes files and directories, which another user's service can use if root makes them, and writes them to stable storage.
import * as fs from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** Flushes the entries of a directory to stable storage. */
export const syncDirectory = (path: string): void => {
  const opened = fs.openSync(path, 'r');
  try {
    fs.fsyncSync(opened);
  } finally {
    fs.closeSync(opened);
  }
};

/** Writes a new file with mode 0600 to stable storage. Rejects if the file exists. */
export const writeNewFile = async (file: string, text: string): Promise<void> => {
  await writeFile(file, text, { flag: 'wx', mode: 0o600, flush: true });
  handOver(file);
};

/**
 * Makes an empty file with mode 0600, but does not even open one that exists. Beside a vault of another user, it gets the
 * owner of the vault, because the directory can be a volume of root. Follows no link.
 */
export const ensureFile = (file: string): void => {
  if (fs.existsSync(file)) return;
  const vault = fs.statSync(join(dirname(file), 'vault.sqlite'), { throwIfNoEntry: false });
  fs.closeSync(fs.openSync(file, fs.constants.O_CREAT | fs.constants.O_NOFOLLOW, 0o600));
  handOver(file, vault?.uid === process.geteuid?.() ? undefined : vault);
};

/** Makes a directory with mode 0700, and those above it that are missing. */
export const ensureDirectory = (directory: string): void => {
  if (fs.statSync(directory, { throwIfNoEntry: false })?.isDirectory()) return;
  ensureDirectory(dirname(directory));
  fs.mkdirSync(directory, { recursive: true, mode: 0o700 });
  handOver(directory);
};

/**
 * Gives what this process has made the owner and the mode of the file that it will replace. Without `replaced`, gives what
 * root has made to the owner of its directory. Removes it and throws if this user may not. Follows no link.
 */
export const handOver = (made: string, replaced?: fs.Stats): void => {
  const { uid, gid } = replaced ?? fs.statSync(dirname(made));
  const descriptor = fs.openSync(made, fs.constants.O_NOFOLLOW);
  try {
    if (replaced === undefined && (process.geteuid?.() !== 0 || uid === 0)) return;
    fs.fchownSync(descriptor, uid, gid);
    if (replaced !== undefined) fs.fchmodSync(descriptor, replaced.mode);
  } catch (cause) {
    fs.rmSync(made, { recursive: true });
    throw new Error(`${made} must belong to user ${uid} and group ${gid}: use that user, or root`, { cause });
  } finally {
    fs.closeSync(descriptor);
  }
};
