import { existsSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { StoreUnavailable } from '../../../src/infrastructure/errors.js';
import { Rings } from '../../../src/infrastructure/rings.js';
import { migrate, type Synchronous } from '../../../src/infrastructure/sqlite/database.js';
import { Database } from '../../../src/infrastructure/sqlite/driver.js';
import { rewritesOf, SqliteWriter } from '../../../src/infrastructure/sqlite/writer.js';
import { temporaryDirectory } from '../../support/directory.js';
import { eventually } from '../../support/eventually.js';

// `die` ends the thread, and `dieSoon` does so after its response, with the file `dead`. While the file `broken` exists,
// no thread can start.
const OPERATIONS = `
  import { existsSync, writeFileSync } from 'node:fs';
  export const operationsOf = (db) => {
    if (existsSync(new URL('broken', import.meta.url))) throw new Error('broken');
    const insert = db.prepare('INSERT INTO numbers (number) VALUES (?)');
    const all = db.prepareValue('SELECT number FROM numbers ORDER BY number');
    return {
      insert: (number) => void insert.run(number),
      all: () => all.all(),
      synchronous: () => db.pragma('synchronous'),
      die: () => process.exit(3),
      dieSoon: () => void setTimeout(() => {
        writeFileSync(new URL('dead', import.meta.url), '');
        process.exit(3);
      }, 20),
    };
  };`;

const newWriter = (synchronous?: Synchronous) => {
  const directory = temporaryDirectory();
  const [file, operations] = [join(directory, 'numbers.sqlite'), join(directory, 'operations.mjs')];
  migrate(file, ['CREATE TABLE numbers (number INTEGER PRIMARY KEY) STRICT;']);
  writeFileSync(operations, OPERATIONS);
  const writer = new SqliteWriter('the numbers', file, pathToFileURL(operations), synchronous);
  onTestFinished(async () => void (await writer.close()));
  return { writer, file, broken: join(directory, 'broken'), dead: join(directory, 'dead') };
};

describe('the writer of a SQLite file', () => {
  it('lets one operation of a group fail without the others', async () => {
    const { writer } = newWriter();
    const settled = await Promise.allSettled([1, 2, 1, 3].map((number) => writer.run('insert', number)));
    expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled']);
    expect(await writer.run('all', null)).toEqual([1, 2, 3]);
  });

  it('rejects its current operations when its thread ends, and starts another thread', async () => {
    const { writer } = newWriter();
    await writer.run('insert', 1);
    await expect(writer.run('die', null)).rejects.toBeInstanceOf(StoreUnavailable);
    await writer.run('insert', 2);
    expect(await writer.run('all', null)).toEqual([1, 2]);
  });

  it('finishes a rewrite of the file although its thread ends meanwhile', async () => {
    const { writer, file, dead } = newWriter();
    const other = new Database(file);
    onTestFinished(() => other.close());
    await writer.run('dieSoon', null);
    other.exec('BEGIN IMMEDIATE');
    const forgotten = writer.alone('forget');
    const inserted = writer.run('insert', 1);
    await eventually(() => expect(existsSync(dead)).toBe(true));
    other.exec('ROLLBACK');
    await Promise.all([forgotten, inserted]);
    expect(await writer.run('all', null)).toEqual([1]);
  });

  it('does not wait for a rewrite of the file when it closes', async () => {
    const { writer, file } = newWriter();
    await writer.run('insert', 1);
    const other = new Database(file);
    onTestFinished(() => other.close());
    other.exec('BEGIN IMMEDIATE');
    const forgotten = writer.alone('forget').then(
      () => 'forgotten',
      (error: unknown) => error,
    );
    const inserted = writer.run('insert', 2).catch((error: unknown) => error);
    const closed = writer.close();
    const failure = await forgotten;
    expect(failure).toBeInstanceOf(StoreUnavailable);
    expect(String(failure)).not.toMatch(/locked|busy/i);
    other.exec('ROLLBACK');
    await closed;
    expect(await inserted).toBeUndefined();
  });

  it('works again immediately after a thread that could not start', async () => {
    const { writer, broken } = newWriter();
    for (let number = 0; number < 10; number += 1) {
      writeFileSync(broken, '');
      await expect(writer.run('insert', -1)).rejects.toThrow(/broken/);
      rmSync(broken);
      await writer.run('insert', number);
      await expect(writer.run('die', null)).rejects.toBeInstanceOf(StoreUnavailable);
    }
    expect(await writer.run('all', null)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  });

  it('says what SQLite found if its thread cannot open the file', async () => {
    const { writer, file } = newWriter();
    writeFileSync(file, 'This is not a SQLite file. '.repeat(1_000));
    await expect(writer.run('insert', 1)).rejects.toThrow('the numbers cannot be used: file is not a database');
  });

  it('commits earlier operations before it closes, and rejects later ones', async () => {
    const { writer } = newWriter();
    const inserted = Promise.all([1, 2, 3].map((number) => writer.run('insert', number)));
    await Promise.all([writer.close(), writer.close()]);
    await inserted;
    await expect(writer.run('insert', 4)).rejects.toBeInstanceOf(StoreUnavailable);
  });

  // `PRAGMA synchronous` reads as a number.
  it.each([
    { mode: undefined, expected: 2 },
    { mode: 'FULL', expected: 2 },
    { mode: 'NORMAL', expected: 1 },
  ] as const)('commits in the given synchronous mode: $mode', async ({ mode, expected }) => {
    expect(await newWriter(mode).writer.run('synchronous', null)).toBe(expected);
  });

  it('empties the WAL when it flushes, and keeps its synchronous mode', async () => {
    const { writer, file } = newWriter('NORMAL');
    for (const number of [1, 2]) {
      await writer.run('insert', number);
      expect(statSync(`${file}-wal`).size).toBeGreaterThan(0);
      await writer.alone('flush');
      expect(statSync(`${file}-wal`).size).toBe(0);
    }
    expect(await writer.run('synchronous', null)).toBe(1);
  });

  it('waits while another thread rewrites the file, for longer than a connection waits for a lock', async () => {
    const { writer, file } = newWriter();
    await writer.run('insert', 1);
    const rewriting = new Rings<boolean>(rewritesOf(file), () => {});
    const db = new Database(file);
    onTestFinished(() => db.close());
    db.exec('BEGIN IMMEDIATE');
    rewriting.ring(true);
    const written = writer.run('insert', 2);
    await pause(6_500);
    db.exec('COMMIT');
    await written;
    db.exec('BEGIN IMMEDIATE');
    rewriting.ring(false);
    rewriting.close();
    await expect(writer.run('insert', 3)).rejects.toThrow(StoreUnavailable);
  });
});
