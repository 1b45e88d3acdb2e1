// How every SQLite file of the embedded engines is opened.
import { closeSync, openSync } from 'node:fs';
import Database from 'better-sqlite3';

export type { Database, Statement } from 'better-sqlite3';

/** How long a connection waits for the lock of another process before it gives up, in milliseconds. */
const BUSY_TIMEOUT_MS = 5_000;

/** Opens a connection that writes: WAL, every commit on stable storage before it returns (`synchronous=FULL`). */
export const openForWriting = (file: string): Database.Database => {
  const db = new Database(file, { timeout: BUSY_TIMEOUT_MS });
  db.pragma('journal_mode = WAL');
  db.pragma('synchronous = FULL');
  db.pragma('journal_size_limit = 67108864');
  return db;
};

/** Opens a connection that only reads: in WAL mode it neither waits for a writer nor makes one wait. */
export const openForReading = (file: string): Database.Database => {
  const db = new Database(file, { readonly: true, fileMustExist: true, timeout: BUSY_TIMEOUT_MS });
  db.pragma('mmap_size = 268435456');
  return db;
};

// SQLite gives the files that it puts beside this one the same mode. An existing file is not even opened: to close a
// descriptor of it would drop the locks that this process's other connections hold on it.
const makePrivate = (file: string): void => {
  try {
    closeSync(openSync(file, 'wx', 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
};

/**
 * Brings a file to the newest schema: `migrations[n]` leads from `user_version` n to n + 1. Two processes may start
 * at once. A new file is its owner's alone (0600). Throws where the file was written by a newer version of the program.
 */
export const migrate = (file: string, migrations: readonly string[]): void => {
  makePrivate(file);
  const db = openForWriting(file);
  try {
    db.transaction(() => {
      const version = db.pragma('user_version', { simple: true }) as number;
      if (version > migrations.length) {
        throw new Error(
          `${file} has schema version ${version}; this program knows ${migrations.length}: run the newer one`,
        );
      }
      for (const statements of migrations.slice(version)) db.exec(statements);
      db.pragma(`user_version = ${migrations.length}`);
    }).immediate();
  } finally {
    db.close();
  }
};
