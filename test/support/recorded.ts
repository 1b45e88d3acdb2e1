// Reads the events of a server directly from its SQLite log.
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import type { EventMetadata } from '../../src/infrastructure/facts/facts.js';

/** An event as the log holds it. */
export interface Recorded {
  readonly position: number;
  readonly stream: string;
  readonly revision: number;
  readonly id: string;
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly metadata: EventMetadata;
}

interface Row extends Omit<Recorded, 'data' | 'metadata'> {
  readonly data: string;
  readonly metadata: string;
}

/** Returns the events in the log under `directory` in order, or only those of one stream. */
export const recordedIn = (directory: string, stream?: string): readonly Recorded[] =>
  reading(directory, (db) =>
    db
      .prepare<[string | null], Row>('SELECT * FROM events WHERE stream = coalesce(?, stream) ORDER BY position')
      .all(stream ?? null)
      .map((row) => ({ ...row, data: JSON.parse(row.data), metadata: JSON.parse(row.metadata) })),
  );

/**
 * Returns the last position of the log under `directory`, or undefined if the log is empty. Two equal positions mean
 * that nothing was recorded in between.
 */
export const headOf = (directory: string): string | undefined =>
  reading(directory, (db) => {
    const head = db.prepare<[], number | null>('SELECT max(position) FROM events').pluck().get();
    return head === null || head === undefined ? undefined : String(head).padStart(16, '0');
  });

const reading = <T>(directory: string, read: (db: Sqlite.Database) => T): T => {
  const db = new Sqlite(join(directory, 'facts.sqlite'), { readonly: true, fileMustExist: true });
  try {
    return read(db);
  } finally {
    db.close();
  }
};
