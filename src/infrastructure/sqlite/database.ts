// Opens and migrates the SQLite files of the embedded engines.
import { ensureFile } from '../durable-files.js';
import { UnknownFormat } from '../errors.js';
import { Database, SqliteError, type Statement, type Values } from './driver.js';

/**
 * What a commit waits for. `FULL`: it is on stable storage. `NORMAL`: nothing. A power failure may then take back the
 * last commits, each as a whole, but never damages the file. A crash of the process takes nothing back.
 */
export type Synchronous = 'FULL' | 'NORMAL';

export const openForWriting = (file: string, synchronous: Synchronous = 'FULL', mustExist = false): Database => {
  const db = new Database(file, { mustExist });
  db.pragma('journal_mode = WAL');
  db.pragma(`synchronous = ${synchronous}`);
  db.pragma('journal_size_limit = 67108864');
  return db;
};

/** Empties the WAL into the file if no other connection has the file open. */
export const closeAsWriter = (file: string): void => {
  try {
    openForWriting(file, 'FULL', true).close();
  } catch (error) {
    // What stays in the WAL is not lost: the next connection reads it.
    if (!(error instanceof SqliteError)) throw error;
  }
};

/** Opens a connection that only reads. In WAL mode it neither waits for a writer nor makes a writer wait. */
export const openForReading = (file: string): Database => new Database(file, { readOnly: true });

/**
 * Migrates a file to the newest schema: `migrations[n]` leads from `user_version` n to n + 1. Two processes may start
 * at the same time. Only its owner can read a new file (0600). Throws `UnknownFormat` if a newer version of the program
 * wrote the file.
 */
export const migrate = (file: string, migrations: readonly string[]): void =>
  upgrade(file, migrations.length, (db, version) => {
    if (version > migrations.length) throw new UnknownFormat(file, version, migrations.length);
    for (const statements of migrations.slice(version)) db.exec(statements);
  });

/** Creates the tables. Empties a file of another version first, so use it only for data that can be rebuilt. */
export const createOrEmpty = (
  file: string,
  schema: { readonly version: number; readonly statements: string },
): void => {
  upgrade(file, schema.version, (db) => {
    // The dropped documents must not stay readable in free pages.
    db.pragma('secure_delete = ON');
    for (const table of tablesIn(db)) db.exec(`DROP TABLE "${table}"`);
    db.exec(schema.statements);
  });
};

const upgrade = (file: string, newest: number, change: (db: Database, version: number) => void): void => {
  // SQLite gives its files beside this one the same mode and owner. An existing file must not be opened: closing its
  // descriptor would drop the locks that other connections of this process hold on it.
  ensureFile(file);
  const db = openForWriting(file);
  try {
    db.transaction(() => {
      const version = db.pragma('user_version') as number;
      if (version === newest) return;
      change(db, version);
      db.pragma(`user_version = ${newest}`);
    });
  } finally {
    db.close();
  }
};

export const preparedOnce = (db: Database) => {
  const known = new Map<string, Statement>();
  return <Row = unknown>(sql: string): Statement<Values, Row> => {
    const statement = known.get(sql) ?? db.prepare<Values>(sql);
    known.set(sql, statement);
    return statement as Statement<Values, Row>;
  };
};

export const tablesIn = (db: Database): readonly string[] =>
  db.prepareValue<[], string>("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name").all();

/**
 * Rewrites the file and empties the WAL. Takes about as long as copying the file, and as much additional space for that
 * time. Throws as `flush` does. No transaction may be open.
 */
export const forget = (db: Database): void => {
  // `secure_delete` zeroes a removed cell, but not the copies that stayed in the gaps of pages when its neighbours were
  // moved (measured: 1 of 80 values could still be read).
  db.exec('VACUUM');
  flush(db);
};

/**
 * Moves everything that any process has committed into the file, on stable storage, and empties the WAL. Throws an
 * error with the code SQLITE_BUSY if other connections use the WAL for longer than the connection waits. No transaction
 * may be open.
 */
export const flush = (db: Database): void => {
  // A checkpoint syncs the WAL before and the file after it, also with `synchronous = NORMAL`.
  const busy = db.pragma('wal_checkpoint(TRUNCATE)');
  if (busy !== 0) throw new SqliteError('the WAL is in use', 'SQLITE_BUSY');
};
