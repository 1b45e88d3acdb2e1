// Classifies errors of the MongoDB driver: whether the server is unavailable, or the call was wrong.
import { MongoBulkWriteError, MongoError, MongoInvalidArgumentError } from 'mongodb';
import { RightMissing, StoreUnavailable } from '../errors.js';

export const DUPLICATE_KEY = 11_000;
export const NAMESPACE_NOT_FOUND = 26;
export const CURSOR_NOT_FOUND = 43;
export const QUERY_PLAN_KILLED = 175;
/** The codes of an index that exists with other options or under another name. */
export const INDEX_CONFLICTS: ReadonlySet<unknown> = new Set([85, 86]);
export const BAD_VALUE = 2;

// The server's codes of a call that it will never accept: conflicts, invalid arguments, and documents or keys that are
// too large.
const TYPE_MISMATCH = 14;
const TOO_LARGE = [10_334, 17_280, 17_419, 17_420];
const REFUSED_WRITES = new Set<unknown>([
  ...[DUPLICATE_KEY, NAMESPACE_NOT_FOUND, BAD_VALUE, TYPE_MISMATCH],
  ...INDEX_CONFLICTS,
  ...TOO_LARGE,
]);

/** Returns whether an error means that the server is unreachable or does not accept the call now. */
export const isUnavailable = (error: unknown): boolean => {
  if (error instanceof MongoBulkWriteError) return isUnavailableBulk(error);
  if (error instanceof MongoInvalidArgumentError) return false;
  // Some servers have no code for a collection that does not exist.
  return error instanceof MongoError
    ? !REFUSED_WRITES.has(error.code) && error.message !== 'ns not found'
    : isSystemError(error);
};

const UNAUTHORIZED = 13;
const NOT_AUTHORIZED = /^not authorized on (\S+) to execute command \{ (\w+)/;
const NOT_SIGNED_IN = /^Command \w+ requires authentication$/;

/** Returns what a user may not do. Quotes nothing else, because the rest of the message has the data of the call. */
const missingRight = (message: string): string => {
  const [, database, command] = NOT_AUTHORIZED.exec(message) ?? [];
  if (command !== undefined) return `the user may not run ${command} on the database ${database}`;
  return NOT_SIGNED_IN.test(message) ? message : 'the user may not run a command';
};

/** Returns what a driver call rejects with that failed with `error`: the error itself if the call was wrong. */
export const mongoFailure = (store: string, error: unknown): unknown => {
  if (!isUnavailable(error)) return error;
  if (!(error instanceof MongoError && error.code === UNAUTHORIZED)) return new StoreUnavailable(store, error);
  return new RightMissing(store, missingRight(error.message), error);
};

// The code of a bulk error belongs to the first failed write, so all failed writes are checked.
const isUnavailableBulk = (error: MongoBulkWriteError): boolean => {
  const failed = [error.writeErrors].flat();
  const isRefused =
    failed.length > 0 ? failed.every(({ code }) => REFUSED_WRITES.has(code)) : REFUSED_WRITES.has(error.code);
  return !isRefused || error.result.getWriteConcernError() !== undefined;
};

// DNS lookups of mongodb+srv names and TLS files fail with Node errors, and so do writes to a closed socket before the
// driver notices that it is closed. Node reports wrong arguments as these two classes.
const isSystemError = (error: unknown): boolean =>
  error instanceof Error &&
  !(error instanceof TypeError || error instanceof RangeError) &&
  typeof (error as NodeJS.ErrnoException).code === 'string';

const originOf = (error: unknown): unknown =>
  error instanceof Error && error.cause instanceof MongoError ? error.cause : error;

/** Returns the server's code of an error, or of the cause of a `StoreUnavailable`. */
export const mongoCodeOf = (error: unknown): unknown => {
  const origin = originOf(error);
  return origin instanceof MongoError ? origin.code : undefined;
};

// The server's codes that may last, and that end without a change of the call: denied access, a full disk or quota, a
// lock, a slow or starting node, and a majority that is missing.
const LASTING: ReadonlySet<unknown> = new Set(
  Object.values({
    ...{ Unauthorized: 13, AuthenticationFailed: 18, AtlasError: 8_000, OutOfDiskSpace: 14_031 },
    ...{ LockTimeout: 24, MaxTimeMSExpired: 50, WriteConflict: 112, ExceededTimeLimit: 262, TooManyFilesOpen: 264 },
    ...{ NotYetInitialized: 94, KeyNotFound: 211, TemporarilyUnavailable: 365, NotWritablePrimary: 10_107 },
    ...{ WriteConcernTimeout: 64, UnsatisfiableWriteConcern: 100, ReadConcernMajorityNotAvailableYet: 134 },
  }),
);

// With these labels, the server or the driver states that a retry of the call may succeed.
const RETRYABLE = ['RetryableError', 'RetryableWriteError', 'SystemOverloadedError', 'TransientTransactionError'];

const isUnknown = (error: unknown): boolean =>
  error instanceof MongoError &&
  typeof error.code === 'number' &&
  !LASTING.has(error.code) &&
  !RETRYABLE.some((label) => error.hasErrorLabel(label));

// Longer than any failover takes.
const PATIENCE_MS = 60_000;

/** Remembers which tasks fail with a code that this program does not know. After a minute, such a task is given up. */
export class UnknownFailures {
  readonly #failing = new Map<string, { readonly code: unknown; readonly since: number }>();

  /** Runs a task. Rejects with the server's error instead of `StoreUnavailable` if the task will keep failing. */
  async watch<T>(task: string, run: () => Promise<T>, now: () => number = () => performance.now()): Promise<T> {
    try {
      const result = await run();
      this.#failing.delete(task);
      return result;
    } catch (error) {
      throw this.#isLasting(task, error, now()) ? originOf(error) : error;
    }
  }

  #isLasting(task: string, error: unknown, now: number): boolean {
    if (!(error instanceof StoreUnavailable && isUnknown(error.cause))) {
      this.#failing.delete(task);
      return false;
    }
    const code = mongoCodeOf(error);
    const before = this.#failing.get(task);
    if (before !== undefined && before.code === code) return now - before.since >= PATIENCE_MS;
    this.#failing.set(task, { code, since: now });
    return false;
  }
}
