// One SQLite file of an embedded engine: a connection in this thread reads it, and a writer thread changes it.
import { StoreUnavailable } from '../errors.js';
import { closeAsWriter, openForReading, type Synchronous } from './database.js';
import { type Database, SqliteError } from './driver.js';
import { SqliteWriter } from './writer.js';

type ArgumentOf<Operation> = Operation extends (argument: infer Argument) => unknown ? Argument : never;
type ResultOf<Operation> = Operation extends (argument: never) => infer Result ? Result : never;

interface SqliteFile {
  readonly name: string;
  readonly file: string;
  /** Migrates the tables of the file before the file is opened. */
  readonly upgrade: (file: string) => void;
  /** The module that exports `operationsOf` (see writer-thread.ts). */
  readonly operations: URL;
  /** What a commit waits for. Default: `FULL`. */
  readonly synchronous?: Synchronous;
}

export class SqliteStore<Operations extends object> {
  readonly db: Database;
  readonly #name: string;
  readonly #file: string;
  readonly #writer: SqliteWriter;
  #forgetting: Promise<void> | undefined;

  /** Throws if the file cannot be opened or a newer program wrote it. */
  constructor({ name, file, upgrade, operations, synchronous }: SqliteFile) {
    this.#name = name;
    this.#file = file;
    this.db = this.read(() => {
      upgrade(file);
      return openForReading(file);
    });
    this.#writer = new SqliteWriter(name, file, operations, synchronous);
  }

  /** Returns the result of `read`. Throws `StoreUnavailable` for an error of SQLite, and if the store is closed. */
  read<T>(read: () => T): T {
    try {
      return read();
    } catch (error) {
      throw error instanceof SqliteError ? new StoreUnavailable(this.#name, error) : error;
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
   * Makes removed data unreadable in the file and its WAL. Rejects with `StoreUnavailable` if they stay in use, or the
   * store is closed meanwhile. A call while another runs has the result of the running call.
   */
  forget(): Promise<void> {
    this.#forgetting ??= this.#writer.alone('forget').finally(() => {
      this.#forgetting = undefined;
    });
    return this.#forgetting;
  }

  /** Empties the WAL into the file, on stable storage. Rejects with `StoreUnavailable` if the WAL stays in use. */
  flush(): Promise<void> {
    return this.#writer.alone('flush');
  }

  // The writer closes last: the last connection empties the WAL, and only a connection that writes can do so. The writer of
  // another thread may have closed before this reader.
  async close(): Promise<void> {
    this.db.close();
    if (!(await this.#writer.close())) closeAsWriter(this.#file);
  }
}
