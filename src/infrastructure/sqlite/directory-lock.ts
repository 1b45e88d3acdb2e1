// The lock of the one service process that owns a data directory: an open transaction on a SQLite file. The operating
// system ends it with the process, however the process ends, so no lock outlives its owner.
import { readFileSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { ensureFile } from '../durable-files.js';
import { Database, SqliteError } from './driver.js';

const LOCK_FILE = 'owner.lock';
/** The file that names the owner, written after the lock was taken. It says nothing while nobody holds the lock. */
const OWNER_FILE = 'owner.txt';

export class DirectoryInUse extends Error {
  constructor(directory: string, owner: string | undefined) {
    super(`another service uses ${directory}${owner === undefined ? '' : `: ${owner}`}`);
    this.name = 'DirectoryInUse';
  }
}

/**
 * Makes this process the owner of a data directory, and returns a function that ends that. Blocks the thread for up to
 * `waitMs` while another process is the owner. Then throws `DirectoryInUse`, which names the owner if the owner
 * has written its name.
 */
export const lockDirectory = (directory: string, waitMs: number): (() => void) => {
  for (const file of [LOCK_FILE, OWNER_FILE]) ensureFile(join(directory, file));
  const db = new Database(join(directory, LOCK_FILE), { timeout: waitMs });
  try {
    db.exec('BEGIN EXCLUSIVE');
    writeFileSync(
      join(directory, OWNER_FILE),
      `process ${process.pid} on ${hostname()} since ${new Date().toISOString()}\n`,
    );
  } catch (error) {
    db.close();
    const isInUse = error instanceof SqliteError && error.code === 'SQLITE_BUSY';
    throw isInUse ? new DirectoryInUse(directory, ownerOf(directory)) : error;
  }
  return () => db.close();
};

const ownerOf = (directory: string): string | undefined =>
  readFileSync(join(directory, OWNER_FILE), 'utf8').trim() || undefined;
