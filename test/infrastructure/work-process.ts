// A worker in a separate process, for tests that kill it. It prints each job that it starts, and never ends a job. The
// arguments are the URL, the prefix, the queue and the worker's options as JSON.
import { BullMqWork } from '../../src/infrastructure/work/bullmq.js';

const [url = '', prefix = '', queue = '', options = ''] = process.argv.slice(2);

new BullMqWork(url, { prefix }).process(
  queue,
  ({ id, attempt }) => {
    process.stdout.write(`${id} ${attempt}\n`);
    return new Promise(() => {});
  },
  JSON.parse(options),
);
