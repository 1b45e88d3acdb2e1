// One SQLite file of an embedded engine: a connection of this thread reads it, and a writer thread changes it.
import Sqlite from 'better-sqlite3';
import { StoreUnavailable } from '../errors.js';
import { type Database, openForReading, type Synchronous } from './database.js';
import { SqliteWriter } from './writer.js';

type ArgumentOf<Operation> = Operation extends (argument: infer Argument) => unknown ? Argument : never;
type ResultOf<Operation> = Operation extends (argument: never) => infer Result ? Result : never;

/** What a store is made of. */
export interface SqliteFile {
  /** The name of the store in errors. */
  readonly name: string;
  readonly file: string;
  /** Brings the tables of the file up to date before the file is opened. */
  readonly upgrade: (file: string) => void;
  /** The module that exports `operationsOf` (see writer-thread.ts). */
  readonly operations: URL;
  /** What a commit waits for; `FULL` if absent. */
  readonly synchronous?: Synchronous;
}

/** A SQLite file, with the operations that its writer thread runs. */
export class SqliteStore<Operations extends object> {
  /** The connection that reads. */
  readonly db: Database;
  readonly #name: string;
  readonly #writer: SqliteWriter;

  /** Throws if the file cannot be opened or a newer program wrote it. */
  constructor({ name, file, upgrade, operations, synchronous }: SqliteFile) {
    this.#name = name;
    this.db = this.read(() => {
      upgrade(file);
      return openForReading(file);
    });
    this.#writer = new SqliteWriter(name, file, operations, synchronous);
  }

  /** Returns what `read` returns. Throws `StoreUnavailable` for an error of SQLite and if the store is closed. */
  read<T>(read: () => T): T {
    try {
      return read();
    } catch (error) {
      throw error instanceof Sqlite.SqliteError || isClosed(error) ? new StoreUnavailable(this.#name, error) : error;
    }
  }

  /** Runs an operation in the writer thread. Resolves with its result after the commit. */
  run<Name extends keyof Operations & string>(
    name: Name,
    argument: ArgumentOf<Operations[Name]>,
  ): Promise<ResultOf<Operations[Name]>> {
    return this.#writer.run(name, argument);
  }

  /**
   * Makes what was overwritten or removed unreadable in the file and its WAL. Rejects with `StoreUnavailable` if others
   * use them for too long.
   */
  forget(): Promise<void> {
    return this.#writer.forget();
  }

  /** Puts everything that was committed to the file, by any process, on stable storage. */
  flush(): Promise<void> {
    return this.#writer.flush();
  }

  // The writer closes last: the last connection empties the WAL into the file, and only one that writes can.
  async close(): Promise<void> {
    this.db.close();
    await this.#writer.close();
  }
}

// The driver has no code for it.
const isClosed = (error: unknown): boolean =>
  error instanceof TypeError && error.message === 'The database connection is not open';
