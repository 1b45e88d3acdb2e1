import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { SqliteFacts } from '../../src/infrastructure/facts/sqlite.js';
import { Database } from '../../src/infrastructure/sqlite/driver.js';
import { SqliteVault } from '../../src/infrastructure/vault/sqlite.js';
import { LogRecords } from '../../src/transparency/records.js';
import { temporaryDirectory } from '../support/directory.js';
import { appendEvents, growerOf, growerSuite, growToEnd } from './grower.suite.js';

const opened = () => {
  const directory = temporaryDirectory();
  const [facts, vault] = [new SqliteFacts(directory), new SqliteVault(directory)];
  const close = async () => {
    await facts.close();
    await vault.close();
  };
  return { directory, facts, vault, close };
};

growerSuite('SQLite', async () => opened());

describe('a changed log', () => {
  /** Grows the tree over 300 events, changes the file, appends `more` events and grows the tree again. */
  const grownAfter = async (change: string, { file = 'facts', more = 1 } = {}) => {
    const { directory, close, ...stores } = opened();
    try {
      await appendEvents(stores.facts, 300);
      await growToEnd(growerOf(stores));
      const before = await new LogRecords(stores.vault).state();
      const db = new Database(join(directory, `${file}.sqlite`));
      db.exec(change);
      db.close();
      await appendEvents(stores.facts, more);
      const code = await growToEnd(growerOf(stores)).then(
        () => 'signed',
        (error: { code?: string }) => error.code,
      );
      const after = await new LogRecords(stores.vault).state();
      if (code !== 'signed' && file === 'facts') expect(after?.value.signed?.note).toBe(before?.value.signed?.note);
      return code;
    } finally {
      await close();
    }
  };
  const changeOf = (position: number) =>
    `UPDATE events SET data = json_set(data, '$.name', 'Neurology') WHERE position = ${position}`;

  it('is still signed if the change has no effect', async () =>
    expect(await grownAfter('UPDATE events SET data = data')).toBe('signed'));

  it.each([
    ['an event of the last tile', changeOf(290), 'log-replaced'],
    ['the last event', changeOf(300), 'log-replaced'],
    ['the last event removed', 'DELETE FROM events WHERE position = 300', 'log-replaced'],
    ['the end cut off', 'DELETE FROM events WHERE position > 200', 'log-cut'],
    [
      'an event inserted before the last',
      `UPDATE events SET position = 301 WHERE position = 300;
       INSERT INTO events SELECT 300, 'specialty-inserted', 0, id, type, data, metadata FROM events WHERE position = 299`,
      'log-replaced',
    ],
    [
      'two events swapped',
      'UPDATE events SET position = CASE position WHEN 298 THEN -299 WHEN 299 THEN -298 END WHERE position IN (298, 299); UPDATE events SET position = -position WHERE position < 0',
      'log-replaced',
    ],
    ['everything removed', 'DELETE FROM events', 'log-cut'],
  ])('is not signed after a change of %s', async (_, change, code) => expect(await grownAfter(change)).toBe(code));

  it('is not signed after a cut, even if new events make the log longer than before', async () =>
    expect(await grownAfter('DELETE FROM events WHERE position > 280', { more: 50 })).toBe('log-replaced'));

  const editState = (path: string, value: string) =>
    `UPDATE records SET value = json_set(value, '${path}', ${value}) WHERE kind = 'log-state'`;
  it.each([
    [
      'the checkpoint',
      editState('$.signed.note', "replace(json_extract(value, '$.signed.note'), 'log', 'lag')"),
      'checkpoint-altered',
    ],
    ['the size of the checkpoint', editState('$.signed.size', '299'), 'checkpoint-altered'],
    ['the edge', editState('$.edge[1]', "'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA='"), 'tree-altered'],
  ])('is not signed after a change of %s in the vault', async (_, change, code) =>
    expect(await grownAfter(change, { file: 'vault' })).toBe(code),
  );
});
