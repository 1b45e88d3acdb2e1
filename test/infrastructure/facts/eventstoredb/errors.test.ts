import {
  convertToCommandError,
  DeadlineExceededError,
  InvalidArgumentError,
  MaxAppendSizeExceededError,
  StreamDeletedError,
  UnknownError,
  UnsupportedError,
  WrongExpectedVersionError,
} from '@eventstore/db-client';
import { status } from '@grpc/grpc-js';
import { describe, expect, it } from 'vitest';
import { DeadlinePassed } from '../../../../src/infrastructure/async.js';
import { StoreUnavailable } from '../../../../src/infrastructure/errors.js';
import {
  failureOf,
  isLost,
  isMissing,
  isPermanent,
  unavailable,
} from '../../../../src/infrastructure/facts/eventstoredb/errors.js';
import { callError, notReady, stopped, streamDeleted, tooSlow } from '../../../support/eventstoredb/errors.js';

/** Returns the error that the client makes of an error of the server. */
const wire = (...args: Parameters<typeof callError>) => convertToCommandError(callError(...args));

describe('an append that failed', () => {
  it.each([
    [
      'wrong-revision',
      'a batch at a wrong version',
      new WrongExpectedVersionError(null as never, { streamName: 's', current: 1n, expected: 0n }),
    ],
    [
      'wrong-revision',
      'a wrong version in trailers',
      wire(status.FAILED_PRECONDITION, 'wrong', {
        exception: 'wrong-expected-version',
        'stream-name': 's',
        'expected-version': '1',
        'actual-version': '2',
      }),
    ],
    ['deleted', 'a tombstone', convertToCommandError(streamDeleted('s'))],
    ['deleted', 'a tombstone, in a batch', StreamDeletedError.fromStreamName('s')],
    ['too-large', 'a large batch', MaxAppendSizeExceededError.fromMaxAppendSize(1)],
    [
      'too-large',
      'a large append',
      wire(status.INVALID_ARGUMENT, 'Maximum Append Size of 1048576 Exceeded.', {
        exception: 'maximum-append-size-exceeded',
        'maximum-append-size': '1048576',
      }),
    ],
    ['rejected', 'no permission', wire(status.PERMISSION_DENIED, 'denied', { exception: 'access-denied' })],
    ['rejected', 'no credentials', wire(status.UNAUTHENTICATED, 'who are you')],
    [
      'rejected',
      'a property that is missing',
      wire(status.INVALID_ARGUMENT, 'missing', {
        exception: 'missing-required-metadata-property',
        'required-metadata-properties': 'type,content-type',
      }),
    ],
    ['rejected', 'a bad transaction', wire(status.INVALID_ARGUMENT, 'bad', { exception: 'invalid-transaction' })],
    ['rejected', 'an argument that the client refuses', new InvalidArgumentError('bad')],
    ['rejected', 'a feature that the server lacks', new UnsupportedError('it', '99')],
    ['unknown', 'a commit that took too long', wire(status.ABORTED, 'Operation timed out: Commit phase timeout.')],
    ['unknown', 'the same in a batch', new DeadlineExceededError()],
    ['unknown', 'a deadline', wire(status.DEADLINE_EXCEEDED, 'Deadline exceeded after 1.001s')],
    ['unknown', 'a lost connection', wire(status.UNAVAILABLE, 'read ECONNRESET')],
    ['unknown', 'a server that starts', convertToCommandError(notReady())],
    ['unknown', 'the same in a batch', new UnknownError(undefined as never, 'Could not recognize Server Is Not Ready')],
    ['unknown', 'a server that stops', convertToCommandError(stopped())],
    ['unknown', 'a plain gRPC error', callError(status.UNAVAILABLE, 'connect ECONNREFUSED')],
    ['unknown', 'a call that was cancelled', wire(status.CANCELLED, 'Call cancelled')],
    ['unknown', 'a call that this side cancelled', wire(status.CANCELLED, 'Cancelled on client')],
    [
      'unknown',
      'a node that does not lead',
      wire(status.NOT_FOUND, 'Leader info available', {
        exception: 'not-leader',
        'leader-endpoint-host': '127.0.0.1',
        'leader-endpoint-port': '2113',
      }),
    ],
    ['unknown', 'a message that is too large', wire(status.RESOURCE_EXHAUSTED, 'Received message exceeds the maximum')],
    ['unknown', 'an exception of the server', wire(status.UNKNOWN, 'Exception was thrown by handler.')],
    ['unknown', 'an end without a response', wire(status.UNIMPLEMENTED, 'No message received')],
    ['unknown', 'no node of a cluster', new Error('Failed to discover after 10 attempts.')],
    ['unknown', 'no response in time', new DeadlinePassed(5)],
  ] as const)('is %s: %s', (failure, _, error) => {
    expect(failureOf(error)).toBe(failure);
    expect(unavailable(error)).toBeInstanceOf(StoreUnavailable);
  });

  it('because of a programming mistake is thrown', () => {
    const mistake = new TypeError('undefined is not a function');
    expect(() => failureOf(mistake)).toThrow(mistake);
    expect(unavailable(mistake)).toBe(mistake);
  });

  it('names the kind of error even if the error has no message', () =>
    expect(unavailable(new DeadlineExceededError())).toMatchObject({
      message: expect.stringContaining('deadline-exceeded'),
    }));
});

describe('a read that failed', () => {
  it('means a missing stream only if the error says so', () => {
    expect(isMissing(wire(status.NOT_FOUND, 'gone', { exception: 'stream-not-found', 'stream-name': 's' }))).toBe(true);
    expect(isMissing(convertToCommandError(streamDeleted('s')))).toBe(true);
    expect(isMissing(wire(status.NOT_FOUND, 'something else'))).toBe(false);
  });

  it('is worth a retry if the connection was lost', () => {
    expect(isLost(wire(status.UNAVAILABLE, 'Connection dropped'))).toBe(true);
    expect(isLost(callError(status.UNAVAILABLE, 'connect ECONNREFUSED'))).toBe(true);
    const leader = { 'leader-endpoint-host': '127.0.0.1', 'leader-endpoint-port': '2113' };
    expect(isLost(wire(status.NOT_FOUND, 'not me', { exception: 'not-leader', ...leader }))).toBe(true);
    expect(isLost(convertToCommandError(stopped()))).toBe(false);
  });
});

describe('a read of the log that failed', () => {
  it('is final only if the server cannot serve it', () => {
    expect(isPermanent(wire(status.UNKNOWN, 'Exception was thrown by handler.'))).toBe(true);
    expect(isPermanent(wire(status.PERMISSION_DENIED, 'denied', { exception: 'access-denied' }))).toBe(true);
    for (const error of [notReady(), stopped(), tooSlow()])
      expect(isPermanent(convertToCommandError(error))).toBe(false);
  });
});
