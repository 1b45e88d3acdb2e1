// Disks that can be filled and freed under a running server, without the rights of an administrator.
import { spawnSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryDirectory } from '../support/directory.js';
import { Server } from '../support/server.js';

/** A place for the data of a server. */
export interface Disk {
  readonly what: string;
  /** The reason why the disk is unavailable here; undefined if it is available. */
  readonly missing: () => string | undefined;
  readonly newServer: () => Server;
  /** From now on nothing more can be stored. */
  readonly fill: (server: Server) => void;
  readonly free: (server: Server) => void;
}

const succeeds = (command: string, ...given: string[]): boolean => spawnSync(command, given).status === 0;

// Node ignores SIGXFSZ, so a write beyond the limit fails with EFBIG, as one to a full disk does with ENOSPC.
const limitFiles = ({ pid }: { readonly pid: number }, bytes: number | 'unlimited'): void => {
  const { status, stderr } = spawnSync('prlimit', ['--pid', String(pid), `--fsize=${bytes}:unlimited`]);
  if (status !== 0) throw new Error(`the limit could not be set: ${stderr}`);
};

const limited: Disk = {
  what: 'beyond the size that its files may have',
  missing: () =>
    succeeds('prlimit', '--pid', String(process.pid), '--fsize')
      ? undefined
      : 'there is no prlimit, which limits the size of files',
  newServer: () => new Server(temporaryDirectory()),
  fill: (server) => limitFiles(server, 1),
  free: (server) => limitFiles(server, 'unlimited'),
};

// The file system is in a mount namespace of the server's own and goes with it; /proc leads into it.
const MOUNT = 'mount -t tmpfs -o size=8m none "$DATA_DIR"';
const inNamespace = ['unshare', '--user', '--map-root-user', '--mount', 'sh', '-c'];
const fillerOf = ({ pid, directory }: Server) => join(`/proc/${pid}/root`, directory, 'filler');

const small: Disk = {
  what: 'on a file system that is full',
  missing: () => {
    const [command = '', ...given] = [...inNamespace, MOUNT];
    const tried = spawnSync(command, given, { env: { ...process.env, DATA_DIR: temporaryDirectory() } });
    return tried.status === 0 ? undefined : 'this user may not mount a file system in a namespace of its own';
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
