// Tests the check of the types and shapes of events, on recorded and on forged logs.
import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { FORMAT } from '../../src/infrastructure/vault/store-format.js';
import { newEvent, newStream, written } from '../infrastructure/facts/support/harness.js';
import { openSealed, registered } from '../infrastructure/persons/support/harness.js';
import { Historian } from '../projections/support/history.js';
import { temporaryDirectory } from '../support/directory.js';
import { repetitions } from '../support/repetitions.js';
import { surveyed } from './support/surveyed.js';

const opened = () => {
  const stores = openSealed(temporaryDirectory());
  return { ...stores, check: () => surveyed('events', stores) };
};

const unknown = () => ({ ...newEvent(), type: 'UserTeleported' });

const COMMANDS = repetitions('COMPARED_COMMANDS');

describe('the check of the events', () => {
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
    expect(await check()).toMatchObject({ ok: true, summary: expect.stringMatching(/^1 stream,/) });
  });

  it('names the first events of unknown types and counts all of them', async () => {
    const { facts, check } = opened();
    const streams = Array.from({ length: 7 }, () => `user-${randomUUID()}`);
    const events = streams.map(unknown);
    for (const [index, stream] of streams.entries()) {
      written(await facts.append(stream, 'no-stream', [registered(), ...events.slice(index, index + 1)]));
    }
    const { ok, summary } = await check();
    expect(ok).toBe(false);
    expect(summary).toContain('7 events');
    const named = streams.filter((stream, at) => summary.includes(`${stream}, revision 1, event ${events[at]?.id}`));
    expect(named).toHaveLength(5);
  });

  it.each([
    ['whose payload lacks a field', 'UserProfileAdded', { profileId: randomUUID() }, 1],
    ['without a payload', 'UserAttachedToUnity', null, 1],
    ['of an unknown version', 'UserActivated', {}, 99],
    ['that erases without a reason', 'UserErased', { reason: 5 }, 1],
  ])('names an event %s, and lets the other checks finish', async (_, type, data, schemaVersion) => {
    const { facts, stored, check, ...stores } = opened();
    const stream = `user-${randomUUID()}`;
    written(await facts.append(stream, 'no-stream', [registered()]));
    const { metadata, ...event } = newEvent();
    const forged = { ...event, type, data: data as object, metadata: { ...metadata, schemaVersion } };
    written(await stored.append(stream, 0, [forged]));
    expect(await check()).toMatchObject({ ok: false, summary: expect.stringContaining(forged.id) });
    const claims = await surveyed('claims', { facts, stored, ...stores });
    expect(claims.summary).toMatch(/^1 of 1 users have no claim/);
  });

  it('skips events of a newer program', async () => {
    const { facts, vault, check } = opened();
    written(await facts.append(`user-${randomUUID()}`, 'no-stream', [registered(), unknown()]));
    const later = { ...newEvent(), type: 'SpecialtyCreated' };
    const ofVersion9 = { ...later, metadata: { ...later.metadata, schemaVersion: 9 } };
    written(await facts.append(`specialty-${randomUUID()}`, 'no-stream', [ofVersion9]));
    expect(await check()).toMatchObject({ ok: false, summary: expect.stringMatching(/^2 events.*UserTeleported/) });
    await vault.insert({ kind: 'format', key: 'stores', value: { format: FORMAT + 1 } });
    expect(await check()).toMatchObject({ ok: true });
  });
});
