// Copies the files of embedded stores, all as they are at the same moment, and examines copies.
import { chmodSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { tablesIn } from './database.js';
import { Database, SqliteError } from './driver.js';
import { integrityFaults } from './integrity.js';

/** How long to wait for the locks of other processes, in milliseconds. The rewrite of a large file takes minutes. */
const LOCKS_WAIT_MS = 10 * 60_000;
// 16 MiB at a time.
const PAGES_AT_ONCE = 4_096;

/**
 * Copies files as they are at the same moment, while other processes write them. Holds the locks of all files together
 * only until each has a snapshot, and holds none while it waits for another. A copy is one file of mode 0600 without a
 * WAL, and contains no bytes of removed rows.
 */
export const copyTogether = async (
  copies: readonly Readonly<Record<'from' | 'to', string>>[],
  waitMs: number = LOCKS_WAIT_MS,
): Promise<void> => {
  const writers = copies.map(({ from }) => new Database(from, { mustExist: true, timeout: 0 }));
  const readers = copies.map(({ from }) => new Database(from, { readOnly: true }));
  try {
    const until = performance.now() + waitMs;
    while (!haveSnapshots(writers, readers, performance.now() < until)) await pause(1);
    for (const [index, { to }] of copies.entries()) {
      await readers[index]?.backup(to, PAGES_AT_ONCE);
      finish(to);
    }
  } finally {
    for (const db of [...readers, ...writers]) db.close();
  }
};

/** Takes the snapshots of all readers, or none: returns false if a file is locked, or throws if it `mayWait` no longer. */
const haveSnapshots = (writers: readonly Database[], readers: readonly Database[], mayWait: boolean): boolean => {
  try {
    locked(writers, () => {
      for (const reader of readers) {
        reader.exec('BEGIN');
        // The first read takes the snapshot.
        tablesIn(reader);
      }
    });
    return true;
  } catch (error) {
    if (mayWait && error instanceof SqliteError && error.code === 'SQLITE_BUSY') return false;
    throw error;
  }
};

const locked = ([first, ...others]: readonly Database[], task: () => void): void =>
  first === undefined ? task() : first.transaction(() => locked(others, task));

/** Throws if SQLite finds a copy damaged. */
export const mustBeWhole = (file: string): void => {
  const [fault] = integrityFaults({ file });
  if (fault !== undefined) throw new Error(`${file} is damaged: ${fault}`);
};

const finish = (file: string): void => {
  const db = new Database(file, { mustExist: true });
  try {
    db.pragma('journal_mode = DELETE');
    db.exec('VACUUM');
  } finally {
    db.close();
  }
  chmodSync(file, 0o600);
};
