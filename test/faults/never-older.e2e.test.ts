// A client of two http processes on one directory never sees an older state than it has seen before.
import { describe, it } from 'vitest';
import { temporaryDirectory } from '../support/directory.js';
import { repetitions } from '../support/repetitions.js';
import { expectNeverOlder } from './never-older.js';
import { startServer, startWorker } from './processes.js';

const BOTH = 'http,worker';
const STEPS = repetitions('CONSISTENT_STEPS');

describe('clients that send their Consistency-Token to two processes', () => {
  it(
    'never see an older state than before if both processes run the projections',
    async () => {
      const directory = temporaryDirectory();
      const servers = [await startServer(directory, BOTH), await startServer(directory, BOTH)];
      await expectNeverOlder(servers, STEPS, 1);
    },
    90_000 + STEPS * 200,
  );

  it(
    'never see an older state than before if another process runs the projections',
    async () => {
      const directory = temporaryDirectory();
      const servers = [await startServer(directory, 'http'), await startServer(directory, 'http')];
      await startWorker(directory);
      await expectNeverOlder(servers, STEPS, 2);
    },
    90_000 + STEPS * 200,
  );
});
