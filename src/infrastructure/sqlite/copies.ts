// Copies the files of embedded stores, all as they are at the same moment, and examines copies.
import { chmodSync } from 'node:fs';
import { tablesIn } from './database.js';
import { Database } from './driver.js';
import { integrityFaults } from './integrity.js';

/** How long to wait for the lock of another process, in milliseconds. */
const BUSY_TIMEOUT_MS = 10_000;
// 16 MiB at a time.
const PAGES_AT_ONCE = 4_096;

/**
 * Copies files as they are at the same moment, while other processes write them. Holds the locks of all files together
 * only until each has a snapshot. A copy is one file of mode 0600 without a WAL, and contains no bytes of removed rows.
 */
export const copyTogether = async (copies: readonly Readonly<Record<'from' | 'to', string>>[]): Promise<void> => {
  const timeout = BUSY_TIMEOUT_MS;
  const writers = copies.map(({ from }) => new Database(from, { mustExist: true, timeout }));
  const readers = copies.map(({ from }) => new Database(from, { readOnly: true, timeout }));
  try {
    for (const writer of writers) writer.exec('BEGIN IMMEDIATE');
    for (const reader of readers) {
      reader.exec('BEGIN');
      // The first read takes the snapshot.
      tablesIn(reader);
    }
    for (const writer of writers) writer.exec('ROLLBACK');
    for (const [index, { to }] of copies.entries()) {
      await readers[index]?.backup(to, PAGES_AT_ONCE);
      finish(to);
    }
  } finally {
    for (const db of [...readers, ...writers]) db.close();
  }
};

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
