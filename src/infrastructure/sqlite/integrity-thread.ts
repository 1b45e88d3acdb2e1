// The thread that examines one SQLite file, read-only.
import { basename } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import { openForReading } from './database.js';
import type { Database } from './driver.js';
import type { ExaminedFile } from './integrity.js';

const MAX_FAULTS = 20;

const { file, aggregates } = workerData as ExaminedFile;

/** Returns the findings of a step; the error of SQLite if the step fails. */
const found = (step: () => readonly string[]): readonly string[] => {
  try {
    return step();
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)];
  }
};

const integrity = (db: Database): readonly string[] => {
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
const foreign = (db: Database): readonly string[] =>
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

const examined = (): readonly string[] => {
  const db = openForReading(file);
  try {
    return [...found(() => integrity(db)), ...(aggregates === undefined ? [] : found(() => foreign(db)))];
  } finally {
    db.close();
  }
};

parentPort?.postMessage(found(examined).map((fault) => `${basename(file)}: ${fault}`));
