// Classifies the errors of the EventStoreDB client. Its error classes differ in their `type`. While the server is down,
// the client may also reject with a plain gRPC error, which has only a `code`.
import { DeadlinePassed } from '../../async.js';
import { codeOf, RightMissing, STORES, StoreUnavailable, StreamTruncated } from '../../errors.js';

export const STORE = STORES.log;

/** Signals that a call ended in good order before its response was complete. A server never does so, but a proxy may. */
export class CallEnded extends Error {}

/** What a failed append is known to have done. */
export type AppendFailure =
  /** The stream is not at the expected revision. The same append may have moved it there. */
  | 'wrong-revision'
  /** The stream has a tombstone: it never accepts an event again. */
  | 'deleted'
  | 'too-large'
  /** Nothing was written, and a retry will fail, for example because of a missing permission. */
  | 'rejected'
  /** The events may be written, now or later. */
  | 'unknown';

const FAILURES: Readonly<Record<string, AppendFailure>> = {
  'wrong-expected-version': 'wrong-revision',
  'stream-deleted': 'deleted',
  'maximum-append-size-exceeded': 'too-large',
  'access-denied': 'rejected',
  'invalid-argument': 'rejected',
  'invalid-transaction': 'rejected',
  'missing-required-metadata-property': 'rejected',
  unsupported: 'rejected',
};

// gRPC status codes.
const UNKNOWN = 2;
const UNAVAILABLE = 14;
const UNAUTHENTICATED = 16;

// Programming mistakes, and a truncated stream. A retry would fail in the same way.
const NOT_CALL_ERRORS = [TypeError, RangeError, ReferenceError, SyntaxError, StreamTruncated] as const;

/**
 * Returns whether an error comes from a call and is not a programming mistake. The errors of cluster discovery, which
 * have neither type nor code, come from a call.
 */
const isCallError = (error: unknown): boolean =>
  error instanceof Error && !NOT_CALL_ERRORS.some((type) => error instanceof type);

/** Returns what an append that rejected with `error` did. Throws the error if it is a programming mistake. */
export const failureOf = (error: unknown): AppendFailure => {
  if (!isCallError(error)) throw error;
  return FAILURES[typeOf(error)] ?? 'unknown';
};

/** Returns whether a read found that the stream does not exist, or that it was closed permanently. */
export const isMissing = (error: unknown): boolean => ['stream-not-found', 'stream-deleted'].includes(typeOf(error));

/** Returns whether another connection may succeed: this one was dead, or led to a node that is not the leader. */
export const isLost = (error: unknown): boolean =>
  ['unavailable', 'not-leader'].includes(typeOf(error)) || codeOf(error) === UNAVAILABLE || error instanceof CallEnded;

/** Returns whether a call ended at its deadline, in this process or in gRPC. */
export const isTimeout = (error: unknown): boolean =>
  error instanceof DeadlinePassed || typeOf(error) === 'deadline-exceeded';

/** Returns what a call rejects with that failed with `error`. `right` is what the call needs. */
export const unavailable = (error: unknown, right: 'read $all' | 'read streams' | 'append to streams'): unknown => {
  if (!isCallError(error)) return error;
  // The client gives a wrong password the type of a missing right.
  const lacksRight = typeOf(error) === 'access-denied' && codeOf(error) !== UNAUTHENTICATED;
  return lacksRight
    ? new RightMissing(STORE, `the user may not ${right}`, error)
    : new StoreUnavailable(STORE, withMessage(error));
};

/** Returns whether a failed read of the log would fail again: its position is of no event, or it has no permission. */
export const isPermanent = (error: unknown): boolean =>
  FAILURES[typeOf(error)] === 'rejected' || (typeOf(error) === 'unknown' && codeOf(error) === UNKNOWN);

const typeOf = (error: unknown): string =>
  error instanceof Error && 'type' in error && typeof error.type === 'string' ? error.type : '';

// Several errors of the client have an empty message.
const withMessage = (error: unknown): unknown =>
  error instanceof Error && error.message === '' ? new Error(typeOf(error), { cause: error }) : error;
