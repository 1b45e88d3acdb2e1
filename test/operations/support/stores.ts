// Changes stores for the tests of the checks: sets the time in the vault back or forth, and damages the log.

import { join } from 'node:path';
import { Database } from '../../../src/infrastructure/sqlite/driver.js';
import type { MemoryFacts } from '../../support/memory-facts.js';

/** Sets the time of the newest checkpoint in a vault that no process has open. */
export const signedAt = async (directory: string, at: number): Promise<void> => {
  const db = new Database(join(directory, 'vault.sqlite'));
  const { changes } = db
    .prepare("UPDATE records SET value = json_set(value, '$.signed.at', ?) WHERE kind = 'log-state'")
    .run(new Date(at).toISOString());
  db.pragma('wal_checkpoint(TRUNCATE)');
  db.close();
  if (changes !== 1) throw new Error('the vault has no checkpoint');
};

/** Runs a statement directly on the log in a directory. */
export const damage = (directory: string, statement: string): void => {
  const db = new Database(join(directory, 'facts.sqlite'));
  db.exec(statement);
  db.close();
};

/** An event with altered sealed fields, and its original payload. */
export interface Damage {
  readonly id: string;
  readonly data: string;
}

const changing = <T>(directory: string, change: (db: Database) => T): T => {
  const db = new Database(join(directory, 'facts.sqlite'));
  try {
    return change(db);
  } finally {
    db.close();
  }
};

const withOtherCharacter = (sealed: string): string =>
  `${sealed.slice(0, 40)}${sealed[40] === 'A' ? 'B' : 'A'}${sealed.slice(41)}`;

/** Alters the sealed fields of an event in memory. By default, changes one character and keeps valid base64url. */
export const alterSealedIn = (
  { facts }: { readonly facts: MemoryFacts },
  stream: string,
  revision: number,
  alter = withOtherCharacter,
): void =>
  facts.alter((log) =>
    log.map((event) => {
      if (event.stream !== stream || event.revision !== revision) return event;
      const data = event.data as { readonly sealed: string };
      return { ...event, data: { ...data, sealed: alter(data.sealed) } };
    }),
  );

/** Alters the sealed fields of an event in the file of the log, by default like `alterSealedIn`. */
export const alterSealed = (directory: string, stream: string, revision: number, alter = withOtherCharacter): Damage =>
  changing(directory, (db) => {
    const row = db
      .prepare<[string, number], Damage>('SELECT id, data FROM events WHERE stream = ? AND revision = ?')
      .get(stream, revision);
    const sealed = /"sealed":"([\w-]+)"/.exec(row?.data ?? '')?.[1];
    if (row === undefined || sealed === undefined) throw new Error(`${stream} has nothing sealed at ${revision}`);
    db.prepare('UPDATE events SET data = ? WHERE id = ?').run(row.data.replace(sealed, alter(sealed)), row.id);
    return row;
  });

/** Restores the original payload of an event. */
export const restoreSealed = (directory: string, { id, data }: Damage): void =>
  changing(directory, (db) => void db.prepare('UPDATE events SET data = ? WHERE id = ?').run(data, id));

/** Returns the stored rows of a stream. */
export const eventsOf = (directory: string, stream: string): readonly unknown[] =>
  changing(directory, (db) => db.prepare('SELECT * FROM events WHERE stream = ? ORDER BY revision').all(stream));
