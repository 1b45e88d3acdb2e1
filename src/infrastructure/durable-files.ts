// Makes files and directories, and writes them to stable storage. What root makes belongs to the owner of the directory
// that it is in, so that a service which another user runs can use it.
import * as fs from 'node:fs';
import { dirname } from 'node:path';
import { codeOf } from './errors.js';

type Owner = Pick<fs.Stats, 'uid' | 'gid'>;

export const syncFile = (path: string): void => onOpened(fs.openSync(path, 'r'), fs.fsyncSync);

/** Flushes the entries of a directory to stable storage. */
export const syncDirectory = syncFile;

/**
 * Opens a new file of mode 0600 for writing. With `old`, it gets the owner and the mode of the file that it will replace.
 * Throws, and leaves no file behind, if the file exists or this user may not give it to the owner.
 */
export const openNewFile = (file: string, old?: fs.Stats): number => {
  const descriptor = fs.openSync(file, 'wx', 0o600);
  try {
    give(descriptor, old ?? ownerIn(dirname(file)));
    if (old !== undefined) fs.fchmodSync(descriptor, old.mode);
    return descriptor;
  } catch (error) {
    fs.closeSync(descriptor);
    fs.rmSync(file);
    throw error;
  }
};

/** Writes a new file to stable storage, as `openNewFile` makes it. */
export const writeNewFile = (file: string, text: string, old?: fs.Stats): void =>
  onOpened(openNewFile(file, old), (descriptor) => fs.writeFileSync(descriptor, text, { flush: true }));

/** Makes an empty file. Does not even open a file that exists. */
export const ensureFile = (file: string): void => {
  try {
    fs.closeSync(openNewFile(file));
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
  }
};

/** Makes a directory of mode 0700, and those above it that are missing. */
export const ensureDirectory = (directory: string): void => {
  if (fs.statSync(directory, { throwIfNoEntry: false })?.isDirectory()) return;
  ensureDirectory(dirname(directory));
  fs.mkdirSync(directory, { recursive: true, mode: 0o700 });
  try {
    handOver(directory, dirname(directory));
  } catch (error) {
    fs.rmdirSync(directory);
    throw error;
  }
};

/** Gives a file or directory that root has made to the owner of a directory. Follows no link. */
export const handOver = (path: string, directory: string): void =>
  onOpened(fs.openSync(path, fs.constants.O_NOFOLLOW), (descriptor) => give(descriptor, ownerIn(directory)));

/** Returns to whom root gives what it makes in a directory; undefined if it is root's, or this user is not root. */
const ownerIn = (directory: string): Owner | undefined => {
  const owner = fs.statSync(directory);
  return process.geteuid?.() === 0 && owner.uid !== 0 ? owner : undefined;
};

const give = (descriptor: number, owner: Owner | undefined): void => {
  const { uid, gid } = fs.fstatSync(descriptor);
  if (owner === undefined || (owner.uid === uid && owner.gid === gid)) return;
  try {
    fs.fchownSync(descriptor, owner.uid, owner.gid);
  } catch (cause) {
    const fault = `this user may not make a file of user ${owner.uid} and group ${owner.gid}: use that user`;
    throw new Error(fault, { cause });
  }
};

const onOpened = (descriptor: number, task: (descriptor: number) => void): void => {
  try {
    task(descriptor);
  } finally {
    fs.closeSync(descriptor);
  }
};
