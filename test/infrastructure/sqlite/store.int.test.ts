// A file that several threads of a process have open.
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import { migrate } from '../../../src/infrastructure/sqlite/database.js';
import { SqliteStore } from '../../../src/infrastructure/sqlite/store.js';
import { temporaryDirectory } from '../../support/directory.js';

const OPERATIONS = `
  export const operationsOf = (db) => {
    const insert = db.prepare('INSERT INTO numbers VALUES (?)');
    return { insert: (number) => insert.run(number).changes };
  };`;

it.each([
  ['the writer closes first', (writer: Closing, reader: Closing) => [writer, reader]],
  ['the reader closes first', (writer: Closing, reader: Closing) => [reader, writer]],
])('is left without a WAL if %s', async (_, order) => {
  const directory = temporaryDirectory();
  const [file, operations] = [join(directory, 'numbers.sqlite'), join(directory, 'operations.mjs')];
  writeFileSync(operations, OPERATIONS);
  const opened = () =>
    new SqliteStore<{ insert: (number: number) => number }>({
      name: 'the numbers',
      file,
      upgrade: (path) => migrate(path, ['CREATE TABLE numbers (number INTEGER PRIMARY KEY) STRICT;']),
      operations: pathToFileURL(operations),
    });
  const [writer, reader] = [opened(), opened()];
  await writer.run('insert', 1);
  const count = reader.db.prepareValue<[], number>('SELECT count(*) FROM numbers');
  expect(reader.read(() => count.get())).toBe(1);
  expect(existsSync(`${file}-wal`)).toBe(true);
  for (const store of order(writer, reader)) await store.close();
  expect(existsSync(`${file}-wal`)).toBe(false);
  const again = opened();
  expect(again.db.prepareValue<[], number>('SELECT count(*) FROM numbers').get()).toBe(1);
  await again.close();
});

interface Closing {
  close(): Promise<void>;
}
