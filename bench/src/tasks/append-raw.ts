// Appends with the plain driver in a separate thread, with the same table and the same pragmas. Each group of the
// given size is one transaction. Checks nothing and waits only for the commit.
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { SqliteFacts } from '../../../dist/infrastructure/facts/sqlite.js';
import { newId } from '../lib/ids.js';
import { taskOptions, writeResult } from '../lib/task.js';
import type { LogRow } from './append-raw-thread.js';
import { type AppendOptions, type AppendResult, event } from './appending.js';

const options = taskOptions<AppendOptions>();
await new SqliteFacts(options.directory).close();
const worker = new Worker(new URL('./append-raw-thread.js', import.meta.url), {
  workerData: join(options.directory, 'facts.sqlite'),
});

const streams = Array.from({ length: options.group }, () => `protocol-${newId()}`);
const { type, data, metadata } = event;
const groupAt = (revision: number): LogRow[] =>
  streams.map((stream) => ({
    stream,
    revision,
    id: newId(),
    type,
    data: JSON.stringify(data),
    metadata: JSON.stringify(metadata),
  }));

let revision = 0;
const until = async (end: number) => {
  let count = 0;
  while (performance.now() < end) {
    const committed = new Promise((resolve) => worker.once('message', resolve));
    worker.postMessage(groupAt(revision));
    await committed;
    revision += 1;
    count += options.group;
  }
  return count;
};
await until(performance.now() + options.milliseconds / 4);
const started = performance.now();
const appends = await until(started + options.milliseconds);
const perSecond = (appends * 1_000) / (performance.now() - started);
await worker.terminate();
const result: AppendResult = { perSecond, group: options.group };
writeResult(result);
