// Classifies errors of the MongoDB driver: whether the server is unavailable, or the call was wrong.
import {
  MongoBulkWriteError,
  MongoError,
  MongoNetworkError,
  MongoServerSelectionError,
  MongoWriteConcernError,
} from 'mongodb';

/** The server's error codes that some calls handle. */
export const DUPLICATE_KEY = 11_000;
export const NAMESPACE_NOT_FOUND = 26;
export const CURSOR_NOT_FOUND = 43;
export const QUERY_PLAN_KILLED = 175;

// The server's codes of a node that is starting or stopping, is not the primary, is out of time or space, refuses
// access, or is blocked by another operation.
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

/** Returns whether an error means that the server is unreachable or temporarily unable to respond. */
export const isUnavailable = (error: unknown): boolean => {
  if (error instanceof MongoBulkWriteError) return isUnavailableBulk(error);
  return error instanceof MongoError ? isUnavailableCall(error) : isSystemError(error);
};

const isUnavailableCall = (error: MongoError): boolean =>
  CLASSES.some((known) => error instanceof known) ||
  NAMES.has(error.name) ||
  CODES.has(error.code) ||
  isRetryable(error);

// A bulk error may wrap the error that ended the call. Otherwise its code belongs to the first failed write, so all
// failed writes are checked.
const isUnavailableBulk = (error: MongoBulkWriteError): boolean =>
  (error.errorResponse instanceof Error && isUnavailable(error.errorResponse)) ||
  [error.writeErrors].flat().some(({ code }) => CODES.has(code)) ||
  isRetryable(error) ||
  error.result.getWriteConcernError() !== undefined;

// With these labels, the server or the driver states that a retry of the call may succeed.
const LABELS = [
  'PoolRequestedRetry',
  'RetryableError',
  'RetryableWriteError',
  'SystemOverloadedError',
  'TransientTransactionError',
];

const isRetryable = (error: MongoError): boolean => LABELS.some((label) => error.hasErrorLabel(label));

/** Returns the server's code of an error, or of the cause of a `StoreUnavailable`. */
export const codeOf = (error: unknown): unknown => {
  const origin = error instanceof Error && error.cause instanceof MongoError ? error.cause : error;
  return origin instanceof MongoError ? origin.code : undefined;
};

// DNS lookups of mongodb+srv names and TLS files fail with Node errors, and so do writes to a closed socket before the
// driver notices that it is closed.
const isSystemError = (error: unknown): boolean => {
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
