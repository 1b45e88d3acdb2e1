// Reads the events of a server directly from its SQLite log.
import { join } from 'node:path';
import type { EventMetadata } from '../../src/infrastructure/facts/facts.js';
import { Database } from '../../src/infrastructure/sqlite/driver.js';

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
    const head = db.prepareValue<[], number | null>('SELECT max(position) FROM events').get();
    return head === null || head === undefined ? undefined : String(head).padStart(16, '0');
  });

const reading = <T>(directory: string, read: (db: Database) => T): T => {
  const db = new Database(join(directory, 'facts.sqlite'), { readOnly: true });
  try {
    return read(db);
  } finally {
    db.close();
  }
};
