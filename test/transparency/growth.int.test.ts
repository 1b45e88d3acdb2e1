import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { SqliteFacts } from '../../src/infrastructure/facts/sqlite.js';
import { Database } from '../../src/infrastructure/sqlite/driver.js';
import { SqliteVault } from '../../src/infrastructure/vault/sqlite.js';
import { LogGrowth } from '../../src/transparency/growth.js';
import { LogRecords } from '../../src/transparency/records.js';
import type { Witness } from '../../src/transparency/witnesses.js';
import { temporaryDirectory } from '../support/directory.js';
import { eventually } from '../support/eventually.js';
import { fileStores } from '../support/opened-stores.js';
import { appendEvents, loggedLines, openStores, serviceKey } from './support/growing.js';
import { startWitness } from './support/witness-servers.js';

const working = (directory: string, witnesses: readonly Witness[] = []) => {
  const [facts, vault] = [new SqliteFacts(directory), new SqliteVault(directory)];
  const { lines, log } = loggedLines();
  const growth = new LogGrowth({
    stores: { sealedFacts: facts, vault, serviceKey },
    origin: 'localhost/audit/log',
    witnesses,
    log,
  });
  const close = async () => {
    await growth.close();
    await facts.close();
    await vault.close();
  };
  return { facts, vault, records: new LogRecords(vault), lines, close };
};

describe('growth in a worker', () => {
  it('covers all recorded events, and keeps the first checkpoint of the day', async () => {
    const { facts, records, close } = working(temporaryDirectory());
    onTestFinished(close);
    await appendEvents(facts, 3);
    await eventually(async () => expect((await records.state())?.signed?.size).toBe(3));
    const first = (await records.state())?.signed?.note;
    await appendEvents(facts, 2);
    await eventually(async () => expect((await records.state())?.signed?.size).toBe(5));
    expect((await records.kept()).map(({ note }) => note)).toStrictEqual([first]);
  });

  it('asks witnesses for the first checkpoint, and then not for a minute', async () => {
    const witness = await startWitness();
    const { facts, records, close } = working(temporaryDirectory(), [witness]);
    onTestFinished(close);
    for (const size of [1, 2, 3]) {
      await appendEvents(facts, 1);
      await eventually(async () => expect((await records.state())?.signed?.size).toBe(size));
    }
    expect(witness.requests).toHaveLength(1);
    expect(await records.state()).toMatchObject({ signed: { cosignatures: [] }, cosigned: { size: 1 } });
  });

  it('covers the last recorded events before the worker exits', async () => {
    const directory = temporaryDirectory();
    const { facts, records, close } = working(directory);
    await appendEvents(facts, 1);
    await eventually(async () => expect((await records.state())?.signed?.size).toBe(1));
    await appendEvents(facts, 5);
    await close();
    expect((await openStores(directory, fileStores(directory)).records.state())?.signed?.size).toBe(6);
  });

  it('reports a truncated log until the log is complete again', async () => {
    const directory = temporaryDirectory();
    const { facts, records, lines, close } = working(directory);
    onTestFinished(close);
    await appendEvents(facts, 3);
    await eventually(async () => expect((await records.state())?.signed?.size).toBe(3));
    const db = new Database(join(directory, 'facts.sqlite'));
    onTestFinished(() => void db.close());
    db.exec('CREATE TABLE aside AS SELECT * FROM events WHERE position = 3; DELETE FROM events WHERE position = 3');
    await eventually(async () =>
      expect((await records.faults()).get('signing')).toMatchObject({ code: 'audit-log-cut' }),
    );
    expect(lines.filter(({ level }) => level >= 50)).toHaveLength(1);
    db.exec('INSERT INTO events SELECT * FROM aside');
    await eventually(async () => expect((await records.faults()).size).toBe(0));
    await eventually(() => expect(lines.filter(({ level }) => level === 30)).toHaveLength(1));
    expect((await records.state())?.signed?.size).toBe(3);
  });

  it('shows no fault of a source that only an earlier version has', async () => {
    const { records, vault, close } = working(temporaryDirectory());
    onTestFinished(close);
    const value = { code: 'audit-directory-unwritable', detail: 'from an earlier version' };
    await vault.insert({ kind: 'log-fault', key: 'directory', value });
    expect((await records.faults()).size).toBe(0);
  });

  it('signs again in the next process after a fault', async () => {
    const directory = temporaryDirectory();
    const before = working(directory);
    await before.records.setFault('signing', { code: 'audit-log-cut', detail: 'from an earlier process' });
    await before.close();
    const { records, close } = working(directory);
    onTestFinished(close);
    await eventually(async () => expect((await records.faults()).size).toBe(0));
  });
});
