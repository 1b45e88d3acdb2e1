// The errors of the test server as they go over the wire: a gRPC status with the trailers that the real one sends.
import { Metadata, type ServiceError, status } from '@grpc/grpc-js';

/** An error of a call. `trailers` holds `exception` and its companions. */
export const callError = (
  code: status,
  details: string,
  trailers: Readonly<Record<string, string>> = {},
): ServiceError => {
  const metadata = new Metadata();
  for (const [name, value] of Object.entries(trailers)) metadata.set(name, value);
  return Object.assign(new Error(details), { code, details, metadata });
};

/** What an exception that nobody caught looks like. */
export const thrownByHandler = (): ServiceError => callError(status.UNKNOWN, 'Exception was thrown by handler.');

export const notReady = (): ServiceError => callError(status.UNAVAILABLE, 'Server Is Not Ready');

export const streamDeleted = (stream: string): ServiceError =>
  callError(status.FAILED_PRECONDITION, `Event stream '${stream}' is deleted.`, {
    exception: 'stream-deleted',
    'stream-name': stream,
  });

/** A subscription that did not take its events while they were live. */
export const tooSlow = (): ServiceError =>
  callError(
    status.ABORTED,
    'Operation timed out: Consumer too slow to handle event while live. Client resubscription required.',
  );

/** What a call that is open sees when the server is stopped in good order. */
export const stopped = (): ServiceError =>
  callError(status.INTERNAL, 'Received RST_STREAM with code 0 (Call ended without gRPC status)');

/** A write that was not committed in time. */
export const commitTimeout = (): ServiceError =>
  callError(status.ABORTED, 'Operation timed out: Commit phase timeout.');
