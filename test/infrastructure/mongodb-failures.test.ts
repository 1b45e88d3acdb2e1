import { MongoBulkWriteError, MongoInvalidArgumentError, MongoNetworkError, MongoServerError } from 'mongodb';
import { describe, expect, it } from 'vitest';
import { isUnavailable } from '../../src/infrastructure/mongodb/failures.js';

const labelled = (label: string) => {
  const error = new MongoServerError({ message: 'try again', code: 1 });
  error.addErrorLabel(label);
  return error;
};

const bulk = (more: { code?: number; writeErrors?: readonly object[] } = {}) =>
  new MongoBulkWriteError({ message: 'bulk', ...more } as never, { getWriteConcernError: () => undefined } as never);

describe('an error of MongoDB that means that the server is temporarily unavailable', () => {
  it.each([
    ['NotYetInitialized', 94],
    ['WriteConflict', 112],
    ['PrimarySteppedDown', 189],
    ['KeyNotFound', 211],
    ['DatabaseDropPending', 215],
    ['IndexBuildAborted', 276],
    ['TemporarilyUnavailable', 365],
    ['BackgroundOperationInProgressForNamespace', 12_587],
  ])('has the code %s', (_, code) => {
    expect(isUnavailable(new MongoServerError({ message: 'no', code }))).toBe(true);
    expect(isUnavailable(bulk({ code, writeErrors: [{ code, index: 0 }] }))).toBe(true);
  });

  it.each([
    'PoolRequestedRetry',
    'RetryableError',
    'RetryableWriteError',
    'SystemOverloadedError',
    'TransientTransactionError',
  ])('has the label %s, whatever its code', (label) => {
    expect(isUnavailable(labelled(label))).toBe(true);
    const error = bulk({ code: 1 });
    error.addErrorLabel(label);
    expect(isUnavailable(error)).toBe(true);
  });

  it('is a network error', () => expect(isUnavailable(new MongoNetworkError('cut'))).toBe(true));
});

describe('an error of MongoDB that the caller caused', () => {
  it.each([
    ['a duplicate key', new MongoServerError({ message: 'duplicate', code: 11_000 })],
    ['an index that exists with other options', new MongoServerError({ message: 'conflict', code: 85 })],
    ['a document that the server finds too large', new MongoServerError({ message: 'too large', code: 10_334 })],
    ['a document that the driver finds too large', new MongoInvalidArgumentError('too large')],
    ['a document that the driver cannot serialize', new RangeError('out of range')],
    ['a label that does not ask for a retry', labelled('NonResumableChangeStreamError')],
    ['a bulk with a duplicate key', bulk({ code: 11_000, writeErrors: [{ code: 11_000, index: 0 }] })],
  ])('is %s', (_, error) => {
    expect(isUnavailable(error)).toBe(false);
  });
});
