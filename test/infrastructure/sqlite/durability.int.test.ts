// Tests whether the commits of each SQLite file wait for stable storage.
import { syncBuiltinESMExports } from 'node:module';
import { basename } from 'node:path';
import workerThreads, { type WorkerOptions } from 'node:worker_threads';
import { describe, expect, it, onTestFinished } from 'vitest';
import { SqliteFacts } from '../../../src/infrastructure/facts/sqlite.js';
import type { Synchronous } from '../../../src/infrastructure/sqlite/database.js';
import { SqliteVault } from '../../../src/infrastructure/vault/sqlite.js';
import { SqliteViews } from '../../../src/infrastructure/views/sqlite/views.js';
import { SqliteWork } from '../../../src/infrastructure/work/sqlite.js';
import { temporaryDirectory } from '../../support/directory.js';
import { newEvents, newStream } from '../facts/support/harness.js';
import { newShape } from '../views/support/harness.js';
import { newQueue } from '../work/support/harness.js';

/** Returns the synchronous mode of each writer thread that starts from now on, by file. */
const watchWriters = (): Map<string, Synchronous> => {
  const modes = new Map<string, Synchronous>();
  const { Worker } = workerThreads;
  const replaceWorker = (replacement: typeof Worker) => {
    workerThreads.Worker = replacement;
    syncBuiltinESMExports();
  };
  replaceWorker(
    class extends Worker {
      constructor(module: string | URL, options: WorkerOptions) {
        super(module, options);
        modes.set(basename(options.workerData.file), options.workerData.synchronous);
      }
    },
  );
  onTestFinished(() => replaceWorker(Worker));
  return modes;
};

describe('the commits of the embedded stores', () => {
  it('wait for stable storage, except those of the read models', async () => {
    const modes = watchWriters();
    const directory = temporaryDirectory();
    const [facts, views] = [new SqliteFacts(directory), new SqliteViews(directory)];
    const [vault, work] = [new SqliteVault(directory), new SqliteWork(directory)];
    await facts.append(newStream(), 'no-stream', newEvents(1));
    await views.prepare(newShape());
    await vault.insert({ kind: 'a kind', key: 'a key', value: null });
    await work.enqueue({ queue: newQueue(), id: 'a job', data: null });
    for (const store of [facts, views, vault, work]) await store.close();
    expect(Object.fromEntries(modes)).toEqual({
      'facts.sqlite': 'FULL',
      'vault.sqlite': 'FULL',
      'views.sqlite': 'NORMAL',
      'work.sqlite': 'FULL',
    });
  });
});
