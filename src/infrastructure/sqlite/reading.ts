// What the reading connections of the embedded engines share.
import Sqlite from 'better-sqlite3';
import { StoreUnavailable } from '../errors.js';

/** What `read` gives; an error of SQLite becomes `StoreUnavailable` under the store's name. */
export const readOr = <T>(store: string, read: () => T): T => {
  try {
    return read();
  } catch (error) {
    throw error instanceof Sqlite.SqliteError ? new StoreUnavailable(store, error) : error;
  }
};
