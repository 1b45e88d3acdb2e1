import { execFileSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Database, SqliteError } from '../../../src/infrastructure/sqlite/driver.js';
import { temporaryDirectory } from '../../support/directory.js';
import { repetitions } from '../../support/repetitions.js';

const PRESSURE = fileURLToPath(new URL('./support/driver-collection.mjs', import.meta.url));

/** Opens a file that has a table of names. */
const openNames = () => {
  const file = join(temporaryDirectory(), 'names.sqlite');
  const db = new Database(file);
  onTestFinished(() => db.close());
  db.exec('PRAGMA journal_mode = WAL; CREATE TABLE names (id INTEGER PRIMARY KEY, name TEXT UNIQUE) STRICT');
  const insert = db.prepare<[string]>('INSERT INTO names (name) VALUES (?)');
  const names = db.prepareValue<[], string>('SELECT name FROM names ORDER BY id');
  return { file, db, insert, names };
};

const codeOf = (task: () => unknown): string => {
  try {
    task();
  } catch (error) {
    if (error instanceof SqliteError) return error.code;
    throw error;
  }
  return 'no error';
};

describe('the SQLite driver', () => {
  it('names the result code of SQLite', () => {
    const { file, db, insert } = openNames();
    insert.run('Ana');
    expect(codeOf(() => insert.run('Ana'))).toBe('SQLITE_CONSTRAINT');
    expect(codeOf(() => db.prepare('SELECT * FROM nothing'))).toBe('SQLITE_ERROR');
    const other = new Database(file, { timeout: 0 });
    db.exec('BEGIN IMMEDIATE');
    expect(codeOf(() => other.transaction(() => 1))).toBe('SQLITE_BUSY');
    db.exec('ROLLBACK');
    const statement = other.prepare('SELECT 1');
    other.close();
    expect([codeOf(() => statement.get()), codeOf(() => other.exec('SELECT 1'))]).toEqual(
      Array(2).fill('SQLITE_MISUSE'),
    );
    const text = join(temporaryDirectory(), 'text');
    writeFileSync(text, 'This is not a database, although it is long enough to be one. '.repeat(20));
    expect(codeOf(() => new Database(text).prepareValue('SELECT count(*) FROM sqlite_schema').get())).toBe(
      'SQLITE_NOTADB',
    );
  });

  it('creates no file if the file must exist or is only read', () => {
    const file = join(temporaryDirectory(), 'a name with spaces, % and ?.sqlite');
    expect(codeOf(() => new Database(file, { mustExist: true }))).toBe('SQLITE_CANTOPEN');
    expect(codeOf(() => new Database(file, { readOnly: true }))).toBe('SQLITE_CANTOPEN');
    expect(existsSync(file)).toBe(false);
    new Database(file).close();
    new Database(file, { mustExist: true }).close();
    const reader = new Database(file, { readOnly: true });
    onTestFinished(() => reader.close());
    expect(codeOf(() => reader.exec('CREATE TABLE t (a)'))).toBe('SQLITE_READONLY');
  });

  it('refuses values that it would store as others, by place and by name', () => {
    const { db, insert, names } = openNames();
    expect(() => insert.run('Ana\0Mallory')).toThrow(/NUL/);
    expect(() => db.prepare('INSERT INTO names (name) VALUES (@name)').run({ name: 'Ana\0' })).toThrow(/NUL/);
    expect(() => insert.run(undefined as unknown as string)).toThrow(/undefined/);
    expect(names.all()).toEqual([]);
  });

  it('closes a file although statements are in use, so that nothing remains beside it', () => {
    const { file, db, insert, names } = openNames();
    for (const name of ['Ana', 'Bia']) insert.run(name);
    expect(names.iterate().next().value).toBe('Ana');
    expect(existsSync(`${file}-wal`)).toBe(true);
    db.close();
    db.close();
    expect(existsSync(`${file}-wal`)).toBe(false);
  });

  it('stores every other text code point for code point', () => {
    const { insert, names } = openNames();
    const texts = ['', ' ', 'ação 😀', '\u0001\u001f\u007f', '"quoted" \'twice\' ?', 'x'.repeat(1_000_000)];
    for (const text of texts) insert.run(text);
    expect(names.all()).toEqual(texts);
  });

  it('keeps nothing of a transaction that throws, and goes on', () => {
    const { db, insert, names } = openNames();
    const failing = () =>
      db.transaction(() => {
        insert.run('Ana');
        throw new Error('enough');
      });
    expect(failing).toThrow('enough');
    expect(db.transaction(() => insert.run('Bia').changes)).toBe(1);
    expect(names.all()).toEqual(['Bia']);
  });

  it('reads again after a reader stopped early', () => {
    const { insert, names } = openNames();
    for (const name of ['Ana', 'Bia', 'Caio']) insert.run(name);
    for (const expected of ['Ana', 'Ana']) {
      for (const name of names.iterate()) {
        expect(name).toBe(expected);
        break;
      }
    }
    insert.run('Davi');
    expect([...names.iterate()]).toEqual(['Ana', 'Bia', 'Caio', 'Davi']);
  });

  it('copies what the connection sees, not what others write meanwhile', async () => {
    const { file, insert } = openNames();
    insert.run('Ana');
    const reader = new Database(file, { readOnly: true });
    onTestFinished(() => reader.close());
    reader.exec('BEGIN');
    expect(reader.prepareValue('SELECT count(*) FROM names').get()).toBe(1);
    insert.run('Bia');
    const to = join(temporaryDirectory(), 'copy.sqlite');
    await reader.backup(to, 1);
    const copy = new Database(to, { readOnly: true });
    onTestFinished(() => copy.close());
    expect(copy.prepareValue('SELECT name FROM names').all()).toEqual(['Ana']);
    await expect(reader.backup(join(to, 'below a file'), 1)).rejects.toMatchObject({ code: 'SQLITE_CANTOPEN' });
  });

  // better-sqlite3 12 aborted Node.js 24 when its objects were collected.
  it('survives that its objects are collected in every thread', () => {
    const seconds = String(repetitions('COLLECTION_SECONDS'));
    const out = execFileSync(process.execPath, ['--expose-gc', PRESSURE, temporaryDirectory(), seconds], {
      encoding: 'utf8',
    });
    expect(out).toMatch(/^collected in 3 threads: [1-9]/);
  });
});
