import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import type { Facts } from '../../src/infrastructure/facts/facts.js';
import type { VaultEntry } from '../../src/infrastructure/vault/vault.js';
import { LogGrower } from '../../src/transparency/grower.js';
import { logKeys } from '../../src/transparency/keys.js';
import { intercepted } from '../projections/support/intercepted.js';
import { growerSuite } from './grower.suite.js';
import { appendEvents, failingAt, growerOf, growToEnd, ORIGIN, openStores, serviceKey } from './support/growing.js';

growerSuite('the memory of a test', async () => ({ ...openStores(), close: async () => undefined }));

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
