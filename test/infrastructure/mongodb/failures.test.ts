import { MongoBulkWriteError, MongoInvalidArgumentError, MongoNetworkError, MongoServerError } from 'mongodb';
import { describe, expect, it } from 'vitest';
import { RightMissing, StoreUnavailable } from '../../../src/infrastructure/errors.js';
import { isUnavailable, mongoFailure, UnknownFailures } from '../../../src/infrastructure/mongodb/failures.js';

const bulk = (more: { code?: number; writeErrors?: readonly object[] } = {}, concern?: object) =>
  new MongoBulkWriteError({ message: 'bulk', ...more } as never, { getWriteConcernError: () => concern } as never);
const failed = (...codes: readonly number[]) => codes.map((code, index) => ({ code, index }));

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
    ['AuthenticationFailed', 18],
    ['AtlasError (a quota)', 8_000],
    ['OutOfDiskSpace', 14_031],
    ['UnknownError', 8],
    ['a code of a later server', 99_999],
  ])('has the code %s', (_, code) => {
    expect(isUnavailable(new MongoServerError({ message: 'no', code }))).toBe(true);
    expect(isUnavailable(bulk({ code, writeErrors: failed(code) }))).toBe(true);
  });

  it.each([
    ['one of whose writes was not refused', bulk({ code: 11_000, writeErrors: failed(11_000, 189) })],
    ['the first of whose writes was not refused', bulk({ code: 189, writeErrors: failed(189, 11_000) })],
    ['that failed before its first write', bulk({ code: 189, writeErrors: [] })],
    ['whose writes no majority has', bulk({ code: 11_000, writeErrors: failed(11_000) }, { code: 64 })],
  ])('is a bulk %s', (_, error) => expect(isUnavailable(error)).toBe(true));

  it('is a network error', () => expect(isUnavailable(new MongoNetworkError('cut'))).toBe(true));
});

describe('a call that MongoDB refused for want of a right', () => {
  it.each([
    [
      'not authorized on clinic_vault to execute command { find: "records", filter: { key: "canary" }, $db: "clinic_vault" }',
      'the user may not run find on the database clinic_vault',
    ],
    ['Command find requires authentication', 'Command find requires authentication'],
    ['not allowed: { find: "records", filter: { key: "canary" } }', 'the user may not run a command'],
  ])('names the right, without the data of the call: %s', (message, right) => {
    const cause = new MongoServerError({ message, code: 13, codeName: 'Unauthorized' });
    const failure = mongoFailure('the vault', cause);
    expect(failure).toMatchObject({ constructor: RightMissing, message: `the vault cannot be used: ${right}`, cause });
    expect(`${failure}`).not.toContain('canary');
  });

  it('is not a call whose user or password is wrong', () => {
    const refused = new MongoServerError({ message: 'Authentication failed.', code: 18 });
    expect(mongoFailure('the vault', refused)).toMatchObject({ constructor: StoreUnavailable });
  });
});

describe('an error of MongoDB that the caller caused', () => {
  it.each([
    ['a duplicate key', new MongoServerError({ message: 'duplicate', code: 11_000 })],
    ['an index that exists with other options', new MongoServerError({ message: 'conflict', code: 85 })],
    ['a document that the server finds too large', new MongoServerError({ message: 'too large', code: 10_334 })],
    ['a document that the driver finds too large', new MongoInvalidArgumentError('too large')],
    ['a document that the driver cannot serialize', new RangeError('out of range')],
    ['an argument of a wrong type', new MongoServerError({ message: 'wrong type', code: 14 })],
    ['a wrong argument of Node.js', Object.assign(new TypeError('wrong'), { code: 'ERR_INVALID_ARG_TYPE' })],
    ['a bulk with a duplicate key', bulk({ code: 11_000, writeErrors: failed(11_000) })],
    ['a bulk all of whose writes were refused', bulk({ code: 11_000, writeErrors: failed(11_000, 10_334) })],
    ['a bulk that was refused before its first write', bulk({ code: 10_334, writeErrors: [] })],
  ])('is %s', (_, error) => {
    expect(isUnavailable(error)).toBe(false);
  });
});

describe('a task that MongoDB fails', () => {
  const failing = (code: number, label?: string) => {
    const error = new MongoServerError({ message: 'no', code });
    if (label !== undefined) error.addErrorLabel(label);
    return new StoreUnavailable('the read models', error);
  };
  /** Fails at these seconds with these errors. Returns the errors that the caller gets. */
  const failedAt = async (...failures: readonly (readonly [seconds: number, error: Error | undefined])[]) => {
    const tasks = new UnknownFailures();
    const outcomes: unknown[] = [];
    for (const [seconds, error] of failures) {
      const run = () => (error === undefined ? Promise.resolve('done') : Promise.reject(error));
      outcomes.push(
        await tasks
          .watch('protocols 1', run, () => seconds * 1_000)
          .catch((thrown: Error) => (thrown === error ? 'retry' : thrown.constructor)),
      );
    }
    return outcomes;
  };

  it('is permanent once the server has failed it with the same unknown code for a minute', async () => {
    const error = failing(4_242);
    expect(await failedAt([0, error], [30, error], [60, error], [61, error])).toEqual([
      ...['retry', 'retry'],
      ...[MongoServerError, MongoServerError],
    ]);
  });

  it.each([13, 18, 8_000, 14_031])('is tried again and again with the lasting code %i', async (code) => {
    expect(await failedAt([0, failing(code)], [600, failing(code)])).toEqual(['retry', 'retry']);
  });

  it('is tried again if it succeeded, failed otherwise or may be retried in the meantime', async () => {
    const error = failing(4_242);
    const label = failing(4_242, 'RetryableWriteError');
    for (const between of [undefined, failing(4_243), new StoreUnavailable('it', 'silent'), label]) {
      expect((await failedAt([0, error], [30, between], [70, error])).at(-1)).toBe('retry');
    }
  });
});
