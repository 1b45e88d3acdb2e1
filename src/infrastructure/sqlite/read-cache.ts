// Keeps what reads of a SQLite file returned, for as long as nobody changes the file.
import { LRUCache } from 'lru-cache';
import type { Database } from './database.js';

/**
 * Returns how to read `PRAGMA data_version`. On one connection the value differs from its last value if any other connection
 * has committed a change in between, be it of this process or of another (https://www.sqlite.org/pragma.html#pragma_data_version).
 * Commits of the connection itself do not change the value, so that the connection must be one that only reads.
 */
export const dataVersionOf = (db: Database): (() => number | undefined) => {
  const statement = db.prepare<[], number>('PRAGMA data_version').pluck();
  return () => statement.get();
};

/** What a cache looks at, and what it may spend. */
export interface ReadCacheOptions {
  readonly dataVersion: () => number | undefined;
  readonly mostBytes: number;
}

/** A result, and roughly the bytes that the cache spends on it. */
interface Kept {
  readonly result: unknown;
  readonly bytes: number;
}

// What an entry costs beside its texts.
const ENTRY_BYTES = 200;

/**
 * Keeps results by question until the file changes. A result is never older than the call that it is returned to: the file is
 * looked at after the call. It may be newer than the look, if a commit came between the two. Then the next look discards it.
 */
export class ReadCache {
  readonly #dataVersion: () => number | undefined;
  readonly #kept: LRUCache<string, Kept>;
  #keptAt: number | undefined;
  #look: Promise<void> | undefined;

  constructor({ dataVersion, mostBytes }: ReadCacheOptions) {
    this.#dataVersion = dataVersion;
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
  async read<T>(question: string, read: () => T, lengthOf: (result: NonNullable<T>) => number): Promise<T> {
    await this.#lookSoon();
    const kept = this.#kept.get(question);
    if (kept !== undefined) return kept.result as T;
    const result = read();
    // A character takes two bytes at most.
    const bytes = (length: number) => 2 * (length + question.length) + ENTRY_BYTES;
    if (result !== undefined && result !== null) this.#kept.set(question, { result, bytes: bytes(lengthOf(result)) });
    return result;
  }

  // One look serves all calls of a turn of the event loop, and comes after them: a look costs as much as to read a small document.
  #lookSoon(): Promise<void> {
    this.#look ??= new Promise((resolve, reject) => {
      setImmediate(() => {
        this.#look = undefined;
        try {
          this.#discardOld();
          resolve();
        } catch (error) {
          reject(error);
        }
      });
    });
    return this.#look;
  }

  #discardOld(): void {
    const version = this.#dataVersion();
    if (version === this.#keptAt) return;
    if (this.#kept.size > 0) this.#kept.clear();
    this.#keptAt = version;
  }
}
