import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { StoreUnavailable } from '../../../src/infrastructure/errors.js';
import { openForWriting } from '../../../src/infrastructure/sqlite/database.js';
import { SqliteWork } from '../../../src/infrastructure/work/sqlite.js';
import { operationsOf } from '../../../src/infrastructure/work/sqlite-statements.js';
import { temporaryDirectory } from '../../support/directory.js';
import { eventually } from '../../support/eventually.js';
import { CLOSE, newQueue } from './support/harness.js';
import { workSuite } from './work.suite.js';

const POLL = { pollMs: 10, ...CLOSE };
const Q = newQueue({ name: 'q' });

workSuite('SQLite', () => {
  const directory = temporaryDirectory();
  return () => new SqliteWork(directory, POLL);
});

describe('a job on SQLite whose process ended', () => {
  /** Opens an engine with a job that another process claimed for 0 ms and then left. */
  const abandoned = async () => {
    const directory = temporaryDirectory();
    const work = new SqliteWork(directory, POLL);
    await work.enqueue({ queue: Q, id: 'a', data: 'same' });
    const db = openForWriting(join(directory, 'work.sqlite'));
    const other = operationsOf(db);
    const claim = other.claim({ queue: 'q', attempts: 3, leaseMs: 0, longestMs: 600_000 });
    if (claim === undefined) throw new Error('there is no job to claim');
    const close = async () => {
      await work.close();
      db.close();
    };
    return { work, other, claim, close };
  };

  it('is taken over when its lease has run out', async () => {
    const { work, close } = await abandoned();
    const handler = vi.fn(async () => {});
    work.process(Q, handler);
    await eventually(async () => expect(await work.pending(Q)).toBe(0));
    expect(handler.mock.calls).toMatchObject([[{ queue: 'q', id: 'a', data: 'same', attempt: 2 }, {}]]);
    await close();
  });

  it('is parked when that was its last attempt', async () => {
    const { work, close } = await abandoned();
    const handler = vi.fn(async () => {});
    work.process({ ...Q, pausesMs: [] }, handler);
    const reason = expect.stringMatching(/./);
    await eventually(async () => expect(await work.deadLetters(Q)).toMatchObject([{ id: 'a', attempt: 1, reason }]));
    expect(handler).not.toHaveBeenCalled();
    await close();
  });

  it('can no longer be settled by its former process, even if it is retried as a new job', async () => {
    const { work, other, claim, close } = await abandoned();
    expect(other.claim({ queue: 'q', attempts: 3, leaseMs: 0, longestMs: 600_000 })).toMatchObject({ attempt: 2 });
    expect(other.finish(claim)).toBe(false);
    expect(other.claim({ queue: 'q', attempts: 2, leaseMs: 0, longestMs: 600_000 })).toBeUndefined();
    expect(other.finish(claim)).toBe(false);
    expect(await work.retry(Q, 'a')).toBe(true);
    const next = other.claim({ queue: 'q', attempts: 1, leaseMs: 600_000, longestMs: 600_000 });
    expect(next).toMatchObject({ id: 'a', attempt: claim.attempt });
    expect(other.finish(claim)).toBe(false);
    expect(other.fail({ ...claim, reason: 'late', pauseMs: undefined })).toBe(false);
    expect(other.putBack(claim)).toBe(false);
    expect(await work.pending(Q)).toBe(1);
    await close();
  });
});

describe('unavailable work on SQLite', () => {
  it('reports the fault, and recovers', async () => {
    const directory = temporaryDirectory();
    const onError = vi.fn<(error: Error) => void>();
    const work = new SqliteWork(directory, { ...POLL, onError });
    const db = openForWriting(join(directory, 'work.sqlite'));
    db.exec('ALTER TABLE jobs RENAME TO elsewhere');
    const handler = vi.fn(async () => {});
    work.process(Q, handler);
    await eventually(() => expect(onError).toHaveBeenCalledWith(expect.any(StoreUnavailable)));
    db.exec('ALTER TABLE elsewhere RENAME TO jobs');
    await work.enqueue({ queue: Q, id: 'a', data: null });
    await eventually(async () => expect(await work.pending(Q)).toBe(0));
    expect(handler).toHaveBeenCalledOnce();
    await work.close();
    db.close();
  });

  it('does not repeat a job because its end could not be written', async () => {
    const directory = temporaryDirectory();
    const onError = vi.fn<(error: Error) => void>();
    const work = new SqliteWork(directory, { ...POLL, onError });
    const db = openForWriting(join(directory, 'work.sqlite'));
    const handler = vi.fn(async () => void db.exec('ALTER TABLE jobs RENAME TO elsewhere'));
    await work.enqueue({ queue: Q, id: 'a', data: null });
    work.process(Q, handler);
    await eventually(() => expect(onError).toHaveBeenCalledWith(expect.any(StoreUnavailable)));
    db.exec('ALTER TABLE elsewhere RENAME TO jobs');
    await eventually(async () => expect(await work.pending(Q)).toBe(0));
    expect(handler).toHaveBeenCalledOnce();
    await work.close();
    db.close();
  });

  it('emits a warning if it has no error handler', async () => {
    const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
    const directory = temporaryDirectory();
    const work = new SqliteWork(directory, POLL);
    const db = openForWriting(join(directory, 'work.sqlite'));
    db.exec('DROP TABLE jobs');
    work.process(Q, async () => {});
    await eventually(() => expect(warn).toHaveBeenCalledWith(expect.any(StoreUnavailable)));
    await work.close();
    db.close();
    warn.mockRestore();
  });

  it('rejects every call once it is closed', async () => {
    const work = new SqliteWork(temporaryDirectory());
    await work.close();
    const calls = [
      work.enqueue({ queue: Q, id: 'a', data: null }),
      work.deadLetters(Q),
      work.countDeadLetters(Q),
      work.pending(Q),
    ];
    for (const settled of await Promise.allSettled<unknown>(calls)) {
      expect(settled).toMatchObject({ status: 'rejected', reason: expect.any(StoreUnavailable) });
    }
    expect(() => work.process(Q, async () => {})).toThrow(StoreUnavailable);
  });
});
