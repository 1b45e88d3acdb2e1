// A worker in a separate process, for tests that kill it. It prints each job that it starts, and never ends a job. The
// arguments are the URL, the prefix, and the queue with the duration of locks as JSON.
import { BullMqWork } from '../../../../src/infrastructure/work/bullmq.js';

const [url = '', prefix = '', options = ''] = process.argv.slice(2);
const { queue, lockMs } = JSON.parse(options);

new BullMqWork(url, { prefix, lockMs }).process(queue, ({ id, attempt }) => {
  process.stdout.write(`${id} ${attempt}\n`);
  return new Promise(() => {});
});
