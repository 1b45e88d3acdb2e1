// What the tests of the checks do to stores: to the vault as if time had passed, to a log as if its disk had lost something.

import { join } from 'node:path';
import Sqlite from 'better-sqlite3';

/** Makes the vault in a directory, which nobody has open, believe that it looked at the facts at another time. */
export const lookedAt = async (directory: string, at: number): Promise<void> => {
  const db = new Sqlite(join(directory, 'vault.sqlite'));
  const { changes } = db
    .prepare("UPDATE records SET value = json_set(value, '$.at', ?) WHERE kind = 'watermark'")
    .run(new Date(at).toISOString());
  db.pragma('wal_checkpoint(TRUNCATE)');
  db.close();
  if (changes !== 1) throw new Error('the vault has no watermark');
};

/** Runs a statement on the log in a directory, behind the back of the engine. */
export const damage = (directory: string, statement: string): void => {
  const db = new Sqlite(join(directory, 'facts.sqlite'));
  db.exec(statement);
  db.close();
};
