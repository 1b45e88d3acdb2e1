// The only file that knows the SQLite driver: `node:sqlite` from Node.js 24.20 on, and before, where that module is
// experimental or missing, a package that has the same interface.
import { pathToFileURL } from 'node:url';
import type { DatabaseSyncInstance, StatementSyncInstance } from '@photostructure/sqlite';

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
const isStable = major >= 26 || (major === 24 && minor >= 20);
const builtIn = isStable ? process.getBuiltinModule('node:sqlite') : undefined;
const { backup, DatabaseSync } = (builtIn as Driver | undefined) ?? (await import('@photostructure/sqlite'));

type Driver = typeof import('@photostructure/sqlite');

interface DatabaseOptions {
  /** Rejects every write. The file must exist. Default: false. */
  readonly readOnly?: boolean;
  /** Throws if the file does not exist, instead of creating it. Default: false. */
  readonly mustExist?: boolean;
  /** How long the connection waits for the lock of another connection, in milliseconds. Default: 5,000. */
  readonly timeout?: number;
}

/** The values of a statement: one for each `?`, or one object with a member for each name. No binary data. */
export type Values = readonly unknown[];

export interface Changes {
  readonly changes: number;
  readonly lastInsertRowid: number | bigint;
}

export class SqliteError extends Error {
  /** The name of SQLite's primary result code, such as `SQLITE_BUSY` (https://www.sqlite.org/rescode.html). */
  readonly code: string;

  constructor(message: string, code: string) {
    super(message);
    this.name = 'SqliteError';
    this.code = code;
  }
}

// Keeps the connection of each statement that is in use: the package ends the statements of a collected connection.
const connections = new WeakMap<StatementSyncInstance, DatabaseSyncInstance>();

/** A connection to one SQLite file. Each method throws `SqliteError` if SQLite fails or the connection is closed. */
export class Database {
  readonly #native: DatabaseSyncInstance;
  readonly #begin: Statement;
  readonly #commit: Statement;
  readonly #rollback: Statement;

  constructor(file: string, { readOnly = false, mustExist = false, timeout = 5_000 }: DatabaseOptions = {}) {
    const location = mustExist ? existing(file) : file;
    this.#native = guarded(() => new DatabaseSync(location, { readOnly, timeout, allowUnknownNamedParameters: true }));
    this.#begin = this.prepare('BEGIN IMMEDIATE');
    this.#commit = this.prepare('COMMIT');
    this.#rollback = this.prepare('ROLLBACK');
  }

  prepare<Parameters extends Values = Values, Row = unknown>(sql: string): Statement<Parameters, Row> {
    return new Statement<Parameters, Row>(this.#prepared(sql));
  }

  /** Returns a prepared statement, whose rows are the values of their first column. */
  prepareValue<Parameters extends Values = Values, Item = unknown>(sql: string): Statement<Parameters, Item> {
    const native = this.#prepared(sql);
    native.setReturnArrays(true);
    return new Statement<Parameters, Item>(native, firstOf);
  }

  #prepared(sql: string): StatementSyncInstance {
    const statement = guarded(() => this.#native.prepare(sql));
    connections.set(statement, this.#native);
    return statement;
  }

  /** Runs statements without parameters and ignores their rows. */
  exec(sql: string): void {
    guarded(() => this.#native.exec(sql));
  }

  /** Runs `PRAGMA <pragma>`. Returns the first value of its first row, or undefined if it has no rows. */
  pragma(pragma: string): unknown {
    return this.prepareValue(`PRAGMA ${pragma}`).get();
  }

  /** Returns the result of `work`, after a transaction that locks the file for writing. Rolls back if `work` throws. */
  transaction<T>(work: () => T): T {
    this.#begin.run();
    try {
      const result = work();
      this.#commit.run();
      return result;
    } catch (error) {
      // SQLite itself has rolled back after some errors, such as a full disk.
      if (this.#native.isTransaction) this.#rollback.run();
      throw error;
    }
  }

  /** Copies what this connection sees to a new file, `pages` pages at a time, outside of this thread. */
  async backup(to: string, pages: number): Promise<void> {
    try {
      await backup(this.#native, to, { rate: pages });
    } catch (error) {
      throw translated(error);
    }
  }

  /** Closes the connection if it is open. Its statements can no longer be used. */
  close(): void {
    if (this.#native.isOpen) guarded(() => this.#native.close());
  }
}

/** A prepared statement. Each method throws `SqliteError` if SQLite fails or the connection is closed. */
export class Statement<Parameters extends Values = Values, Row = unknown> {
  readonly #native: StatementSyncInstance;
  readonly #of: ((row: never) => Row) | undefined;

  constructor(native: StatementSyncInstance, of?: (row: never) => Row) {
    this.#native = native;
    this.#of = of;
  }

  get(...values: Parameters): Row | undefined {
    return guarded(() => {
      check(values);
      const row = this.#native.get(...values);
      return row === undefined || this.#of === undefined ? row : this.#of(row as never);
    });
  }

  all(...values: Parameters): Row[] {
    return guarded(() => {
      check(values);
      const rows = this.#native.all(...values);
      return this.#of === undefined ? rows : rows.map(this.#of as (row: unknown) => Row);
    });
  }

  /** Yields the rows one by one. Until it has ended, the statement cannot be used for anything else. */
  *iterate(...values: Parameters): IterableIterator<Row> {
    try {
      check(values);
      for (const row of this.#native.iterate(...values)) yield this.#of === undefined ? row : this.#of(row as never);
    } catch (error) {
      throw translated(error);
    }
  }

  run(...values: Parameters): Changes {
    return guarded(() => {
      check(values);
      return this.#native.run(...values);
    });
  }
}

/** Returns the location of a file that SQLite must not create (https://www.sqlite.org/uri.html). */
const existing = (file: string): URL => {
  const location = pathToFileURL(file);
  location.searchParams.set('mode', 'rw');
  return location;
};

const firstOf = (row: readonly never[]): never => row[0] as never;

/** Throws for values that the driver would store as others: a text with a NUL character, and undefined. */
const check = (values: Values): void => {
  for (let index = 0; index < values.length; index += 1) {
    const value = values[index];
    if (value === undefined) throw new TypeError('a value of a statement is undefined');
    if (typeof value === 'object') checkNamed(value);
    else checkText(value);
  }
};

const checkNamed = (values: object | null): void => {
  for (const value of Object.values(values ?? {})) checkText(value);
};

const checkText = (value: unknown): void => {
  if (typeof value === 'string' && value.includes('\0'))
    throw new TypeError('a text with a NUL character cannot be stored');
};

const guarded = <T>(task: () => T): T => {
  try {
    return task();
  } catch (error) {
    throw translated(error);
  }
};

/** Returns an error of the driver as `SqliteError`, and a misuse of the driver as it is. */
const translated = (error: unknown): unknown => {
  const { message, code, errcode } = error as Error & { readonly code?: string; readonly errcode?: number };
  // The lowest 8 bits of an extended result code are its primary result code.
  if (errcode !== undefined) return new SqliteError(message, `SQLITE_${CODES[errcode % 256]}`);
  if (code === 'ERR_INVALID_STATE') return new SqliteError(message, 'SQLITE_MISUSE');
  // A text on lost pages has an error without a result code. No store holds a number beyond the safe integers.
  const isDamaged = code === 'ERR_SQLITE_ERROR' || code === 'ERR_OUT_OF_RANGE';
  return isDamaged ? new SqliteError(message, 'SQLITE_CORRUPT') : error;
};

// The primary result codes, in the order of their numbers.
const CODES = (
  'OK ERROR INTERNAL PERM ABORT BUSY LOCKED NOMEM READONLY INTERRUPT IOERR CORRUPT NOTFOUND FULL CANTOPEN PROTOCOL ' +
  'EMPTY SCHEMA TOOBIG CONSTRAINT MISMATCH MISUSE NOLFS AUTH FORMAT RANGE NOTADB'
).split(' ');
