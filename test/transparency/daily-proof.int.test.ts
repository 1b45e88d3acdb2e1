import { pino } from 'pino';
import { describe, expect, it, onTestFinished } from 'vitest';
import { SqliteFacts } from '../../src/infrastructure/facts/sqlite.js';
import { SqliteVault } from '../../src/infrastructure/vault/sqlite.js';
import { SqliteWork } from '../../src/infrastructure/work/sqlite.js';
import { startProofs } from '../../src/transparency/daily-proof.js';
import { LogRecords } from '../../src/transparency/records.js';
import { temporaryDirectory } from '../support/directory.js';
import { eventually } from '../support/eventually.js';
import { type SignedLog, sqlite } from './signed-log.js';

const proving = ({ directory }: SignedLog) => {
  const [sealedFacts, vault] = [new SqliteFacts(directory), new SqliteVault(directory)];
  const work = new SqliteWork(temporaryDirectory());
  const found: boolean[] = [];
  const lines: string[] = [];
  const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(line) });
  const stores = { sealedFacts, vault, work, integrity: async () => [] };
  const start = () => startProofs({ stores, metrics: { altered: (isAltered) => void found.push(isAltered) }, log });
  onTestFinished(async () => {
    await Promise.all([sealedFacts.close(), vault.close(), work.close()]);
  });
  return { start, records: new LogRecords(vault), found, lines };
};

const errorsIn = (lines: readonly string[]) => lines.filter((line) => line.includes('"level":50'));

describe('the daily proof', () => {
  it('notes that an event was altered, and names the event in the log', async () => {
    const signed = await sqlite.copy('late');
    signed.rewrite((rows) => rows.map((row, index) => (index === 5 ? { ...row, type: 'UserErased' } : row)));
    const { start, records, found, lines } = proving(signed);
    const proofs = start();
    await eventually(async () => expect(await records.faults()).toMatchObject([{ code: 'audit-log-altered' }]));
    await eventually(async () => expect(found).toEqual([true]));
    await proofs.close();
    expect(errorsIn(lines)).toEqual([expect.stringContaining('at index 5 ')]);
  });

  it('withdraws the fault when the log is whole again', async () => {
    const { start, records, found, lines } = proving(await sqlite.copy('late'));
    await records.setFault('proof', { code: 'audit-log-altered', detail: 'yesterday' });
    await records.noteProof({ at: '2026-01-01T00:00:00.000Z', isAltered: true });
    const proofs = start();
    await eventually(async () => expect(await records.faults()).toEqual([]));
    await eventually(async () => expect(found.at(-1)).toBe(false));
    await proofs.close();
    expect(errorsIn(lines)).toEqual([]);
  });

  it('does not prove again what was proved less than a day ago', async () => {
    const { start, records, found } = proving(await sqlite.copy('late'));
    const at = new Date().toISOString();
    await records.noteProof({ at, isAltered: true });
    const proofs = start();
    // Each worker shows what any worker found.
    await eventually(async () => expect(found).toEqual([true]));
    await proofs.close();
    expect(await records.lastProof()).toEqual({ at, isAltered: true });
  });
});
