// What an error of the EventStoreDB client means. Its classes differ in their `type`. While the server is down,
// the client may also reject with a plain gRPC error, which has a `code` alone.
import { DeadlinePassed } from '../async.js';
import { StoreUnavailable, StreamTruncated } from '../errors.js';

/** How the log is called in messages. */
export const STORE = 'the event log';

/** What a failed append is known to have done. */
export type AppendFailure =
  /** The stream is not where it was expected; the same append may have put it there. */
  | 'elsewhere'
  /** The stream has a tombstone: it takes no event, ever. */
  | 'deleted'
  | 'too-large'
  /** Nothing was written, and trying again will not help: a permission, a bad argument. */
  | 'refused'
  /** It may be written, now or later. */
  | 'unknown';

const FAILURES: Readonly<Record<string, AppendFailure>> = {
  'wrong-expected-version': 'elsewhere',
  'stream-deleted': 'deleted',
  'maximum-append-size-exceeded': 'too-large',
  'access-denied': 'refused',
  'invalid-argument': 'refused',
  'invalid-transaction': 'refused',
  'missing-required-metadata-property': 'refused',
  unsupported: 'refused',
};

// gRPC status codes.
const UNKNOWN = 2;
const UNAVAILABLE = 14;

/** A subscription whose server went silent, or ended it without an error. */
export class Dropped extends Error {
  constructor(reason: string) {
    super(`the subscription was dropped: ${reason}`);
    this.name = 'Dropped';
  }
}

// Mistakes of ours, and a truncated stream: another call finds the same.
const OTHERS = [TypeError, RangeError, ReferenceError, SyntaxError, StreamTruncated] as const;

/**
 * Whether an error is one of a call and no mistake of ours. Also what looking for a cluster's nodes rejects with, which
 * has neither type nor code, is.
 */
export const isCallError = (error: unknown): boolean =>
  error instanceof Error && !OTHERS.some((of) => error instanceof of);

/** What an append that rejected with `error` did. Throws it where it is no error of a call but a mistake of ours. */
export const failureOf = (error: unknown): AppendFailure => {
  if (!isCallError(error)) throw error;
  return FAILURES[typeOf(error)] ?? 'unknown';
};

/** Whether a read says that there is no such stream, or that it was closed forever. */
export const isMissing = (error: unknown): boolean => ['stream-not-found', 'stream-deleted'].includes(typeOf(error));

/**
 * Whether another connection may answer: this one was dead, which the first call on it may be the one to find out, or
 * led to a node that does not lead.
 */
export const isLost = (error: unknown): boolean =>
  ['unavailable', 'not-leader'].includes(typeOf(error)) || codeOf(error) === UNAVAILABLE;

/** Whether a call ended at its deadline, on this side or by gRPC. */
export const isTimeout = (error: unknown): boolean =>
  error instanceof DeadlinePassed || typeOf(error) === 'deadline-exceeded';

/** The error that a caller of the port sees. */
export const unavailable = (error: unknown): unknown =>
  isCallError(error) ? new StoreUnavailable(STORE, readable(error)) : error;

/** Whether the server dropped a subscription that did not keep up while live: the log itself is well. */
export const isTooSlow = (error: unknown): boolean => typeOf(error) === 'timeout';

/** Whether a subscription that fails so at its start would only fail again: a position at no event, no permission. */
export const isHopeless = (error: unknown): boolean =>
  FAILURES[typeOf(error)] === 'refused' || (typeOf(error) === 'unknown' && codeOf(error) === UNKNOWN);

const typeOf = (error: unknown): string =>
  error instanceof Error && 'type' in error && typeof error.type === 'string' ? error.type : '';

const codeOf = (error: unknown): unknown => (error instanceof Error && 'code' in error ? error.code : undefined);

// Several errors of the client have an empty message.
const readable = (error: unknown): unknown =>
  error instanceof Error && error.message === '' ? new Error(typeOf(error), { cause: error }) : error;
