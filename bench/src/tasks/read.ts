// Baseline of a replay: reads every event of the log in order and parses it.
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { taskOptions, writeResult } from '../lib/task.js';

interface Row {
  readonly data: string;
  readonly metadata: string;
}

const { dataDirectory } = taskOptions<{ dataDirectory: string }>();
const db = new DatabaseSync(join(dataDirectory, 'facts.sqlite'), { readOnly: true });
const rows = db.prepare('SELECT * FROM events ORDER BY position');
const started = performance.now();
let events = 0;
for (const { data, metadata } of rows.iterate() as Iterable<Row>) {
  if (typeof JSON.parse(data) === 'object' && typeof JSON.parse(metadata) === 'object') events += 1;
}
const seconds = (performance.now() - started) / 1_000;
db.close();
writeResult({ events, perSecond: events / seconds });
