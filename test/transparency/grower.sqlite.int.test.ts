import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { Facts } from '../../src/infrastructure/facts/facts.js';
import { SqliteFacts } from '../../src/infrastructure/facts/sqlite.js';
import { Database } from '../../src/infrastructure/sqlite/driver.js';
import { SqliteVault } from '../../src/infrastructure/vault/sqlite.js';
import type { VaultEntry } from '../../src/infrastructure/vault/vault.js';
import { LogGrower } from '../../src/transparency/grower.js';
import { logKeys } from '../../src/transparency/keys.js';
import { prove } from '../../src/transparency/prove.js';
import { intercepted } from '../projections/support/intercepted.js';
import { temporaryDirectory } from '../support/directory.js';
import { growerSuite } from './grower.suite.js';
import { appendEvents, failingAt, growerOf, growToEnd, ORIGIN, openStores, serviceKey } from './support/growing.js';

growerSuite('SQLite', async () => {
  const directory = temporaryDirectory();
  const [facts, vault] = [new SqliteFacts(directory), new SqliteVault(directory)];
  const close = async () => {
    await facts.close();
    await vault.close();
  };
  return { facts, vault, close };
});

it('gives the event loop back between the pages that a step reads', async () => {
  const { facts, vault, records } = openStores();
  await appendEvents(facts, 900);
  let turn = 0;
  let isOver = false;
  const counting = (async () => {
    for (; !isOver; turn += 1) await nextTurn();
  })();
  const turns: number[] = [];
  const counted: Pick<Facts, 'head' | 'readLog'> = {
    head: () => facts.head(),
    readLog: (...page) => {
      turns.push(turn);
      return facts.readLog(...page);
    },
  };
  await new LogGrower({ sealedFacts: counted, vault, serviceKey }, records, ORIGIN).step();
  isOver = true;
  await counting;
  expect(turns.length).toBeGreaterThan(3);
  expect(new Set(turns).size).toBe(turns.length);
});

describe('a changed log', () => {
  /** Grows the tree over 300 events, changes the file, appends `more` events and grows the tree again. */
  const grownAfter = async (change: string, { file = 'facts', more = 1 } = {}) => {
    const { directory, records, ...stores } = openStores();
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

/** Returns the sizes of the tree in the newest checkpoint and of the tree that is bound to the key. */
const signedSizes = async ({ vault, records }: Pick<ReturnType<typeof openStores>, 'vault' | 'records'>) => [
  (await records.state())?.signed?.size,
  (await logKeys(vault))[0]?.signed?.size,
];

it('a checkpoint whose worker was killed before it was bound to the key is continued', async () => {
  const stores = openStores();
  await growerOf(stores).step();
  await appendEvents(stores.facts, 3);
  // The first change stores the state, the second binds the key.
  await expect(growToEnd(growerOf(stores, failingAt(stores.vault, 2)))).rejects.toThrow('killed');
  expect(await signedSizes(stores)).toEqual([3, 0]);
  await growToEnd(growerOf(stores));
  await appendEvents(stores.facts, 1);
  await growToEnd(growerOf(stores));
  expect(await signedSizes(stores)).toEqual([4, 4]);
});

it('a checkpoint that is not stored, because another worker changed the state, is not bound to the key', async () => {
  const { facts, vault, records } = openStores();
  await appendEvents(facts, 3);
  await growToEnd(growerOf({ facts, vault }));
  await appendEvents(facts, 2);
  let isFaster = true;
  const raced = intercepted(vault, async (name, [entry], call) => {
    if (isFaster && name === 'replace' && (entry as VaultEntry | undefined)?.kind === 'log-state') {
      isFaster = false;
      await records.change((state) => state && { ...state });
    }
    return call();
  });
  const grower = growerOf({ facts, vault: raced });
  expect(await grower.step()).toBe(false);
  expect(await signedSizes({ vault, records })).toEqual([3, 3]);
  expect(await grower.step()).toBe(true);
  expect(await signedSizes({ vault, records })).toEqual([5, 5]);
});

it('an altered event is named even if no key is bound to a checkpoint yet', async () => {
  const stores = openStores();
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

it('a log that an operator names before its first checkpoint is signed under that name', async () => {
  const stores = openStores();
  await growerOf(stores).step();
  await appendEvents(stores.facts, 3);
  const [first] = await logKeys(stores.vault);
  await growToEnd(growerOf(stores, stores.vault, 'logs.example.org/audit/log'));
  expect(await stores.records.state()).toMatchObject({
    origin: 'logs.example.org/audit/log',
    signed: { size: 3 },
  });
  expect((await logKeys(stores.vault)).map(({ origin, signed }) => [origin, signed?.size])).toEqual([
    ['logs.example.org/audit/log', 3],
    [first?.origin, 0],
  ]);
});
