import { pino } from 'pino';
import { describe, expect, it, onTestFinished } from 'vitest';
import { SqliteFacts } from '../../src/infrastructure/facts/sqlite.js';
import { SqliteVault } from '../../src/infrastructure/vault/sqlite.js';
import { SqliteWork } from '../../src/infrastructure/work/sqlite.js';
import { startProofs } from '../../src/transparency/daily-proof.js';
import { LogRecords } from '../../src/transparency/records.js';
import { temporaryDirectory } from '../support/directory.js';
import { eventually } from '../support/eventually.js';
import { serviceKey } from './grower.suite.js';
import { copyOfLog, type SignedLog } from './signed-log.js';

const proving = ({ directory }: SignedLog) => {
  const [sealedFacts, vault] = [new SqliteFacts(directory), new SqliteVault(directory)];
  const work = new SqliteWork(temporaryDirectory());
  const lines: string[] = [];
  const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(line) });
  const stores = { sealedFacts, vault, work, serviceKey };
  const start = () => startProofs(stores, log);
  onTestFinished(async () => {
    await Promise.all([sealedFacts.close(), vault.close(), work.close()]);
  });
  return { start, records: new LogRecords(vault), lines };
};

const LONG_AGO = '2026-01-01T00:00:00.000Z';

const errorsIn = (lines: readonly string[]) => lines.filter((line) => line.includes('"level":50'));

describe('the daily proof', () => {
  it('reports an altered event and names it in the log', async () => {
    const signed = await copyOfLog('late');
    signed.rewrite((rows) => rows.map((row, index) => (index === 5 ? { ...row, type: 'UserErased' } : row)));
    const { start, records, lines } = proving(signed);
    await records.setProofDue(LONG_AGO);
    const proofs = start();
    await eventually(async () =>
      expect((await records.faults()).get('proof')).toMatchObject({ code: 'audit-log-altered' }),
    );
    await proofs.close();
    expect(errorsIn(lines)).toEqual([expect.stringContaining('at index 5 ')]);
  });

  it('clears the fault when the log is complete again', async () => {
    const { start, records, lines } = proving(await copyOfLog('late'));
    await records.setFault('proof', { code: 'audit-log-altered', detail: 'yesterday' });
    await records.setProofDue(LONG_AGO);
    const proofs = start();
    await eventually(async () => expect((await records.faults()).size).toBe(0));
    await proofs.close();
    expect(errorsIn(lines)).toEqual([]);
  });

  it('is due again after a day', async () => {
    const { start, records } = proving(await copyOfLog('late'));
    await records.setProofDue(LONG_AGO);
    const proofs = start();
    await eventually(async () => expect(Date.parse((await records.proofDue()) ?? '')).toBeGreaterThan(Date.now()));
    await proofs.close();
  });

  it('is not due immediately after the first start', async () => {
    const { start, records, lines } = proving(await copyOfLog('late'));
    const proofs = start();
    await eventually(async () => expect(Date.parse((await records.proofDue()) ?? '')).toBeGreaterThan(Date.now()));
    await proofs.close();
    expect(errorsIn(lines)).toEqual([]);
  });
});
