// Tests how long reads of a SQLite file are cached: until a connection of any process commits, and within a limit of
// bytes.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openForReading, openForWriting } from '../../src/infrastructure/sqlite/database.js';
import { Database } from '../../src/infrastructure/sqlite/driver.js';
import { dataVersionOf, ReadCache } from '../../src/infrastructure/sqlite/read-cache.js';
import { temporaryDirectory } from '../support/directory.js';

/** Opens a file with one number and a cache of its reads, and counts how often the number is read from the file. */
const openNumber = (mostBytes = 100_000) => {
  const file = join(temporaryDirectory(), 'number.sqlite');
  const writer = openForWriting(file);
  writer.exec('CREATE TABLE numbers (n INTEGER); INSERT INTO numbers VALUES (1)');
  const reader = openForReading(file);
  onTestFinished(() => {
    reader.close();
    writer.close();
  });
  const cache = new ReadCache({ dataVersion: dataVersionOf(reader), maxBytes: mostBytes });
  const statement = reader.prepareValue<[], number>('SELECT n FROM numbers');
  const counted = { reads: 0 };
  const read = (key = 'n', length = 1) =>
    cache.read(
      key,
      () => {
        counted.reads += 1;
        return statement.get();
      },
      () => length,
    );
  return { file, writer, reader, cache, counted, read };
};

describe('a cache of reads', () => {
  it('reads once while nothing is committed', async () => {
    const { read, counted } = openNumber();
    for (let n = 1; n <= 3; n += 1) expect(await read()).toBe(1);
    expect(counted.reads).toBe(1);
  });

  it('sees the commit of another connection of this process', async () => {
    const { read, writer } = openNumber();
    for (let n = 2; n < 10; n += 1) {
      writer.prepare('UPDATE numbers SET n = ?').run(n);
      expect(await read()).toBe(n);
    }
  });

  it('sees the commit of a connection that was opened later', async () => {
    const { read, file } = openNumber();
    expect(await read()).toBe(1);
    const later = new Database(file);
    onTestFinished(() => {
      later.close();
    });
    later.prepare('UPDATE numbers SET n = 2').run();
    expect(await read()).toBe(2);
  });

  it('sees the commit of another process', async () => {
    const { read, file } = openNumber();
    const program = `
      const { DatabaseSync } = require('@photostructure/sqlite');
      new DatabaseSync(process.argv[1]).prepare('UPDATE numbers SET n = n + 1').run();`;
    for (const n of [1, 2, 3]) {
      expect(await read()).toBe(n);
      execFileSync(process.execPath, ['-e', program, file]);
    }
    expect(await read()).toBe(4);
  });

  it('sees a commit after each kind of WAL checkpoint', async () => {
    const { read, writer } = openNumber();
    for (const mode of ['PASSIVE', 'RESTART', 'TRUNCATE']) {
      writer.exec('UPDATE numbers SET n = n + 1');
      const before = await read();
      writer.pragma(`wal_checkpoint(${mode})`);
      writer.exec('UPDATE numbers SET n = n + 1');
      expect(await read()).toBe(Number(before) + 1);
    }
  });

  it('discards everything at a commit, including results that are not read again', async () => {
    const { read, writer, cache } = openNumber();
    for (const key of ['a', 'b', 'c']) await read(key);
    expect(cache.size).toBe(3);
    writer.exec('INSERT INTO numbers VALUES (9)');
    await read('d');
    expect(cache.size).toBe(1);
  });

  it('returns the committed value during and after a transaction that is rolled back', async () => {
    const { read, writer } = openNumber();
    writer.exec('BEGIN IMMEDIATE; UPDATE numbers SET n = 2');
    expect(await read()).toBe(1);
    writer.exec('ROLLBACK');
    expect(await read()).toBe(1);
  });

  it('does not keep a result if a commit happens during its read', async () => {
    const { cache, reader, writer } = openNumber();
    const n = reader.prepareValue<[], number>('SELECT n FROM numbers');
    const readThenCommit = () => {
      const value = n.get();
      writer.exec('UPDATE numbers SET n = 2');
      return value;
    };
    const length = () => 1;
    expect(await cache.read('n', readThenCommit, length)).toBe(1);
    expect(await cache.read('n', () => n.get(), length)).toBe(2);
  });

  it('checks the file once for all reads of a turn, after the last of them', async () => {
    const { file, writer } = openNumber();
    const checks = { count: 0 };
    const reader = openForReading(file);
    onTestFinished(() => {
      reader.close();
    });
    const n = reader.prepareValue<[], number>('SELECT n FROM numbers');
    const version = dataVersionOf(reader);
    const dataVersion = () => {
      checks.count += 1;
      return version();
    };
    const cache = new ReadCache({ dataVersion, maxBytes: 10_000 });
    const readN = () =>
      cache.read(
        'n',
        () => n.get(),
        () => 1,
      );
    expect(await readN()).toBe(1);
    const first = readN();
    writer.exec('UPDATE numbers SET n = 2');
    expect(await Promise.all([first, readN(), readN()])).toEqual([2, 2, 2]);
    expect(checks.count).toBe(2);
  });

  it('rejects the reads of a turn in which it cannot check the file, and checks again in the next turn', async () => {
    const faults: Error[] = [new Error('cannot check')];
    const dataVersion = () => {
      const fault = faults.pop();
      if (fault !== undefined) throw fault;
      return 1;
    };
    const cache = new ReadCache({ dataVersion, maxBytes: 10_000 });
    const readOne = () =>
      cache.read(
        'n',
        () => 1,
        () => 1,
      );
    expect(await Promise.allSettled([readOne(), readOne()])).toMatchObject([
      { reason: { message: 'cannot check' } },
      { reason: { message: 'cannot check' } },
    ]);
    expect(await readOne()).toBe(1);
  });

  it('does not keep an undefined result', async () => {
    const { cache } = openNumber();
    const nothing = () => undefined;
    expect(await cache.read('n', nothing, () => 1)).toBeUndefined();
    expect(cache.size).toBe(0);
  });

  it('holds no more than its limit of bytes, and no result above the limit', async () => {
    const { read, cache } = openNumber(10_000);
    for (let n = 0; n < 100; n += 1) await read(`key ${n}`, 1_000);
    expect(cache.size).toBeGreaterThan(1);
    expect(cache.size).toBeLessThan(5);
    const before = cache.size;
    await read('too large', 100_000);
    expect(cache.size).toBe(before);
  });
});
