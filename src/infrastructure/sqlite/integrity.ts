// Examines a SQLite file. Reads all of it and blocks the thread meanwhile, so only the operator's tool does it.
import { basename } from 'node:path';
import { messageOf } from '../errors.js';
import { openForReading } from './database.js';
import type { Database } from './driver.js';

interface ExaminedFile {
  readonly file: string;
  /** The aggregates whose streams the file may have; undefined if the file does not hold the facts. */
  readonly aggregates?: readonly string[];
}

/** Returns the faults of a file. Changes nothing. */
export const integrityFaults = ({ file, aggregates }: ExaminedFile): readonly string[] => {
  const examined = (): readonly string[] => {
    const db = openForReading(file);
    try {
      return [...found(() => pages(db)), ...(aggregates === undefined ? [] : found(() => foreign(db, aggregates)))];
    } finally {
      db.close();
    }
  };
  return found(examined).map((fault) => `${basename(file)}: ${fault}`);
};

const MAX_FAULTS = 20;

/** Returns the findings of a step; the error of SQLite if the step fails. */
const found = (step: () => readonly string[]): readonly string[] => {
  try {
    return step();
  } catch (error) {
    return [messageOf(error)];
  }
};

const pages = (db: Database): readonly string[] => {
  const rows = db.prepareValue<[], string>(`PRAGMA integrity_check(${MAX_FAULTS})`).all();
  // SQLite puts several faults of a page into one row, one on each line.
  return rows.flatMap((row) => row.split('\n')).filter((fault) => fault !== 'ok');
};

interface Row {
  readonly position: unknown;
  readonly stream: unknown;
  readonly revision: unknown;
  readonly id: unknown;
  readonly isLower: number;
}

/** Returns the events that the service cannot have written. It never reads events of unknown aggregates. */
const foreign = (db: Database, aggregates: readonly string[]): readonly string[] =>
  db
    .prepare<[string, number], Row>(
      `SELECT position, stream, revision, id, id = lower(id) AS isLower FROM events
       WHERE NOT isLower OR substr(stream, 1, instr(stream, '-') - 1) NOT IN (SELECT value FROM json_each(?)) LIMIT ?`,
    )
    .all(JSON.stringify(aggregates), MAX_FAULTS)
    .map(({ position, stream, revision, id, isLower }) => {
      const what = isLower ? 'its stream is of no known aggregate' : 'its id has upper-case letters';
      return `event ${id} (${stream}, revision ${revision}, position ${position}) is not of this service: ${what}`;
    });
