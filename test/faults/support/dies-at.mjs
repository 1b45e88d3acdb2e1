// Kills its process at a point on the way of a message about an approval, on the embedded engines; loaded before the
// service (`node --import`). DIES_AT names the point. The file is JavaScript because worker threads load it, too.
import { SqliteFacts } from '../../../dist/infrastructure/facts/sqlite.js';
import { SqliteVault } from '../../../dist/infrastructure/vault/sqlite.js';
import { SqliteWork } from '../../../dist/infrastructure/work/sqlite.js';

const passes = (point) => {
  if (point === process.env.DIES_AT) process.kill(process.pid, 'SIGKILL');
};

/** Makes a method pass the points before and after its calls that are meant. */
const watch = (on, method, { what, isMeant = () => true }) => {
  const call = on[method];
  on[method] = async function (...given) {
    const meant = isMeant(...given);
    if (meant) passes(`before ${what}`);
    const result = await call.apply(this, given);
    if (meant) passes(`after ${what}`);
    return result;
  };
};

watch(SqliteVault.prototype, 'insert', {
  what: 'the message is stored',
  isMeant: ({ kind }) => kind === 'decision-message',
});
watch(SqliteFacts.prototype, 'append', {
  what: 'the decision is recorded',
  isMeant: (_stream, _expected, events) => events.some(({ type }) => type === 'UserProfileApproved'),
});
watch(SqliteWork.prototype, 'enqueue', {
  what: 'the job is stored',
  isMeant: ({ queue }) => queue.name === 'decision-messages',
});
const { process: start } = SqliteWork.prototype;
SqliteWork.prototype.process = function (queue, handler) {
  const worker = { handler };
  if (queue.name === 'decision-messages') watch(worker, 'handler', { what: 'the message is sent' });
  return start.call(this, queue, worker.handler);
};
