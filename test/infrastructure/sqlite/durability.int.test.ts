// Tests whether the commits of each SQLite file wait for stable storage.
import { statSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import workerThreads, { type WorkerOptions } from 'node:worker_threads';
import { describe, expect, it, onTestFinished } from 'vitest';
import { SqliteFacts } from '../../../src/infrastructure/facts/sqlite.js';
import { migrate, type Synchronous } from '../../../src/infrastructure/sqlite/database.js';
import { SqliteWriter } from '../../../src/infrastructure/sqlite/writer.js';
import { SqliteVault } from '../../../src/infrastructure/vault/sqlite.js';
import { SqliteViews } from '../../../src/infrastructure/views/sqlite/views.js';
import { SqliteWork } from '../../../src/infrastructure/work/sqlite.js';
import { temporaryDirectory } from '../../support/directory.js';
import { newEvents, newStream } from '../facts/support/harness.js';
import { newShape } from '../views/support/harness.js';
import { newQueue } from '../work/support/harness.js';

// `PRAGMA synchronous` reads as a number.
const NUMBERS: Record<Synchronous, number> = { NORMAL: 1, FULL: 2 };

const OPERATIONS = `export const operationsOf = (db) => ({
  synchronous: () => db.pragma('synchronous'),
  add: (number) => void db.prepare('INSERT INTO numbers VALUES (?)').run(number),
});`;

const newWriter = (synchronous?: Synchronous) => {
  const directory = temporaryDirectory();
  const [file, operations] = [join(directory, 'numbers.sqlite'), join(directory, 'operations.mjs')];
  migrate(file, ['CREATE TABLE numbers (number INTEGER PRIMARY KEY) STRICT;']);
  writeFileSync(operations, OPERATIONS);
  const writer = new SqliteWriter('the numbers', file, pathToFileURL(operations), synchronous);
  onTestFinished(() => writer.close());
  return { writer, wal: `${file}-wal` };
};

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

describe('the writer of a SQLite file', () => {
  it.each([
    { mode: undefined, expected: NUMBERS.FULL },
    { mode: 'FULL', expected: NUMBERS.FULL },
    { mode: 'NORMAL', expected: NUMBERS.NORMAL },
  ] as const)('commits in the given synchronous mode: $mode', async ({ mode, expected }) => {
    expect(await newWriter(mode).writer.run('synchronous', null)).toBe(expected);
  });

  it('empties the WAL when it flushes, and keeps its synchronous mode', async () => {
    const { writer, wal } = newWriter('NORMAL');
    for (const number of [1, 2]) {
      await writer.run('add', number);
      expect(statSync(wal).size).toBeGreaterThan(0);
      await writer.run('flush', undefined);
      expect(statSync(wal).size).toBe(0);
    }
    expect(await writer.run('synchronous', null)).toBe(NUMBERS.NORMAL);
  });
});

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
