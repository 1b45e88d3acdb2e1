// Which errors of the MongoDB driver say that the server cannot answer now, and not that a call was wrong.
import {
  MongoBulkWriteError,
  MongoError,
  MongoNetworkError,
  MongoServerSelectionError,
  MongoWriteConcernError,
} from 'mongodb';

/** The server's codes that some calls take as an answer. */
export const DUPLICATE_KEY = 11_000;
export const NAMESPACE_NOT_FOUND = 26;
export const CURSOR_NOT_FOUND = 43;
export const QUERY_PLAN_KILLED = 175;

// The server's codes of a node that is going, coming, no primary, out of time or space, that lets nobody in, or whose
// work another operation is in the way of.
const CODES: ReadonlySet<unknown> = new Set(
  Object.values({
    HostUnreachable: 6,
    HostNotFound: 7,
    Unauthorized: 13,
    AuthenticationFailed: 18,
    LockTimeout: 24,
    CURSOR_NOT_FOUND,
    MaxTimeMSExpired: 50,
    WriteConcernTimeout: 64,
    NetworkTimeout: 89,
    ShutdownInProgress: 91,
    NotYetInitialized: 94,
    UnsatisfiableWriteConcern: 100,
    WriteConflict: 112,
    FailedToSatisfyReadPreference: 133,
    ReadConcernMajorityNotAvailableYet: 134,
    QUERY_PLAN_KILLED,
    PrimarySteppedDown: 189,
    KeyNotFound: 211,
    DatabaseDropPending: 215,
    ExceededTimeLimit: 262,
    TooManyFilesOpen: 264,
    IndexBuildAborted: 276,
    TemporarilyUnavailable: 365,
    IngressRequestRateLimitExceeded: 462,
    SocketException: 9001,
    LegacyNotPrimary: 10_058,
    NotWritablePrimary: 10_107,
    InterruptedAtShutdown: 11_600,
    Interrupted: 11_601,
    InterruptedDueToReplStateChange: 11_602,
    BackgroundOperationInProgressForNamespace: 12_587,
    NotPrimaryNoSecondaryOk: 13_435,
    NotPrimaryOrSecondary: 13_436,
    OutOfDiskSpace: 14_031,
  }),
);

// Errors of the driver itself; it exports no class for some of them.
const NAMES: ReadonlySet<string> = new Set([
  'MongoClientClosedError',
  'MongoExpiredSessionError',
  'MongoNotConnectedError',
  'MongoOperationTimeoutError',
  'MongoPoolClosedError',
  'MongoServerClosedError',
  'MongoStalePrimaryError',
  'MongoTopologyClosedError',
  'MongoUnexpectedServerResponseError',
  'MongoWaitQueueTimeoutError',
]);

const CLASSES = [MongoNetworkError, MongoServerSelectionError, MongoWriteConcernError];

/** Whether an error says that the server cannot be reached or cannot do it now. */
export const isUnavailable = (error: unknown): boolean => {
  if (error instanceof MongoBulkWriteError) return isUnavailableBulk(error);
  return error instanceof MongoError ? isUnavailableCall(error) : isOfTheSystem(error);
};

const isUnavailableCall = (error: MongoError): boolean =>
  CLASSES.some((known) => error instanceof known) ||
  NAMES.has(error.name) ||
  CODES.has(error.code) ||
  isRetryable(error);

// A bulk's error wraps whatever ended the call; else its code is that of the first failed write, where another failed
// write can be the one that counts.
const isUnavailableBulk = (error: MongoBulkWriteError): boolean =>
  (error.errorResponse instanceof Error && isUnavailable(error.errorResponse)) ||
  [error.writeErrors].flat().some(({ code }) => CODES.has(code)) ||
  isRetryable(error) ||
  error.result.getWriteConcernError() !== undefined;

// By these labels the server or the driver says itself that the same call may succeed when it is made again.
const LABELS = [
  'PoolRequestedRetry',
  'RetryableError',
  'RetryableWriteError',
  'SystemOverloadedError',
  'TransientTransactionError',
];

const isRetryable = (error: MongoError): boolean => LABELS.some((label) => error.hasErrorLabel(label));

/** The server's code for an error, or for the cause of a `StoreUnavailable`. */
export const codeOf = (error: unknown): unknown => {
  const told = error instanceof Error && error.cause instanceof MongoError ? error.cause : error;
  return told instanceof MongoError ? told.code : undefined;
};

// The look-up of a mongodb+srv name and the files of TLS fail with errors of Node, and so does a write on a socket whose
// end the driver has not noticed yet.
const isOfTheSystem = (error: unknown): boolean => {
  const { syscall, code } = error instanceof Error ? (error as NodeJS.ErrnoException) : {};
  return typeof syscall === 'string' || SOCKET_CODES.has(code);
};

const SOCKET_CODES: ReadonlySet<unknown> = new Set([
  'ECONNRESET',
  'EPIPE',
  'ERR_SOCKET_CLOSED',
  'ERR_STREAM_DESTROYED',
  'ERR_STREAM_PREMATURE_CLOSE',
  'ERR_STREAM_WRITE_AFTER_END',
]);
