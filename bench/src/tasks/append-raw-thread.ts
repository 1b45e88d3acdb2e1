// The thread of append-raw.ts.
import { parentPort, workerData } from 'node:worker_threads';
import { DatabaseSync } from '@photostructure/sqlite';

/** An event as the log holds it, with its payload as JSON text. */
export interface LogRow {
  readonly stream: string;
  readonly revision: number;
  readonly id: string;
  readonly type: string;
  readonly data: string;
  readonly metadata: string;
}

// Not collected with its statements, because the listener refers to it.
const db = new DatabaseSync(String(workerData));
db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
const [begin, commit] = [db.prepare('BEGIN IMMEDIATE'), db.prepare('COMMIT')];
const insert = db.prepare('INSERT INTO events (stream, revision, id, type, data, metadata) VALUES (?, ?, ?, ?, ?, ?)');

parentPort?.on('message', (rows: readonly LogRow[]) => {
  if (!db.isOpen) throw new Error('the connection is closed');
  begin.run();
  for (const { stream, revision, id, type, data, metadata } of rows) {
    insert.run(stream, revision, id, type, data, metadata);
  }
  commit.run();
  parentPort?.postMessage(rows.length);
});
