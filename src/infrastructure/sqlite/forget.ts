// Makes what was overwritten or removed unreadable in the files of a database.
import type { Database } from './database.js';

/** The name of the operation of the writer thread; no engine's own operation is called so. */
export const FORGET = 'forget';

/**
 * Writes the file anew and cuts the WAL to nothing. Takes about as long as to copy the file, and as much space again
 * meanwhile. Throws an error with the code SQLITE_BUSY where others use it for longer than the connection waits. No
 * transaction may be open.
 */
export const forget = (db: Database): void => {
  // `secure_delete` zeroes a cell that is removed, but not the copies that stayed in the gaps of pages when its
  // neighbours were moved (measured: 1 of 80 values could still be read).
  db.exec('VACUUM');
  const [result] = db.pragma('wal_checkpoint(TRUNCATE)') as { readonly busy: number }[];
  if (result?.busy !== 0) throw Object.assign(new Error('the WAL is in use'), { code: 'SQLITE_BUSY' });
};
