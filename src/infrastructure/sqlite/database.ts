// Opens and migrates the SQLite files of the embedded engines.
import { closeSync, openSync } from 'node:fs';
import Database from 'better-sqlite3';
import { StoreTooNew } from '../errors.js';

export type { Database, Statement } from 'better-sqlite3';

/** How long a connection waits for the lock of another process before it gives up, in milliseconds. */
const BUSY_TIMEOUT_MS = 5_000;

/**
 * What a commit waits for. `FULL`: it is on stable storage. `NORMAL`: nothing. A power failure may then take back the
 * last commits, each as a whole, but never damages the file. A crash of the process takes nothing back.
 */
export type Synchronous = 'FULL' | 'NORMAL';

/** Opens a connection that writes, in WAL mode. */
export const openForWriting = (file: string, synchronous: Synchronous = 'FULL'): Database.Database => {
  const db = new Database(file, { timeout: BUSY_TIMEOUT_MS });
  db.pragma('journal_mode = WAL');
  db.pragma(`synchronous = ${synchronous}`);
  db.pragma('journal_size_limit = 67108864');
  return db;
};

/** Opens a connection that only reads. In WAL mode it neither waits for a writer nor makes a writer wait. */
export const openForReading = (file: string): Database.Database =>
  new Database(file, { readonly: true, fileMustExist: true, timeout: BUSY_TIMEOUT_MS });

// SQLite gives its files beside this one the same mode. An existing file is not even opened: closing its descriptor
// would drop the locks that other connections of this process hold on it.
const makePrivate = (file: string): void => {
  try {
    closeSync(openSync(file, 'wx', 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
};

/**
 * Migrates a file to the newest schema: `migrations[n]` leads from `user_version` n to n + 1. Two processes may start
 * at the same time. Only its owner can read a new file (0600). Throws `StoreTooNew` if a newer version of the program
 * wrote the file.
 */
export const migrate = (file: string, migrations: readonly string[]): void =>
  upgrade(file, migrations.length, (db, version) => {
    for (const statements of migrations.slice(version)) db.exec(statements);
  });

/**
 * Creates the tables of `schema` in a new file. Empties a file of an older version first, so use it only for data that
 * can be rebuilt. Otherwise gives the same guarantees as `migrate`.
 */
export const createOrEmpty = (file: string, schema: { readonly version: number; readonly statements: string }): void =>
  upgrade(file, schema.version, (db) => {
    // The dropped documents must not stay readable in free pages.
    db.pragma('secure_delete = ON');
    for (const table of tablesIn(db)) db.exec(`DROP TABLE "${table}"`);
    db.exec(schema.statements);
  });

const upgrade = (file: string, newest: number, change: (db: Database.Database, version: number) => void): void => {
  makePrivate(file);
  const db = openForWriting(file);
  try {
    db.transaction(() => {
      const version = db.pragma('user_version', { simple: true }) as number;
      if (version > newest) throw new StoreTooNew(file, version, newest);
      if (version === newest) return;
      change(db, version);
      db.pragma(`user_version = ${newest}`);
    }).immediate();
  } finally {
    db.close();
  }
};

/** Returns a function that prepares each statement once. */
export const preparedOnce = (db: Database.Database) => {
  const known = new Map<string, Database.Statement<unknown[], unknown>>();
  return <Row = unknown>(sql: string): Database.Statement<unknown[], Row> => {
    const statement = known.get(sql) ?? db.prepare<unknown[], unknown>(sql);
    known.set(sql, statement);
    return statement as Database.Statement<unknown[], Row>;
  };
};

const tablesIn = (db: Database.Database): readonly string[] =>
  db.prepare<[], string>("SELECT name FROM sqlite_schema WHERE type = 'table'").pluck().all();

/** The names of the operations that every writer thread has. No engine may give its own operation such a name. */
export const FORGET = 'forget';
export const FLUSH = 'flush';

/**
 * Rewrites the file and truncates the WAL. Takes about as long as copying the file, and as much additional space for
 * that time. Throws an error with the code SQLITE_BUSY if other connections use the file for longer than the connection
 * waits. No transaction may be open.
 */
export const forget = (db: Database.Database): void => {
  // `secure_delete` zeroes a removed cell, but not the copies that stayed in the gaps of pages when its neighbours were
  // moved (measured: 1 of 80 values could still be read).
  db.exec('VACUUM');
  const [result] = db.pragma('wal_checkpoint(TRUNCATE)') as { readonly busy: number }[];
  if (result?.busy !== 0) throw Object.assign(new Error('the WAL is in use'), { code: 'SQLITE_BUSY' });
};

/** Puts everything that any process has committed to the file on stable storage. No transaction may be open. */
export const flush = (db: Database.Database): void => {
  const before = db.pragma('synchronous', { simple: true }) as number;
  db.pragma('synchronous = FULL');
  try {
    // The fsync of a commit covers the whole WAL. A commit without a change has none, but setting the version always
    // writes a page, even if the version stays the same.
    db.transaction(() => {
      const version = db.pragma('user_version', { simple: true }) as number;
      db.pragma(`user_version = ${version}`);
    }).immediate();
  } finally {
    db.pragma(`synchronous = ${before}`);
  }
};

/** The operations of every writer thread that must run outside of any transaction, even an empty one. */
export const OUTSIDE_TRANSACTION: Readonly<Record<string, (db: Database.Database) => void>> = {
  [FORGET]: forget,
  [FLUSH]: flush,
};
