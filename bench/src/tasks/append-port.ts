// Appends through the facts port on its SQLite engine.
import { Worker } from 'node:worker_threads';
import { SqliteFacts } from '../../../dist/infrastructure/facts/sqlite.js';
import { newId } from '../lib/ids.js';
import { taskOptions, writeResult } from '../lib/task.js';
import { type AppendOptions, type AppendResult, appendFor, event } from './appending.js';

// Counts the appends that share a transaction when groups are sent to the writer thread.
let groups = 0;
let grouped = 0;
const send = Worker.prototype.postMessage;
Worker.prototype.postMessage = function (this: Worker, message: unknown, ...rest) {
  if (Array.isArray(message)) {
    groups += 1;
    // Two elements for each append: the name of the operation and its argument.
    grouped += message.length / 2;
  }
  return send.call(this, message, ...rest);
};

const options = taskOptions<AppendOptions>();
const facts = new SqliteFacts(options.directory);
const { perSecond } = await appendFor(options, async (stream, revision) => {
  const expected = revision === 0 ? 'no-stream' : revision - 1;
  const { outcome } = await facts.append(stream, expected, [{ id: newId(), ...event }]);
  if (outcome !== 'written') throw new Error('unexpected conflict: nobody else writes to this stream');
});
await facts.close();
const result: AppendResult = { perSecond, group: grouped / groups };
writeResult(result);
