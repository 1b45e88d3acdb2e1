// Tests the address that a decision came from. It is sealed with the key of the actor, not of the person decided on.
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { NewEvent, RecordedEvent } from '../../../src/infrastructure/facts/facts.js';
import { Database } from '../../../src/infrastructure/sqlite/driver.js';
import { surveyed } from '../../operations/support/surveyed.js';
import { temporaryDirectory } from '../../support/directory.js';
import { fileStores } from '../../support/opened-stores.js';
import { collect, pagesOf, written } from '../facts/support/harness.js';
import { openSealed, registered, rejected } from './support/harness.js';

const ADDRESS = '198.51.100.7';
const SESSION = randomUUID();

const decidedBy = (actorId: string, reason: string | null): NewEvent => {
  const event = rejected(reason);
  const actor = { id: actorId, roles: ['ADMINISTRATOR'] };
  return { ...event, metadata: { ...event.metadata, actor, sessionId: SESSION, address: ADDRESS } };
};

/** Creates a person and an actor's decisions on that person, one with a reason and one without. */
const withDecisions = async () => {
  const directory = temporaryDirectory();
  const opened = openSealed(directory, fileStores(directory));
  const [person, actor] = [randomUUID(), randomUUID()];
  written(await opened.facts.append(`user-${actor}`, 'no-stream', [registered()]));
  const decisions = [decidedBy(actor, 'Not on the register'), decidedBy(actor, null)];
  written(await opened.facts.append(`user-${person}`, 'no-stream', [registered(), ...decisions]));
  const stream = `user-${person}`;
  return { ...opened, directory, stream, person, actor, check: () => checked(opened) };
};
const checked = (opened: ReturnType<typeof openSealed>) => surveyed('sealed', opened);

/** Returns the decisions, and expects every kind of read to return the same. */
const decisionsIn = async ({ facts, stream }: Awaited<ReturnType<typeof withDecisions>>) => {
  const forwards = await collect(facts.readStream(stream, { from: 1 }));
  const backwards = (await collect(facts.readStream(stream, { backwards: true }))).slice(0, 2).toReversed();
  const pages = (await pagesOf(facts, { aggregates: ['user'], after: undefined }, 10)).flatMap(({ events }) => events);
  expect(backwards).toEqual(forwards);
  expect(pages.filter((event) => event.stream === stream && event.revision > 0)).toEqual(forwards);
  return forwards;
};
const addressesOf = (events: readonly RecordedEvent[]) => events.map(({ metadata }) => metadata.address);
const reasonsOf = (events: readonly RecordedEvent[]) => events.map(({ data }) => (data as { reason: unknown }).reason);

describe('the address of a decision', () => {
  it('is read as it was recorded, and is sealed in the log', async () => {
    const opened = await withDecisions();
    const decisions = await decisionsIn(opened);
    expect(addressesOf(decisions)).toEqual([ADDRESS, ADDRESS]);
    for (const { metadata, flaw } of decisions) {
      expect([metadata.sessionId, metadata.sealedAddress, flaw]).toEqual([SESSION, undefined, undefined]);
    }
    const stored = await collect(opened.stored.readStream(opened.stream, { from: 1 }));
    expect(stored.map(({ metadata }) => metadata)).toMatchObject([
      { sessionId: SESSION, sealedAddress: expect.any(String) },
      { sessionId: SESSION, sealedAddress: expect.any(String) },
    ]);
    expect(JSON.stringify(stored)).not.toContain(ADDRESS);
    expect(await opened.check()).toMatchObject({ ok: true });
  });

  it('is lost with the key of the actor, while the decision stays', async () => {
    const opened = await withDecisions();
    await opened.vault.removeSubject(opened.actor);
    const decisions = await decisionsIn(opened);
    expect(addressesOf(decisions)).toEqual([null, null]);
    expect(reasonsOf(decisions)).toEqual(['Not on the register', null]);
    expect(await opened.check()).toMatchObject({ ok: true });
  });

  it('stays when the person decided on is erased', async () => {
    const opened = await withDecisions();
    await opened.vault.removeSubject(opened.person);
    const decisions = await decisionsIn(opened);
    expect(addressesOf(decisions)).toEqual([ADDRESS, ADDRESS]);
    expect(reasonsOf(decisions)).toEqual([null, null]);
  });

  it('is not recorded if the actor has no key to seal it', async () => {
    const opened = await withDecisions();
    const stream = `user-${randomUUID()}`;
    const events = [registered(), decidedBy('anonymous', null)];
    written(await opened.facts.append(stream, 'no-stream', events));
    const [, decision] = await collect(opened.facts.readStream(stream));
    expect(decision?.metadata).toMatchObject({ sessionId: SESSION });
    expect(decision?.metadata).not.toHaveProperty('address');
  });

  // Only the signed log reveals an actor without a key, if the decision has no reason (docs/audit-log.md).
  it.each([
    ['another user', randomUUID(), 2],
    ['an unknown user, if the decision has a reason', 'somebody', 1],
  ])('reveals that the actor was replaced by %s', async (_, actor, revealed) => {
    const opened = await withDecisions();
    if (revealed === 2) written(await opened.facts.append(`user-${actor}`, 'no-stream', [registered()]));
    const decisions = await collect(opened.stored.readStream(opened.stream, { from: 1 }));
    for (const [index, { id }] of decisions.entries()) {
      const db = new Database(join(opened.directory, 'facts.sqlite'));
      db.prepare("UPDATE events SET metadata = json_set(metadata, '$.actor.id', ?) WHERE id = ?").run(actor, id);
      db.close();
      const { ok, summary } = await opened.check();
      expect([ok, summary.includes(id)]).toEqual([false, index < revealed]);
    }
  });

  it.each([
    ['the type', "UPDATE events SET type = 'UserProfileApproved' WHERE id = ?"],
    ['the profile', "UPDATE events SET data = json_set(data, '$.profileId', 'another') WHERE id = ?"],
    ['the time', "UPDATE events SET metadata = json_set(metadata, '$.at', '2026-01-01T00:00:00.000Z') WHERE id = ?"],
    ['the session', "UPDATE events SET metadata = json_set(metadata, '$.sessionId', 'another') WHERE id = ?"],
    ['the address', "UPDATE events SET metadata = json_set(metadata, '$.sealedAddress', 'AQAA') WHERE id = ?"],
  ])('reveals that %s of a decision was altered, also if the decision has no reason', async (_, statement) => {
    const opened = await withDecisions();
    for (const { id } of (await collect(opened.stored.readStream(opened.stream, { from: 1 }))).toReversed()) {
      const db = new Database(join(opened.directory, 'facts.sqlite'));
      db.prepare(statement).run(id);
      db.close();
      const { ok, summary } = await opened.check();
      expect([ok, summary.includes(id)]).toEqual([false, true]);
    }
    const decisions = await decisionsIn(opened);
    expect(addressesOf(decisions)).toEqual([null, null]);
    expect(decisions.map(({ flaw }) => flaw)).toEqual([{ kind: 'unreadable' }, { kind: 'unreadable' }]);
  });
});
