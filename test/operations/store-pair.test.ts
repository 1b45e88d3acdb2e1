import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { contradictionIn, pairOf } from '../../src/operations/store-pair.js';
import { newEvents } from '../infrastructure/facts/support/harness.js';
import { openSealed, registered } from '../infrastructure/persons/support/harness.js';
import { temporaryDirectory } from '../support/directory.js';
import { MemoryFacts } from '../support/memory-facts.js';
import { MemoryVault } from '../support/memory-vault.js';
import { storePairSuite } from './store-pair.suite.js';

const EMPTY = /^LOG is missing or empty/;
const LOST = /^VAULT is missing or empty/;
const OTHER = /^LOG begins with event a, but that of VAULT with b$/;
const CLOSED = /^VAULT has no key/;
const none = undefined;
const [yes, no] = [true, false];

type Ids = [first: string | undefined, kept: string | undefined];

describe('log and vault', () => {
  it.each<[ids: Ids, format: number | undefined, shown: [hasHistory: boolean, opens: boolean], words?: RegExp]>([
    // Without events.
    [[none, none], none, [no, yes]],
    [[none, none], 11, [no, yes]],
    [[none, none], 11, [yes, yes]],
    [[none, none], 12, [yes, yes]],
    [[none, none], 10, [no, yes]],
    [[none, none], 10, [yes, yes], EMPTY],
    [[none, none], 7, [yes, yes], EMPTY],
    [[none, 'a'], 11, [no, yes], EMPTY],
    [[none, 'a'], 11, [yes, no], EMPTY],
    // With events.
    [['a', none], none, [no, yes], LOST],
    [['a', none], none, [yes, no], LOST],
    [['a', none], 10, [yes, yes]],
    [['a', none], 10, [yes, no], CLOSED],
    [['a', none], 7, [no, no], CLOSED],
    [['a', none], 11, [no, yes]],
    [['a', none], 11, [yes, no], CLOSED],
    [['a', 'a'], 11, [yes, yes]],
    [['a', 'a'], 11, [no, no]],
    [['a', 'b'], 11, [yes, yes], OTHER],
    [['a', 'b'], 11, [no, no], OTHER],
  ])('with the ids %j, format %s, and history and open fields %j', (ids, format, [hasHistory, opens], words) => {
    const [first, kept] = ids;
    const contradiction = contradictionIn('LOG', 'VAULT', { first, kept, format, hasHistory, opens });
    if (words === undefined) expect(contradiction).toBeUndefined();
    else expect(contradiction).toMatch(words);
  });
});

describe('the judgement of stores in memory', () =>
  storePairSuite(async () => ({ facts: new MemoryFacts(), vault: new MemoryVault() })));

/** Stores of an earlier version, and how many events a judgement reads. */
const judged = async (prepare: (sealed: ReturnType<typeof openSealed>) => Promise<unknown>) => {
  const stores = { facts: new MemoryFacts(), vault: new MemoryVault() };
  const sealed = openSealed(temporaryDirectory(), stores);
  await prepare(sealed);
  await stores.vault.insert({ kind: 'format', key: 'stores', value: { format: 10 } });
  let read = 0;
  const readLog = stores.facts.readLog.bind(stores.facts);
  stores.facts.readLog = async (...range) => {
    const page = await readLog(...range);
    read += page.events.length;
    return page;
  };
  const masterKeys = { origin: 'none', find: () => undefined } as never;
  const names = ['LOG', 'VAULT'] as const;
  const lost = { ...stores, vault: new MemoryVault() };
  await lost.vault.insert({ kind: 'format', key: 'stores', value: { format: 10 } });
  const open = { facts: async () => lost.facts, vault: async () => lost.vault, isMissing: () => false };
  const refused = await pairOf({ ...open, names, masterKeys }).contradiction();
  return { refused, read };
};

describe('the search for a personal field that opens', () => {
  it('ends after the newest 10,000 events of persons, however long the history of one person is', async () => {
    const { refused, read } = await judged(async ({ facts, stored }) => {
      const stream = `user-${randomUUID()}`;
      await facts.append(stream, 'no-stream', [registered()]);
      for (let at = 0; at < 20_000; at += 1_000) await stored.append(stream, at, newEvents(1_000));
      await facts.append(stream, 20_000, [registered()]);
    });
    expect(refused).toMatch(CLOSED);
    expect(read).toBeLessThan(2 * 11_000);
  });

  it('ends after 100 persons, and passes over events of others', async () => {
    const { refused, read } = await judged(async ({ facts, stored }) => {
      await facts.append(`user-${randomUUID()}`, 'no-stream', [registered()]);
      for (let n = 0; n < 1_500; n += 1) await facts.append(`user-${randomUUID()}`, 'no-stream', [registered()]);
      await stored.append(`specialty-${randomUUID()}`, 'no-stream', newEvents(3_000));
    });
    expect(refused).toMatch(CLOSED);
    expect(read).toBeLessThan(2 * 600);
  });
});
