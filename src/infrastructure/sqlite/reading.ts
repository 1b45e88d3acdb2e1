// What the reading connections of the embedded engines share.
import Sqlite from 'better-sqlite3';
import { StoreUnavailable } from '../errors.js';

/** What `read` gives; an error of SQLite, or a closed connection, becomes `StoreUnavailable` under the store's name. */
export const readOr = <T>(store: string, read: () => T): T => {
  try {
    return read();
  } catch (error) {
    throw error instanceof Sqlite.SqliteError || isClosed(error) ? new StoreUnavailable(store, error) : error;
  }
};

// The driver has no code for it.
const isClosed = (error: unknown): boolean =>
  error instanceof TypeError && error.message === 'The database connection is not open';
