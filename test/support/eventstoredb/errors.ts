// The errors of the test server on the wire: a gRPC status with the trailers that the real server sends.
import { Metadata, type ServiceError, status } from '@grpc/grpc-js';

/** Returns the error of a call. `trailers` holds `exception` and its details. */
export const callError = (
  code: status,
  details: string,
  trailers: Readonly<Record<string, string>> = {},
): ServiceError => {
  const metadata = new Metadata();
  for (const [name, value] of Object.entries(trailers)) metadata.set(name, value);
  return Object.assign(new Error(details), { code, details, metadata });
};

/** Returns the error for an uncaught exception. */
export const thrownByHandler = (): ServiceError => callError(status.UNKNOWN, 'Exception was thrown by handler.');

export const notReady = (): ServiceError => callError(status.UNAVAILABLE, 'Server Is Not Ready');

export const streamDeleted = (stream: string): ServiceError =>
  callError(status.FAILED_PRECONDITION, `Event stream '${stream}' is deleted.`, {
    exception: 'stream-deleted',
    'stream-name': stream,
  });

/** Returns the error of a live subscription that reads too slowly. */
export const tooSlow = (): ServiceError =>
  callError(
    status.ABORTED,
    'Operation timed out: Consumer too slow to handle event while live. Client resubscription required.',
  );

/** Returns the error that open calls get when the server shuts down. */
export const stopped = (): ServiceError =>
  callError(status.INTERNAL, 'Received RST_STREAM with code 0 (Call ended without gRPC status)');
