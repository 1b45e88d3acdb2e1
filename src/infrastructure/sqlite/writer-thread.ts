// The thread that owns the writing connection of one SQLite file. The fsync of a commit blocks here and not the
// event loop that answers requests. A group of operations shares one transaction; if one of them fails, the group is
// rolled back and each is run alone, so that a bad one fails alone.
import { parentPort, workerData } from 'node:worker_threads';
import { type Database, FLUSH, FORGET, flush, forget, openForWriting, type Synchronous } from './database.js';

/** The operations of an engine, by name, on its writing connection: an object or the methods of a class. Each runs inside a transaction. */
export type Operations = Readonly<Record<string, (argument: never) => unknown>>;
export type OperationsOf = (db: Database) => Operations;

export interface Request {
  readonly operation: string;
  readonly argument: unknown;
}
export type Reply =
  | { readonly value: unknown }
  | { readonly error: { readonly message: string; readonly code?: string } };

const port = parentPort;
if (port === null) throw new Error('writer-thread.js is a worker thread and cannot be run by itself');

/** What the thread is started with. */
export interface WriterData {
  readonly file: string;
  readonly operationsModule: string;
  readonly synchronous: Synchronous;
}

const { file, operationsModule, synchronous } = workerData as WriterData;
const { operationsOf } = (await import(operationsModule)) as { operationsOf: OperationsOf };
const db = openForWriting(file, synchronous);
const operations = operationsOf(db);

const run = ({ operation, argument }: Request): Reply => {
  const handler = operations[operation];
  if (handler === undefined) throw new Error(`no operation ${operation}`);
  return { value: handler.call(operations, argument as never) };
};
const together = db.transaction((group: readonly Request[]) => group.map(run));
const alone = db.transaction(run);

const errorReply = (cause: unknown): Reply => {
  const { message, code } = cause as Error & { code?: string };
  return { error: { message, ...(code !== undefined && { code }) } };
};

const runAlone = (request: Request): Reply => {
  try {
    return alone.immediate(request);
  } catch (cause) {
    return errorReply(cause);
  }
};

// Of these no operation is the cause: to try each alone would only wait for the same fault again.
const FAULTS_OF_THE_FILE = /^SQLITE_(BUSY|LOCKED|FULL|IOERR|READONLY|CANTOPEN|CORRUPT|NOTADB|NOMEM)/;

const runInside = (group: readonly Request[]): Reply[] => {
  try {
    return together.immediate(group);
  } catch (cause) {
    const faulty = FAULTS_OF_THE_FILE.test((cause as { code?: string }).code ?? '');
    return faulty || group.length === 1 ? group.map(() => errorReply(cause)) : group.map(runAlone);
  }
};

// What may not run inside a transaction, not even an empty one.
const OUTSIDE: Readonly<Record<string, (db: Database) => void>> = { [FORGET]: forget, [FLUSH]: flush };

const runOutside = ({ operation }: Request): Reply => {
  try {
    return { value: OUTSIDE[operation]?.(db) };
  } catch (cause) {
    return errorReply(cause);
  }
};

// An operation outside of the transaction comes after the operations that arrived with it.
const runGroup = (group: readonly Request[]): Reply[] => {
  const isInside = ({ operation }: Request) => !Object.hasOwn(OUTSIDE, operation);
  if (group.every(isInside)) return runInside(group);
  const inside = group.filter(isInside);
  const replies = new Map(runInside(inside).map((reply, index) => [inside[index], reply]));
  return group.map((request) => replies.get(request) ?? runOutside(request));
};

port.on('message', (message: readonly Request[] | 'close') => {
  if (message === 'close') {
    db.close();
    port.close();
    return;
  }
  port.postMessage(runGroup(message));
});
