// Creates event logs. Inserts rows directly into the facts database, without an fsync for each row.
import { closeSync, fsyncSync, mkdirSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { SqliteFacts } from '../../../dist/infrastructure/facts/sqlite.js';
import { Database } from '../../../dist/infrastructure/sqlite/driver.js';
import { Author, type LogRow } from './author.js';

// The events of a protocol: a questionnaire, 46 edits, a new version and a replaced questionnaire.
const LIFE = 50;
const NEW_VERSION_AT = 20;
const REPLACED_AT = 35;
// The number of protocols in progress at the same time.
const AT_ONCE = 20;
const BEGIN = Date.parse('2025-01-01T00:00:00.000Z');

/** Returns a clock that advances by a second whenever it is read. */
export const clock = () => {
  let now = BEGIN;
  return () => {
    now += 1_000;
    return new Date(now).toISOString();
  };
};

/** Yields `count` events of protocols, twenty of which are in progress at any time. */
export function* mixedEvents(count: number): Generator<LogRow> {
  let left = count;
  for (const row of endlessEvents()) {
    if (left === 0) return;
    left -= 1;
    yield row;
  }
}

function* endlessEvents(): Generator<LogRow> {
  const now = clock();
  const authors: Author[] = [];
  for (let turn = 0; ; turn = (turn + 1) % AT_ONCE) {
    const before = authors[turn];
    const author = before === undefined || before.length >= LIFE ? new Author(now) : before;
    authors[turn] = author;
    yield* nextOf(author);
  }
}

const nextOf = (author: Author): LogRow[] => {
  if (author.length === 0) return author.begin();
  if (author.length === NEW_VERSION_AT) return author.newVersion();
  return author.length === REPLACED_AT ? author.replace() : author.edit();
};

/** Writes rows into the facts under `directory`. Creates the directory. */
export const writeLog = async (directory: string, rows: Iterable<LogRow>): Promise<void> => {
  mkdirSync(directory, { recursive: true });
  await new SqliteFacts(directory).close();
  const file = join(directory, 'facts.sqlite');
  const db = new Database(file);
  db.pragma('journal_mode = WAL');
  db.pragma('synchronous = OFF');
  const insert = db.prepare(
    'INSERT INTO events (stream, revision, id, type, data, metadata) VALUES (@stream, @revision, @id, @type, @data, @metadata)',
  );
  const batch: LogRow[] = [];
  const insertBatch = () => {
    db.transaction(() => {
      for (const row of batch) insert.run(row);
    });
    batch.length = 0;
  };
  for (const row of rows) if (batch.push(row) === 2_000) insertBatch();
  insertBatch();
  db.pragma('wal_checkpoint(TRUNCATE)');
  db.close();
  const descriptor = openSync(file, 'r+');
  fsyncSync(descriptor);
  closeSync(descriptor);
};
