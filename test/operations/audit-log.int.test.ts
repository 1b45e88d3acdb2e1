// Rotations and new logs that are cut off at each of their changes, and are then done again.
import { describe, expect, it, onTestFinished } from 'vitest';
import { operatorContext } from '../../src/cli/operator.js';
import { aggregates } from '../../src/domain/all.js';
import { type Facts, logPages, type RecordedEvent } from '../../src/infrastructure/facts/facts.js';
import { SqliteFacts } from '../../src/infrastructure/facts/sqlite.js';
import { SqliteVault } from '../../src/infrastructure/vault/sqlite.js';
import type { Vault } from '../../src/infrastructure/vault/vault.js';
import { type AuditLogStores, rotateLogKey } from '../../src/operations/audit-log-keys.js';
import { holdLog, startNewLog } from '../../src/operations/new-audit-log.js';
import { logKeys } from '../../src/transparency/keys.js';
import { LogFault } from '../../src/transparency/log-fault.js';
import { prove } from '../../src/transparency/prove.js';
import { LogRecords } from '../../src/transparency/records.js';
import { temporaryDirectory } from '../support/directory.js';
import { appendEvents, failingAt, growerOf, growToEnd, serviceKey } from '../transparency/grower.suite.js';

const ORIGIN = 'localhost/audit/log';
const MOST_CHANGES = 20;

/** Stores with a log that is signed. */
const signedLog = async () => {
  const directory = temporaryDirectory();
  const [facts, vault] = [new SqliteFacts(directory), new SqliteVault(directory)];
  onTestFinished(async () => {
    await facts.close();
    await vault.close();
  });
  await appendEvents(facts, 3);
  await growToEnd(growerOf({ facts, vault }));
  return { facts, vault, records: new LogRecords(vault) };
};

const storesOf = (facts: Facts, vault: Vault): AuditLogStores => ({ facts, vault, serviceKey });

const recordsOf = async (facts: Facts, type: string): Promise<readonly RecordedEvent[]> => {
  const all: RecordedEvent[] = [];
  for await (const { events } of logPages(facts, { aggregates, after: undefined })) all.push(...events);
  return all.filter((event) => event.type === type);
};

const proved = async (facts: Facts, vault: Vault) =>
  (await prove({ sealedFacts: facts, vault, serviceKey, integrity: async () => [] })).faults;

const stateOf = async (records: LogRecords) => {
  const state = (await records.state())?.value;
  if (state === undefined) throw new Error('no log has begun');
  return state;
};

/** Does something again and again, killed at its first change of the vault, then at its second, until it is done. */
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
  throw new Error('it was never done');
};

describe('a rotation that is cut off', () => {
  it('is done by the next one; keys that were recorded and not stored never sign', async () => {
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

  it('is begun once, however often it is cut off', async () => {
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

  it('has the worker sign nothing between its steps', async () => {
    const { facts, vault, records } = await signedLog();
    const { signed } = await stateOf(records);
    const failing = failingAt(vault, 2);
    await expect(startNewLog(storesOf(facts, failing), options, operatorContext())).rejects.toThrow('killed');
    await expect(growerOf({ facts, vault }).step()).rejects.toThrow(new LogFault('held'));
    expect((await stateOf(records)).signed).toEqual(signed);
  });

  it('is signed at once by a worker that has examined the log to its end', async () => {
    const { facts, vault, records } = await signedLog();
    const worker = growerOf({ facts, vault });
    await startNewLog(storesOf(facts, failingAt(vault, MOST_CHANGES)), options, operatorContext());
    await growToEnd(worker);
    await startNewLog(storesOf(facts, vault), options, operatorContext());
    await growToEnd(worker);
    expect(await stateOf(records)).toMatchObject({ origin: `${ORIGIN}/3`, signed: { size: 5 } });
  });

  it('takes another name if the facts have the record of a log that the vault does not know', async () => {
    const { facts, vault, records } = await signedLog();
    const before = await stateOf(records);
    await startNewLog(storesOf(facts, vault), options, operatorContext());
    // The vault of a backup from before; more was signed since.
    const other = new SqliteVault(temporaryDirectory());
    onTestFinished(() => other.close());
    const older = new LogRecords(other);
    await growToEnd(growerOf({ facts, vault: other }));
    expect(before.origin).toBe(ORIGIN);
    expect(await startNewLog(storesOf(facts, other), options, operatorContext())).toBe(`${ORIGIN}/3`);
    expect(await stateOf(older)).toMatchObject({ generation: 3, origin: `${ORIGIN}/3` });
    await growToEnd(growerOf({ facts, vault: other }));
    expect(await startNewLog(storesOf(facts, other), options, operatorContext())).toBe(`${ORIGIN}/4`);
  });

  it('refuses a checkpoint that is older than the last in the vault, and holds nothing', async () => {
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

describe('signing that is held', () => {
  it('goes on only with a new log', async () => {
    const { facts, vault, records } = await signedLog();
    expect(await holdLog(vault, 'restored')).toBe(true);
    expect(await holdLog(vault, 'restored again')).toBe(true);
    expect((await stateOf(records)).held).toBe('restored');
    await appendEvents(facts, 1);
    await expect(growerOf({ facts, vault }).step()).rejects.toThrow(new LogFault('held'));
    await startNewLog(storesOf(facts, vault), { reason: 'restored', checkpoint: undefined }, operatorContext());
    await growToEnd(growerOf({ facts, vault }));
    expect(await stateOf(records)).toMatchObject({ signed: { size: 5 } });
  });

  it('is none before the first signing', async () => {
    const vault = new SqliteVault(temporaryDirectory());
    onTestFinished(() => vault.close());
    expect(await holdLog(vault, 'restored')).toBe(false);
    expect(await new LogRecords(vault).state()).toBeUndefined();
  });
});
