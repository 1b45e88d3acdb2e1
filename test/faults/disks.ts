// Provides disks that a test can fill and free while a server runs, without root privileges.
import { spawnSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryDirectory } from '../support/directory.js';
import { Server } from '../support/server.js';

/** A disk for the data of a server. */
export interface Disk {
  readonly what: string;
  /** The reason why the disk is unavailable here; undefined if it is available. */
  readonly missing: () => string | undefined;
  readonly newServer: () => Server;
  /** Makes every later write to the disk fail. */
  readonly fill: (server: Server) => void;
  readonly free: (server: Server) => void;
}

const succeeds = (command: string, ...given: string[]): boolean => spawnSync(command, given).status === 0;

// Node.js ignores SIGXFSZ, so a write beyond the limit fails with EFBIG, just as a write to a full disk fails with
// ENOSPC.
const limitFiles = ({ pid }: { readonly pid: number }, bytes: number | 'unlimited'): void => {
  const { status, stderr } = spawnSync('prlimit', ['--pid', String(pid), `--fsize=${bytes}:unlimited`]);
  if (status !== 0) throw new Error(`prlimit cannot set the limit: ${stderr}`);
};

const limited: Disk = {
  what: 'whose files have reached their size limit',
  missing: () =>
    succeeds('prlimit', '--pid', String(process.pid), '--fsize')
      ? undefined
      : 'prlimit, which limits the size of files, is not installed',
  newServer: () => new Server(temporaryDirectory()),
  fill: (server) => limitFiles(server, 1),
  free: (server) => limitFiles(server, 'unlimited'),
};

// The file system is in the server's own mount namespace and disappears with the server. /proc gives access to it.
const MOUNT = 'mount -t tmpfs -o size=8m none "$DATA_DIR"';
const inNamespace = ['unshare', '--user', '--map-root-user', '--mount', 'sh', '-c'];
const fillerOf = ({ pid, directory }: Server) => join(`/proc/${pid}/root`, directory, 'filler');

const small: Disk = {
  what: 'on a full file system',
  missing: () => {
    const [command = '', ...given] = [...inNamespace, MOUNT];
    const tried = spawnSync(command, given, { env: { ...process.env, DATA_DIR: temporaryDirectory() } });
    return tried.status === 0 ? undefined : 'this user may not mount a file system in a mount namespace';
  },
  newServer: () => new Server(temporaryDirectory(), {}, [...inNamespace, `${MOUNT} && exec "$0" "$@"`]),
  fill: (server) => {
    for (let bytes = 8 * 1024 * 1024; bytes >= 1; bytes = Math.floor(bytes / 2)) appendTo(fillerOf(server), bytes);
  },
  free: (server) => rmSync(fillerOf(server)),
};

const appendTo = (file: string, bytes: number): void => {
  try {
    writeFileSync(file, Buffer.alloc(bytes), { flag: 'a' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
  }
};

export const disks: readonly Disk[] = [limited, small];
