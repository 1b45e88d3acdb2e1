// Two http processes on one directory: a client never sees an older state than it has seen.
import { describe, it } from 'vitest';
import { temporaryDirectory } from '../support/directory.js';
import { repetitions } from '../support/repetitions.js';
import { expectNeverOlder } from './never-older.js';
import { startServer, startWorker } from './processes.js';

const BOTH = 'http,worker';
const STEPS = repetitions('CONSISTENT_STEPS');

describe('clients that send their Consistency-Token to two processes', () => {
  it(
    'never see an older state than they have seen, if both processes fold',
    async () => {
      const directory = temporaryDirectory();
      const servers = [await startServer(directory, BOTH), await startServer(directory, BOTH)];
      await expectNeverOlder(servers, STEPS, 1);
    },
    90_000 + STEPS * 200,
  );

  it(
    'never see an older state than they have seen, if another process folds',
    async () => {
      const directory = temporaryDirectory();
      const servers = [await startServer(directory, 'http'), await startServer(directory, 'http')];
      await startWorker(directory);
      await expectNeverOlder(servers, STEPS, 2);
    },
    90_000 + STEPS * 200,
  );
});
