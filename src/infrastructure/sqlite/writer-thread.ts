// The thread that owns the writing connection of one SQLite file. The fsync of a commit blocks this thread and not the
// event loop that serves requests. A group of operations shares one transaction. If an operation fails, the group is
// rolled back and each operation runs alone, so that only the faulty ones fail.
import { parentPort, workerData } from 'node:worker_threads';
import { flush, openForWriting, type Synchronous } from './database.js';
import type { Database } from './driver.js';

/** The operations of an engine by name. Each runs inside a transaction. */
export type Operations = Readonly<Record<string, (argument: never) => unknown>>;

/**
 * A group as it is sent to the thread: the name of the first operation, its argument, the name of the second operation,
 * and so on. Cloning one flat list takes a fraction of the time of cloning a list of objects.
 */
type Group = readonly unknown[];

export interface Failure {
  readonly message: string;
  readonly code?: string;
}

/** The results of a group's operations in their order, with the failures by index, or the failure of them all. */
export type Results =
  | { readonly values: readonly unknown[]; readonly failures?: ReadonlyMap<number, Failure> }
  | { readonly failure: Failure };

export interface WriterData {
  readonly file: string;
  readonly operationsModule: string;
  readonly synchronous: Synchronous;
}

const port = parentPort;
if (port === null) throw new Error('writer-thread.js is a worker thread and cannot be run by itself');

const { file, operationsModule, synchronous } = workerData as WriterData;
const { operationsOf } = (await import(operationsModule)) as { operationsOf: (db: Database) => Operations };

const open = () => {
  try {
    const db = openForWriting(file, synchronous);
    return { db, operations: operationsOf(db) };
  } catch (cause) {
    // The error of SQLite would lose its message on the way to the other thread.
    throw new Error((cause as Error).message);
  }
};
const { db, operations } = open();

const run = (operation: string, argument: unknown): unknown => {
  const handler = operations[operation];
  if (handler === undefined) throw new Error(`no operation ${operation}`);
  return handler(argument as never);
};
const runAll = (group: Group): unknown[] => {
  const values: unknown[] = [];
  for (let at = 0; at < group.length; at += 2) values.push(run(group[at] as string, group[at + 1]));
  return values;
};

const failureOf = (cause: unknown): Failure => {
  const { message, code } = cause as Error & { code?: string };
  return { message, ...(code !== undefined && { code }) };
};

// No operation causes these faults: retrying each operation alone would only wait for the same fault again.
const FILE_ERRORS = /^SQLITE_(BUSY|LOCKED|FULL|IOERR|READONLY|CANTOPEN|CORRUPT|NOTADB|NOMEM)/;

const runGroup = (group: Group): Results => {
  try {
    return { values: db.transaction(() => runAll(group)) };
  } catch (cause) {
    const isFaultOfFile = FILE_ERRORS.test((cause as { code?: string }).code ?? '');
    return isFaultOfFile || group.length === 2 ? { failure: failureOf(cause) } : runEach(group);
  }
};

const runEach = (group: Group): Results => {
  const values: unknown[] = [];
  const failures = new Map<number, Failure>();
  for (let at = 0; at < group.length; at += 2) {
    try {
      values.push(db.transaction(() => run(group[at] as string, group[at + 1])));
    } catch (cause) {
      failures.set(values.push(undefined) - 1, failureOf(cause));
    }
  }
  return { values, failures };
};

const flushed = (): Results => {
  try {
    flush(db);
    return { values: [] };
  } catch (cause) {
    return { failure: failureOf(cause) };
  }
};

port.on('message', (message: Group | 'flush' | 'close') => {
  if (message === 'close') {
    db.close();
    port.close();
    return;
  }
  port.postMessage(message === 'flush' ? flushed() : runGroup(message));
});
