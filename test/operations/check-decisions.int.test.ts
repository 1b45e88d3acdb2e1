// Tests the check of the decisions on recorded and on forged logs.
import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { FORMAT, StoreFormat } from '../../src/infrastructure/sealing/format.js';
import { decisionsPossible } from '../../src/operations/check-decisions.js';
import { newEvent, newStream, written } from '../infrastructure/facts-harness.js';
import { openSealed, registered, rejected } from '../infrastructure/sealing/sealing-harness.js';
import { Historian } from '../projections/history.js';
import { temporaryDirectory } from '../support/directory.js';
import { repetitions } from '../support/repetitions.js';
import { damage } from './stores.js';
import { surveyed } from './surveyed.js';

const opened = () => {
  const directory = temporaryDirectory();
  const stores = openSealed(directory);
  return { ...stores, directory, check: () => surveyed(decisionsPossible, stores) };
};

const COMMANDS = repetitions('COMPARED_COMMANDS');

describe('the check of the decisions', () => {
  it(`finds nothing after ${COMMANDS} random commands`, { timeout: 60_000 + COMMANDS * 60 }, async () => {
    const { facts, vault, check } = opened();
    await new Historian(facts, 11, (person) => vault.removeSubject(person)).record(COMMANDS);
    expect(await check()).toMatchObject({ ok: true, summary: expect.stringMatching(/^[1-9]\d* streams/) });
  });

  it('finds nothing in an empty log, and ignores streams of other programs', async () => {
    const { stored, check } = opened();
    expect(await check()).toMatchObject({ ok: true });
    written(await stored.append(newStream('foreign'), 'no-stream', [newEvent()]));
    expect(await check()).toMatchObject({ ok: true, summary: expect.stringMatching(/^0 streams/) });
  });

  it('does not apply size limits to recorded events', async () => {
    const { facts, check } = opened();
    const data = { what: 'events', filter: { from: '2026'.repeat(300) } };
    written(await facts.append(newStream('auditRead'), 'no-stream', [{ ...newEvent(data), type: 'AuditTrailRead' }]));
    expect(await check()).toMatchObject({ ok: true, summary: expect.stringMatching(/^1 streams/) });
  });

  it('names the first impossible events and counts all of them', async () => {
    const { facts, check } = opened();
    const streams = Array.from({ length: 7 }, () => `user-${randomUUID()}`);
    const events = streams.map(() => rejected(null));
    for (const [index, stream] of streams.entries()) {
      written(await facts.append(stream, 'no-stream', [registered(), ...events.slice(index, index + 1)]));
    }
    const { ok, summary } = await check();
    expect(ok).toBe(false);
    expect(summary).toContain('7 events');
    const named = streams.filter((stream, at) => summary.includes(`${stream}, revision 1, event ${events[at]?.id}`));
    expect(named).toHaveLength(5);
  });

  it('skips events of a newer program and the events after them in the stream', async () => {
    const { facts, vault, check } = opened();
    const unknown = { ...newEvent(), type: 'UserTeleported' };
    written(await facts.append(`user-${randomUUID()}`, 'no-stream', [registered(), unknown, rejected(null)]));
    const later = { ...newEvent(), type: 'SpecialtyCreated' };
    const ofVersion9 = { ...later, metadata: { ...later.metadata, schemaVersion: 9 } };
    written(await facts.append(`specialty-${randomUUID()}`, 'no-stream', [ofVersion9]));
    expect(await check()).toMatchObject({ ok: false, summary: expect.stringMatching(/^3 events.*UserTeleported/) });
    await new StoreFormat(vault, FORMAT + 1).claim();
    expect(await check()).toMatchObject({ ok: true });
  });

  it('leaves incomplete streams to the check of the streams, and checks all other streams', async () => {
    const { directory, facts, check } = opened();
    const [broken, other] = [`user-${randomUUID()}`, `user-${randomUUID()}`];
    written(await facts.append(broken, 'no-stream', [registered(), rejected(null), rejected(null)]));
    written(await facts.append(other, 'no-stream', [registered(), rejected(null)]));
    damage(directory, `DELETE FROM events WHERE stream = '${broken}' AND revision = 1`);
    const { ok, summary } = await check();
    expect([ok, summary]).toEqual([false, expect.stringContaining(other)]);
    expect(summary).not.toContain(broken);
  });
});
