// A worker that sends a message and is killed before it completes the job. Its argument is the directory of the stores
// and of the outbox. It is not TypeScript, because the worker threads of the stores run built code.
import { createSecretKey } from 'node:crypto';
import { join } from 'node:path';
import { NOTIFICATION_QUEUE, startDeliveries } from '../../../../dist/auth/codes/deliveries.js';
import { OutboxNotifier } from '../../../../dist/infrastructure/notifier/outbox.js';
import { SqliteVault } from '../../../../dist/infrastructure/vault/sqlite.js';
import { SqliteWork } from '../../../../dist/infrastructure/work/sqlite.js';

const [directory] = process.argv.slice(2);
const outbox = new OutboxNotifier(join(directory, 'outbox'));
const notifier = {
  send: async (message, signal) => {
    await outbox.send(message, signal);
    process.kill(process.pid, 'SIGKILL');
    await new Promise(() => {});
  },
};
const key = createSecretKey(Buffer.alloc(32, 'codes'));
startDeliveries(
  {
    ...{ vault: new SqliteVault(directory), work: new SqliteWork(directory), notifier, outbox },
    ...{ serviceKey: async () => key, log: { warn: () => {} } },
  },
  { ...NOTIFICATION_QUEUE, attempts: 3, backoffMs: 5, timeoutMs: 300 },
);
