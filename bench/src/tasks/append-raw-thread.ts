// The thread of append-raw.ts.
import { parentPort, workerData } from 'node:worker_threads';
import Database from 'better-sqlite3';
import type { LogRow } from '../lib/author.js';

const db = new Database(String(workerData));
db.pragma('journal_mode = WAL');
db.pragma('synchronous = FULL');
const insert = db.prepare('INSERT INTO events (stream, revision, id, type, data, metadata) VALUES (?, ?, ?, ?, ?, ?)');
const insertAll = db.transaction((rows: readonly LogRow[]) => {
  for (const { stream, revision, id, type, data, metadata } of rows) {
    insert.run(stream, revision, id, type, data, metadata);
  }
});

parentPort?.on('message', (rows: readonly LogRow[]) => {
  insertAll.immediate(rows);
  parentPort?.postMessage(rows.length);
});
