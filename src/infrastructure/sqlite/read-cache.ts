// Keeps the results of reads of a SQLite file until the file changes.
import { LRUCache } from 'lru-cache';
import type { Database } from './driver.js';

/**
 * Returns a function that reads `PRAGMA data_version`. On one connection the value changes if any other connection, of
 * this process or of another, has committed a change (https://www.sqlite.org/pragma.html#pragma_data_version). Commits
 * of the connection itself do not change the value, so the connection must be one that only reads.
 */
export const dataVersionOf = (db: Database): (() => number | undefined) => {
  const statement = db.prepareValue<[], number>('PRAGMA data_version');
  return () => statement.get();
};

/** The options of a cache. */
export interface ReadCacheOptions {
  readonly dataVersion: () => number | undefined;
  readonly maxBytes: number;
}

/** A result, and the approximate number of bytes that the cache spends on it. */
interface Cached {
  readonly result: unknown;
  readonly bytes: number;
}

// The bytes that an entry takes in addition to its texts.
const ENTRY_BYTES = 200;

/**
 * Keeps results by question until the file changes. A result is never older than the call that receives it: the cache
 * checks the file after the call. The result may be newer than the check, if a commit came between the two. Then the
 * next check discards it.
 */
export class ReadCache {
  readonly #dataVersion: () => number | undefined;
  readonly #cached: LRUCache<string, Cached>;
  #cachedAt: number | undefined;
  #check: Promise<void> | undefined;

  constructor({ dataVersion, maxBytes }: ReadCacheOptions) {
    this.#dataVersion = dataVersion;
    this.#cached = new LRUCache({ maxSize: maxBytes, sizeCalculation: ({ bytes }) => bytes });
  }

  /** The number of cached results. */
  get size(): number {
    return this.#cached.size;
  }

  /**
   * Returns the result of `read`, or the cached result of the same question if the file has not changed since.
   * `lengthOf` returns the length of the texts in a result. An undefined result is not cached.
   */
  async read<T>(key: string, read: () => T, lengthOf: (result: NonNullable<T>) => number): Promise<T> {
    await this.#checkSoon();
    const cached = this.#cached.get(key);
    if (cached !== undefined) return cached.result as T;
    const result = read();
    // A character takes two bytes at most.
    const bytes = (length: number) => 2 * (length + key.length) + ENTRY_BYTES;
    if (result !== undefined && result !== null) this.#cached.set(key, { result, bytes: bytes(lengthOf(result)) });
    return result;
  }

  // One check serves all calls in a turn of the event loop, and comes after them: it takes as long as reading a small
  // document.
  #checkSoon(): Promise<void> {
    this.#check ??= new Promise((resolve, reject) => {
      setImmediate(() => {
        this.#check = undefined;
        try {
          this.#discardOld();
          resolve();
        } catch (error) {
          reject(error);
        }
      });
    });
    return this.#check;
  }

  #discardOld(): void {
    const version = this.#dataVersion();
    if (version === this.#cachedAt) return;
    if (this.#cached.size > 0) this.#cached.clear();
    this.#cachedAt = version;
  }
}
