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

/** An event whose sealed fields were altered, with its payload before that. */
export interface Damage {
  readonly id: string;
  readonly data: string;
}

const changing = <T>(directory: string, change: (db: Sqlite.Database) => T): T => {
  const db = new Sqlite(join(directory, 'facts.sqlite'));
  try {
    return change(db);
  } finally {
    db.close();
  }
};

/** Alters one byte of what is sealed in an event, by default so that it stays base64url. */
export const alterSealed = (
  directory: string,
  stream: string,
  revision: number,
  alter: (sealed: string) => string = (sealed) =>
    `${sealed.slice(0, 40)}${sealed[40] === 'A' ? 'B' : 'A'}${sealed.slice(41)}`,
): Damage =>
  changing(directory, (db) => {
    const row = db
      .prepare<[string, number], Damage>('SELECT id, data FROM events WHERE stream = ? AND revision = ?')
      .get(stream, revision);
    const sealed = /"sealed":"([\w-]+)"/.exec(row?.data ?? '')?.[1];
    if (row === undefined || sealed === undefined) throw new Error(`${stream} has nothing sealed at ${revision}`);
    db.prepare('UPDATE events SET data = ? WHERE id = ?').run(row.data.replace(sealed, alter(sealed)), row.id);
    return row;
  });

/** Puts the payload of an event back as it was. */
export const restoreSealed = (directory: string, { id, data }: Damage): void =>
  changing(directory, (db) => void db.prepare('UPDATE events SET data = ? WHERE id = ?').run(data, id));

/** Returns the rows of a stream, as they are stored. */
export const eventsOf = (directory: string, stream: string): readonly unknown[] =>
  changing(directory, (db) => db.prepare('SELECT * FROM events WHERE stream = ? ORDER BY revision').all(stream));
