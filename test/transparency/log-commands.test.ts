// Tests rotations and new logs that are interrupted at each of their changes and then repeated.
import { describe, expect, it } from 'vitest';
import { operatorContext } from '../../src/cli/operator.js';
import type { Facts } from '../../src/infrastructure/facts/facts.js';
import type { Vault } from '../../src/infrastructure/vault/vault.js';
import { LogFault } from '../../src/transparency/faults.js';
import { logKeys } from '../../src/transparency/keys.js';
import { type AuditLogStores, holdLog, rotateLogKey, startNewLog } from '../../src/transparency/log-commands.js';
import { prove } from '../../src/transparency/prove.js';
import type { LogRecords } from '../../src/transparency/records.js';
import {
  appendEvents,
  eventsOf,
  failingAt,
  growerOf,
  growToEnd,
  ORIGIN,
  openStores,
  serviceKey,
} from './support/growing.js';

const MOST_CHANGES = 20;

/** Opens stores with a signed log. */
const signedLog = async () => {
  const stores = openStores();
  await appendEvents(stores.facts, 3);
  await growToEnd(growerOf(stores));
  return stores;
};

const storesOf = (facts: Facts, vault: Vault): AuditLogStores => ({ facts, vault, serviceKey });

const recordsOf = async (facts: Facts, type: string) => (await eventsOf(facts)).filter((event) => event.type === type);

const proved = async (facts: Facts, vault: Vault) => (await prove({ sealedFacts: facts, vault, serviceKey })).faults;

const stateOf = async (records: LogRecords) => {
  const state = await records.state();
  if (state === undefined) throw new Error('no log has begun');
  return state;
};

/**
 * Repeats an action until it succeeds. The first try fails at the first change of the vault, the second try at the
 * second.
 */
const killedAtEach = async (vault: Vault, act: (vault: Vault) => Promise<unknown>): Promise<number> => {
  for (let change = 1; change <= MOST_CHANGES; change += 1) {
    const isDone = await act(failingAt(vault, change)).then(
      () => true,
      (error: Error) => {
        if (error.message !== 'killed') throw error;
        return false;
      },
    );
    if (isDone) return change;
  }
  throw new Error('the action never succeeded');
};

describe('an interrupted rotation', () => {
  it('is completed by the next rotation, and keys that were recorded but not stored never sign', async () => {
    const { facts, vault, records } = await signedLog();
    const [first] = await logKeys(vault);
    const attempts = await killedAtEach(vault, (failing) => rotateLogKey(storesOf(facts, failing), operatorContext()));
    expect(attempts).toBeGreaterThan(1);
    expect(await recordsOf(facts, 'AuditLogKeyRotated')).toHaveLength(attempts);
    await growToEnd(growerOf({ facts, vault }));
    const keys = await logKeys(vault);
    expect(keys.map(({ sealed }) => sealed !== null)).toEqual([true, false]);
    expect(keys[1]?.verifierKey).toBe(first?.verifierKey);
    expect((await stateOf(records)).signed?.size).toBe(3 + attempts);
    expect(await proved(facts, vault)).toEqual([]);
  });
});

describe('a new log', () => {
  const options = { reason: 'restored', checkpoint: undefined };

  it('starts once, no matter how often the start is interrupted', async () => {
    const { facts, vault, records } = await signedLog();
    const { signed } = await stateOf(records);
    const attempts = await killedAtEach(vault, async (failing) => {
      await startNewLog(storesOf(facts, failing), options, operatorContext());
    });
    expect(attempts).toBeGreaterThan(3);
    expect(await recordsOf(facts, 'AuditLogStarted')).toMatchObject([
      { data: { origin: `${ORIGIN}/2`, previousOrigin: ORIGIN, previousCheckpoint: signed?.note } },
    ]);
    expect(await stateOf(records)).toMatchObject({ generation: 2, origin: `${ORIGIN}/2`, signed: null, held: null });
    await growToEnd(growerOf({ facts, vault }));
    expect(await stateOf(records)).toMatchObject({ signed: { size: 4 } });
    const keys = await logKeys(vault);
    expect(keys.map(({ origin, sealed }) => [origin, sealed !== null])).toEqual([
      [`${ORIGIN}/2`, true],
      [ORIGIN, false],
    ]);
    expect(await proved(facts, vault)).toEqual([]);
  });

  it('stops signing between its steps', async () => {
    const { facts, vault, records } = await signedLog();
    const { signed } = await stateOf(records);
    const failing = failingAt(vault, 2);
    await expect(startNewLog(storesOf(facts, failing), options, operatorContext())).rejects.toThrow('killed');
    await expect(growerOf({ facts, vault }).step()).rejects.toThrow(new LogFault('held'));
    expect((await stateOf(records)).signed).toEqual(signed);
  });

  it('is signed immediately by a worker that has read the log to its end', async () => {
    const { facts, vault, records } = await signedLog();
    const worker = growerOf({ facts, vault });
    await startNewLog(storesOf(facts, failingAt(vault, MOST_CHANGES)), options, operatorContext());
    await growToEnd(worker);
    await startNewLog(storesOf(facts, vault), options, operatorContext());
    await growToEnd(worker);
    expect(await stateOf(records)).toMatchObject({ origin: `${ORIGIN}/3`, signed: { size: 5 } });
  });

  it('gets another name if the facts record a log that the vault does not know', async () => {
    const { facts, vault, records } = await signedLog();
    const before = await stateOf(records);
    await startNewLog(storesOf(facts, vault), options, operatorContext());
    // A vault without the new log, as from an older backup, that has signed more since.
    const { vault: other, records: older } = openStores();
    await growToEnd(growerOf({ facts, vault: other }));
    expect(before.origin).toBe(ORIGIN);
    expect(await startNewLog(storesOf(facts, other), options, operatorContext())).toBe(`${ORIGIN}/3`);
    expect(await stateOf(older)).toMatchObject({ generation: 3, origin: `${ORIGIN}/3` });
    await growToEnd(growerOf({ facts, vault: other }));
    expect(await startNewLog(storesOf(facts, other), options, operatorContext())).toBe(`${ORIGIN}/4`);
  });

  it('starts after the records of the log were removed, and keeps its place among the logs', async () => {
    const { facts, vault, records } = await signedLog();
    for (const next of [`${ORIGIN}/2`, `${ORIGIN}/3`]) {
      await vault.remove({ kind: 'log-state', key: 'tree' });
      await expect(growerOf({ facts, vault }).step()).rejects.toThrow(new LogFault('log-lost'));
      expect(await proved(facts, vault)).not.toEqual([]);
      expect(await startNewLog(storesOf(facts, vault), options, operatorContext())).toBe(next);
      await growToEnd(growerOf({ facts, vault }));
      expect(await stateOf(records)).toMatchObject({ origin: next, held: null });
      expect(await proved(facts, vault)).toEqual([]);
    }
  });

  it('rejects a checkpoint that is older than the last in the vault, and does not hold signing', async () => {
    const { facts, vault, records } = await signedLog();
    const { signed } = await stateOf(records);
    await appendEvents(facts, 1);
    await growToEnd(growerOf({ facts, vault }));
    const given = { reason: 'restored', checkpoint: signed?.note };
    await expect(startNewLog(storesOf(facts, vault), given, operatorContext())).rejects.toThrow(/covers 3 events/);
    expect((await stateOf(records)).held).toBeNull();
    expect(await recordsOf(facts, 'AuditLogStarted')).toEqual([]);
  });
});

describe('a hold on signing', () => {
  it('ends only with a new log', async () => {
    const { facts, vault, records } = await signedLog();
    expect(await holdLog({ vault, serviceKey }, 'restored')).toMatchObject({ held: 'restored' });
    expect(await holdLog({ vault, serviceKey }, 'restored again')).toMatchObject({ held: 'restored' });
    expect((await stateOf(records)).held).toBe('restored');
    await appendEvents(facts, 1);
    await expect(growerOf({ facts, vault }).step()).rejects.toThrow(new LogFault('held'));
    await startNewLog(storesOf(facts, vault), { reason: 'restored', checkpoint: undefined }, operatorContext());
    await growToEnd(growerOf({ facts, vault }));
    expect(await stateOf(records)).toMatchObject({ signed: { size: 5 } });
  });

  it('is impossible before the first signing', async () => {
    const { vault, records } = openStores();
    expect(await holdLog({ vault, serviceKey }, 'restored')).toBeUndefined();
    expect(await records.state()).toBeUndefined();
  });
});
