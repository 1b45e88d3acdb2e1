import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { SqliteFacts } from '../../src/infrastructure/facts/sqlite.js';
import { Database } from '../../src/infrastructure/sqlite/driver.js';
import { SqliteVault } from '../../src/infrastructure/vault/sqlite.js';
import { prove } from '../../src/transparency/prove.js';
import { temporaryDirectory } from '../support/directory.js';
import { fileStores } from '../support/opened-stores.js';
import { growerSuite } from './grower.suite.js';
import { appendEvents, failingAt, growerOf, growToEnd, openStores, serviceKey } from './support/growing.js';

growerSuite('SQLite', async () => {
  const directory = temporaryDirectory();
  const [facts, vault] = [new SqliteFacts(directory), new SqliteVault(directory)];
  const close = async () => {
    await facts.close();
    await vault.close();
  };
  return { facts, vault, close };
});

/** Opens stores in files, which a test may change. */
const openFiles = () => {
  const directory = temporaryDirectory();
  return openStores(directory, fileStores(directory));
};

describe('a changed log', () => {
  /** Grows the tree over 300 events, changes the file, appends `more` events and grows the tree again. */
  const grownAfter = async (change: string, { file = 'facts', more = 1 } = {}) => {
    const { directory, records, ...stores } = openFiles();
    await appendEvents(stores.facts, 300);
    await growToEnd(growerOf(stores));
    const before = await records.state();
    const db = new Database(join(directory, `${file}.sqlite`));
    db.exec(change);
    db.close();
    await appendEvents(stores.facts, more);
    const code = await growToEnd(growerOf(stores)).then(
      () => 'signed',
      (error: { code?: string }) => error.code,
    );
    const after = await records.state();
    if (code !== 'signed' && file === 'facts') expect(after?.signed?.note).toBe(before?.signed?.note);
    return code;
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
    ['the edge', editState('$.edge[1]', "'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA='"), 'tree-altered'],
  ])('is not signed after a change of %s in the vault', async (_, change, code) =>
    expect(await grownAfter(change, { file: 'vault' })).toBe(code),
  );

  const editKey = (path: string, value: string) =>
    `UPDATE records SET value = json_set(value, '$[0].${path}', ${value}) WHERE kind = 'log-key'`;
  const removed =
    "DELETE FROM records WHERE kind IN ('log-state', 'log-tile', 'log-checkpoint', 'log-proof', 'log-fault')";
  it.each([
    ['no state', removed],
    ['a state without a checkpoint', editState('$.signed', 'NULL')],
    ['a smaller checkpoint', editState('$.signed.size', '299')],
    ['a checkpoint of more events than the tree', editState('$.signed.size', '302')],
    ['a key without a tree', editKey('signed', 'NULL')],
    ['the origin of another log', editState('$.origin', "'localhost/audit/log/2'")],
    ['no state, and a key that has signed less', `${editKey('signed.size', '0')}; ${removed}`],
    [
      'no state, and a key that says nothing about it',
      `UPDATE records SET value = json_remove(value, '$[0].signed') WHERE kind = 'log-key'; ${removed}`,
    ],
    ['no private key', editKey('sealed', 'NULL')],
  ])('is not signed if the vault has %s', async (_, change) =>
    expect(await grownAfter(change, { file: 'vault' })).toBe('log-lost'),
  );
});

it('an altered event is named even if no key is bound to a checkpoint yet', async () => {
  const stores = openFiles();
  await growerOf(stores).step();
  await appendEvents(stores.facts, 300);
  // The changes store the full tile and the state, and bind the key.
  await expect(growToEnd(growerOf(stores, failingAt(stores.vault, 3)))).rejects.toThrow('killed');
  const db = new Database(join(stores.directory, 'facts.sqlite'));
  db.exec(`UPDATE events SET type = 'UserErased' WHERE position = 100`);
  db.close();
  const { faults } = await prove({ sealedFacts: stores.facts, vault: stores.vault, serviceKey });
  expect(faults).toEqual([expect.stringContaining('the event at index 99 differs from the signed log')]);
});
