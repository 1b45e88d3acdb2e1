import { describe, expect, it, onTestFinished } from 'vitest';
import { SqliteWork } from '../../src/infrastructure/work/sqlite.js';
import { startProofs } from '../../src/transparency/daily-proof.js';
import { temporaryDirectory } from '../support/directory.js';
import { eventually } from '../support/eventually.js';
import { fileStores } from '../support/opened-stores.js';
import { loggedLines, openStores, serviceKey } from './support/growing.js';
import { copyOfLog, type SignedLog } from './support/signed-log.js';

const LONG_AGO = '2026-01-01T00:00:00.000Z';

const proving = ({ directory }: SignedLog) => {
  const { facts: sealedFacts, vault, records } = openStores(directory, fileStores(directory));
  const work = new SqliteWork(temporaryDirectory());
  onTestFinished(() => work.close());
  const { lines, log } = loggedLines();
  const start = () => startProofs({ sealedFacts, vault, work, serviceKey }, log);
  const errors = () => lines.filter(({ level }) => level === 50).map((line) => JSON.stringify(line));
  return { start, records, errors };
};

describe('the daily proof', () => {
  it('reports an altered event and names it in the log', async () => {
    const signed = await copyOfLog('late');
    signed.rewrite((rows) => rows.map((row, index) => (index === 5 ? { ...row, type: 'UserErased' } : row)));
    const { start, records, errors } = proving(signed);
    await records.setProofDue(LONG_AGO);
    const proofs = start();
    await eventually(async () =>
      expect((await records.faults()).get('proof')).toMatchObject({ code: 'audit-log-altered' }),
    );
    await proofs.close();
    expect(errors()).toEqual([expect.stringContaining('at index 5 ')]);
  });

  it('clears the fault when the log is complete again', async () => {
    const { start, records, errors } = proving(await copyOfLog('late'));
    await records.setFault('proof', { code: 'audit-log-altered', detail: 'yesterday' });
    await records.setProofDue(LONG_AGO);
    const proofs = start();
    await eventually(async () => expect((await records.faults()).size).toBe(0));
    await proofs.close();
    expect(errors()).toEqual([]);
  });

  it.each([
    ['again a day after a proof', LONG_AGO],
    ['at once if a clock that was ahead planned it', '2099-01-01T00:00:00.000Z'],
    ['not immediately after the first start', undefined],
  ])('is due %s', async (_, due) => {
    const { start, records, errors } = proving(await copyOfLog('late'));
    if (due !== undefined) await records.setProofDue(due);
    const proofs = start();
    await eventually(async () => expect(Date.parse((await records.proofDue()) ?? '')).toBeGreaterThan(Date.now()));
    await eventually(async () => expect(await records.proofDue()).not.toBe(due));
    await proofs.close();
    expect(errors()).toEqual([]);
  });
});
