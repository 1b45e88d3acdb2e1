// Keeps what reads of a SQLite file returned, for as long as nobody changes the file.
import { LRUCache } from 'lru-cache';
import type { Database, Statement } from './database.js';

/** A result, and roughly the bytes that the cache spends on it. */
interface Kept {
  readonly result: unknown;
  readonly bytes: number;
}

/** What a cache may spend. */
export interface ReadCacheOptions {
  readonly mostBytes: number;
}

// What an entry costs beside its texts.
const ENTRY_BYTES = 200;

/**
 * Keeps results by question until the file changes. `PRAGMA data_version` on one connection differs from its last value if
 * any other connection has committed a change in between, be it of this process or of another
 * (https://www.sqlite.org/pragma.html#pragma_data_version). The value does not change with commits of the connection
 * itself, so that the connection must be one that only reads.
 *
 * The value is read before the result: a commit between the two makes a result newer than its version says, which the
 * next read discards. No result is ever older.
 */
export class ReadCache {
  readonly #dataVersion: Statement<[], number>;
  readonly #kept: LRUCache<string, Kept>;
  #keptAt: number | undefined;

  constructor(db: Database, { mostBytes }: ReadCacheOptions) {
    this.#dataVersion = db.prepare<[], number>('PRAGMA data_version').pluck();
    this.#kept = new LRUCache({ maxSize: mostBytes, sizeCalculation: ({ bytes }) => bytes });
  }

  /** How many results are kept. */
  get size(): number {
    return this.#kept.size;
  }

  /**
   * Returns what `read` returns, or returned before to the same question if the file has not changed since. `lengthOf` is
   * the length of the texts in a result. A result that is undefined is not kept.
   */
  read<T>(question: string, read: () => T, lengthOf: (result: NonNullable<T>) => number): T {
    this.#discardOld();
    const kept = this.#kept.get(question);
    if (kept !== undefined) return kept.result as T;
    const result = read();
    // A character takes two bytes at most.
    const bytes = (length: number) => 2 * (length + question.length) + ENTRY_BYTES;
    if (result !== undefined && result !== null) this.#kept.set(question, { result, bytes: bytes(lengthOf(result)) });
    return result;
  }

  #discardOld(): void {
    const version = this.#dataVersion.get();
    if (version === this.#keptAt) return;
    if (this.#kept.size > 0) this.#kept.clear();
    this.#keptAt = version;
  }
}
