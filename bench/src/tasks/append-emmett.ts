// Appends through emmett-sqlite as it sets itself up: a file database, WAL, synchronous as the driver has it, a
// connection opened and closed for each append. Its store does not bear appends at the same time (the first that ends
// closes the connection under the others), so they queue here, as an application would have to make them. Now and then
// one fails all the same ("SQL statements in progress" at its COMMIT); it is tried again, and counted.
import { join } from 'node:path';
import { getSQLiteEventStore } from '@event-driven-io/emmett-sqlite';
import sqlite3 from 'sqlite3';
import { answer, taskOptions } from '../lib/task.js';
import { type AppendOptions, type AppendResult, appendFor, event } from './appending.js';

const options = taskOptions<AppendOptions>();
const fileName = join(options.directory, 'emmett.sqlite');
const store = getSQLiteEventStore({ fileName });
const { type, data, metadata } = event;

let failures = 0;
const append = async (stream: string, revision: number): Promise<void> => {
  try {
    await store.appendToStream(stream, [{ type, data, metadata }], { expectedStreamVersion: BigInt(revision) });
  } catch {
    failures += 1;
    await append(stream, revision);
  }
};

let last: Promise<void> = Promise.resolve();
const { perSecond } = await appendFor(options, (stream, revision) => {
  last = last.then(() => append(stream, revision));
  return last;
});

// The pragmas of a connection that was opened as the store opens its own.
const db = new sqlite3.Database(fileName);
const pragma = (name: string) =>
  new Promise<unknown>((resolve, reject) => {
    db.get(`PRAGMA ${name}`, (error, row) =>
      error === null ? resolve(Object.values(row as object)[0]) : reject(error),
    );
  });
const note = `journal_mode=${await pragma('journal_mode')}, synchronous=${await pragma('synchronous')} (2 is FULL), ${failures} failed and tried again`;
const result: AppendResult = { perSecond, group: 1, note };
answer(result);
