import {
  convertToCommandError,
  DeadlineExceededError,
  InvalidArgumentError,
  MaxAppendSizeExceededError,
  StreamDeletedError,
  UnavailableError,
  UnsupportedError,
  WrongExpectedVersionError,
} from '@eventstore/db-client';
import { status } from '@grpc/grpc-js';
import { describe, expect, it } from 'vitest';
import { DeadlinePassed } from '../../../../src/infrastructure/async.js';
import { RightMissing, StoreUnavailable } from '../../../../src/infrastructure/errors.js';
import {
  CallEnded,
  failureOf,
  isLost,
  isMissing,
  isPermanent,
  isTimeout,
  unavailable,
} from '../../../../src/infrastructure/facts/eventstoredb/errors.js';
import { AppendFailed } from '../../../../src/infrastructure/facts/eventstoredb/messages.js';
import { callError, notReady, stopped, streamDeleted, tooSlow } from '../../../support/eventstoredb/errors.js';

/** Returns the error that the client makes of an error of the server. */
const wire = (...args: Parameters<typeof callError>) => convertToCommandError(callError(...args));

const notLeader = wire(status.NOT_FOUND, 'Leader info available', {
  ...{ exception: 'not-leader', 'leader-endpoint-host': '127.0.0.1', 'leader-endpoint-port': '2113' },
});

describe('an append that failed', () => {
  const bad = null as never;
  it.each([
    ['wrong-revision', new WrongExpectedVersionError(bad, { streamName: 's', current: 1n, expected: 0n })],
    ['deleted', StreamDeletedError.fromStreamName('s')],
    ['deleted', convertToCommandError(streamDeleted('s'))],
    ['too-large', MaxAppendSizeExceededError.fromMaxAppendSize(1)],
    ['rejected', wire(status.PERMISSION_DENIED, 'denied', { exception: 'access-denied' })],
    ['rejected', wire(status.UNAUTHENTICATED, 'who are you')],
    ['rejected', wire(status.INVALID_ARGUMENT, 'bad', { exception: 'invalid-transaction' })],
    ['rejected', new AppendFailed('missing-required-metadata-property', 'an event without a type')],
    ['rejected', new InvalidArgumentError('bad')],
    ['rejected', new UnsupportedError('it', '99')],
    ['unknown', wire(status.ABORTED, 'Operation timed out: Commit phase timeout.')],
    ['unknown', new DeadlineExceededError()],
    ['unknown', wire(status.DEADLINE_EXCEEDED, 'Deadline exceeded after 1.001s')],
    ['unknown', wire(status.UNAVAILABLE, 'read ECONNRESET')],
    ['unknown', convertToCommandError(notReady())],
    ['unknown', new AppendFailed('unavailable', 'Server Is Not Ready')],
    ['unknown', convertToCommandError(stopped())],
    ['unknown', callError(status.UNAVAILABLE, 'connect ECONNREFUSED')],
    ['unknown', wire(status.CANCELLED, 'Call cancelled')],
    ['unknown', notLeader],
    ['unknown', wire(status.RESOURCE_EXHAUSTED, 'Received message exceeds the maximum')],
    ['unknown', wire(status.UNKNOWN, 'Exception was thrown by handler.')],
    ['unknown', wire(status.UNIMPLEMENTED, 'No message received')],
    ['unknown', new Error('Failed to discover after 10 attempts.')],
    ['unknown', new DeadlinePassed(5)],
  ] as const)('is %s: %s', (failure, error) => {
    expect(failureOf(error)).toBe(failure);
    expect(unavailable(error, 'read $all')).toBeInstanceOf(StoreUnavailable);
  });

  it('because of a programming mistake is thrown', () => {
    const mistake = new TypeError('undefined is not a function');
    expect(() => failureOf(mistake)).toThrow(mistake);
    expect(unavailable(mistake, 'read $all')).toBe(mistake);
  });

  it('names the kind of error even if the error has no message', () => {
    const error = new DeadlineExceededError();
    expect(unavailable(error, 'read $all')).toMatchObject({
      message: expect.stringContaining('deadline-exceeded'),
      cause: { cause: error },
    });
  });

  it('has the error as its cause', () => {
    const error = wire(status.ABORTED, 'Operation timed out');
    expect(unavailable(error, 'read $all')).toHaveProperty('cause', error);
  });
});

describe('a call without the right for it', () => {
  it.each([
    ['a read', wire(status.PERMISSION_DENIED, 'Access Denied', { exception: 'access-denied' })],
    ['an append', new AppendFailed('access-denied', 'Access Denied')],
  ])('names the right: %s', (_, error) =>
    expect(unavailable(error, 'append to streams')).toMatchObject({
      constructor: RightMissing,
      message: 'the event log cannot be used: the user may not append to streams',
      cause: error,
    }),
  );

  it('is not one whose user or password is wrong', () =>
    expect(unavailable(wire(status.UNAUTHENTICATED, 'Unauthenticated'), 'read $all')).not.toBeInstanceOf(RightMissing));
});

describe('a read that failed', () => {
  it('means a missing stream only if the error says so', () => {
    expect(isMissing(wire(status.NOT_FOUND, 'gone', { exception: 'stream-not-found', 'stream-name': 's' }))).toBe(true);
    expect(isMissing(convertToCommandError(streamDeleted('s')))).toBe(true);
    expect(isMissing(wire(status.NOT_FOUND, 'something else'))).toBe(false);
  });

  it.each([
    [true, wire(status.UNAVAILABLE, 'Connection dropped')],
    [true, callError(status.UNAVAILABLE, 'connect ECONNREFUSED')],
    [true, new UnavailableError()],
    [true, new CallEnded('cut')],
    [true, notLeader],
    [false, convertToCommandError(stopped())],
    [false, new DeadlinePassed(5)],
    [false, new Error('Failed to discover after 10 attempts.')],
  ])('is worth a retry if the connection was lost: %j, %s', (expected, error) => expect(isLost(error)).toBe(expected));

  it.each([
    [true, new DeadlinePassed(5)],
    [true, wire(status.DEADLINE_EXCEEDED, 'Deadline exceeded after 1.001s')],
    [false, wire(status.UNAVAILABLE, 'Connection dropped')],
    [false, new Error('Failed to discover after 10 attempts.')],
  ])('was silent only if its deadline passed: %j, %s', (expected, error) => expect(isTimeout(error)).toBe(expected));
});

// The client throws some texts.
describe('a thrown value that is no error', () => {
  it.each(['unavailable', null])('is of no kind, and stays as it is: %j', (thrown) => {
    for (const isKind of [isMissing, isLost, isTimeout, isPermanent]) expect(isKind(thrown)).toBe(false);
    expect(unavailable(thrown, 'read $all')).toBe(thrown);
  });
});

describe('a read of the log that failed', () => {
  it('is final only if the server cannot serve it', () => {
    expect(isPermanent(wire(status.UNKNOWN, 'Exception was thrown by handler.'))).toBe(true);
    expect(isPermanent(wire(status.PERMISSION_DENIED, 'denied', { exception: 'access-denied' }))).toBe(true);
    for (const error of [notReady(), stopped(), tooSlow()])
      expect(isPermanent(convertToCommandError(error))).toBe(false);
  });

  it.each([
    ['the code UNKNOWN and no type', callError(status.UNKNOWN, 'Exception was thrown by handler.')],
    ['neither, because the client found no node', new Error('Failed to discover after 10 attempts.')],
  ])('is not final if its error has %s', (_, error) => expect(isPermanent(error)).toBe(false));
});
