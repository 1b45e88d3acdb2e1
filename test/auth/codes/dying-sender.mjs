// A worker that sends a message and is killed before it can say that the job is done. Run with the directory of the
// stores, of which the outbox is a part. It is no TypeScript because the stores' worker threads run what was built.
import { createSecretKey } from 'node:crypto';
import { join } from 'node:path';
import { startDeliveries } from '../../../dist/auth/codes/deliveries.js';
import { OutboxNotifier } from '../../../dist/infrastructure/notifier/outbox.js';
import { SqliteVault } from '../../../dist/infrastructure/vault/sqlite.js';
import { SqliteWork } from '../../../dist/infrastructure/work/sqlite.js';

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
    ...{ vault: new SqliteVault(directory), work: new SqliteWork(directory), notifier },
    ...{ key: async () => key, onFailure: () => {} },
  },
  { attempts: 3, backoffMs: 5, timeoutMs: 300 },
);
