// The verifier checks evidence that the service makes. test/verifier alters single bytes of evidence.
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { exportBundle } from '../../src/audit/bundle.js';
import { evidenceLimit, evidenceOf, LogBehind } from '../../src/audit/evidence.js';
import type { ProfileEvidence as Evidence } from '../../src/audit/evidence-format.js';
import { AuditTrail } from '../../src/audit/trail.js';
import type { RecordedEvent } from '../../src/infrastructure/facts/facts.js';
import { metadata, newEvent, written } from '../infrastructure/facts/support/harness.js';
import { at } from '../infrastructure/views/support/harness.js';
import { temporaryDirectory } from '../support/directory.js';
import { expectTurns } from '../support/event-loop.js';
import { memoryStores } from '../support/opened-stores.js';
import { withOtherValues } from '../verifier/support/altered.js';
import { textOf } from '../verifier/support/sample-evidence.js';
import { runVerifier, verdictOf, verifier } from '../verifier/support/verifier.js';
import { openEvidence, person, recordDoctor, textOfEvidence } from './support/evidence-harness.js';

type Fixture = ReturnType<typeof openEvidence>;
type Doctor = Awaited<ReturnType<typeof recordDoctor>>;

const textIn = async ({ sources }: Fixture, doctor: Doctor, asOf?: string): Promise<string> => {
  const evidence = await evidenceOf(sources, doctor, asOf);
  if (evidence === undefined) throw new Error('there is no such profile');
  return textOfEvidence(evidence);
};

const evidenceIn = async (fixture: Fixture, doctor: Doctor, asOf?: string): Promise<Evidence> =>
  JSON.parse(await textIn(fixture, doctor, asOf)) as Evidence;

const signedDoctor = async () => {
  const fixture = openEvidence();
  const doctor = await recordDoctor(fixture);
  await fixture.grow();
  return { fixture, doctor };
};

type Change = (event: RecordedEvent) => Partial<RecordedEvent>;

/** Changes the events of a type in the store. */
const alter = ({ directory }: { readonly directory: string }, type: string, change: Change): void =>
  memoryStores(directory).facts.alter((log) =>
    log.map((event) => (event.type === type ? { ...event, ...change(event) } : event)),
  );

const atOf = ({ leaf }: Evidence['events'][number]) => (leaf['metadata'] as { readonly at: string }).at;

describe('evidence of a profile', () => {
  it('holds, and shows the names, the registration and the reasons as they were at the time', async () => {
    const { fixture, doctor } = await signedDoctor();
    const evidence = await evidenceIn(fixture, doctor);
    const { code, report } = await fixture.verdict(evidence);
    expect(code).toBe(0);
    const lines = report.split('\n').map((line) => line.trim());
    expect(lines[0]).toBe(`profile ${doctor.profileId} of user ${doctor.userId}, Ana Canário Souza Sentinela`);
    for (const line of [
      'documentDoctor: COREN 1',
      'documentDoctor: COREN 2',
      'reason: It has lapsed.',
      'reason: Checked.',
    ]) {
      expect(lines).toContain(line);
    }
    expect(lines.filter((line) => line.includes('Rita Alves ('))).toHaveLength(2);
    expect(lines.filter((line) => line.includes('Rita Alves Prado ('))).toHaveLength(1);
    expect(lines.filter((line) => line.includes('Ana Canário Souza Sentinela ('))).toHaveLength(1);
  });

  it('discloses only names, the registration and the reasons of this profile', async () => {
    const { fixture, doctor } = await signedDoctor();
    const text = textOf(await evidenceIn(fixture, doctor));
    for (const hidden of ['ana.canario@example.org', '390.533.447-05', '1984-03-02', 'COREN 9', 'Of no concern here']) {
      expect(text).not.toContain(hidden);
    }
    expect(text).not.toContain('Hospital das Flores');
  });

  it('holds as of each time, and includes the next event', async () => {
    const { fixture, doctor } = await signedDoctor();
    const whole = await evidenceIn(fixture, doctor);
    for (const [at, event] of whole.events.entries()) {
      if (at === 0) {
        expect(await evidenceOf(fixture.sources, doctor, atOf(event))).toBeUndefined();
        continue;
      }
      const evidence = await evidenceIn(fixture, doctor, atOf(event));
      expect(evidence.events).toHaveLength(at + 1);
      expect(evidence.next === null).toBe(at === whole.events.length - 1);
      expect(await fixture.verdict(evidence)).toMatchObject({ code: 0 });
    }
    expect((await evidenceIn(fixture, doctor, '9999-12-31T23:59:59Z')).events).toEqual(whole.events);
  });

  it('does not exist for an unknown profile or user', async () => {
    const { fixture, doctor } = await signedDoctor();
    expect(await evidenceOf(fixture.sources, { ...doctor, profileId: doctor.adminId })).toBeUndefined();
    expect(await evidenceOf(fixture.sources, { ...doctor, userId: doctor.profileId })).toBeUndefined();
  });

  it('holds after the person is erased, without personal values', async () => {
    const { fixture, doctor } = await signedDoctor();
    const before = await evidenceIn(fixture, doctor);
    await doctor.append('UserProfileErased', { profileId: doctor.profileId });
    await doctor.append('UserErased', { reason: 'Requested by the person' });
    await fixture.vault.removeSubject(doctor.userId);
    await fixture.grow();
    const evidence = await evidenceIn(fixture, doctor);
    const { code, report } = await fixture.verdict(evidence);
    expect([code, report]).toEqual([0, expect.stringContaining('reason: (not disclosed)')]);
    expect(report).toContain('Rita Alves Prado');
    expect(report).toContain('reason: Requested by the person');
    expect(textOf(evidence)).not.toMatch(/Canário|COREN|lapsed/);
    expect(await fixture.verdict(before)).toMatchObject({ code: 0 });
  });

  it('waits until the events of the user are signed, and is refused after a time limit', async () => {
    const fixture = openEvidence();
    const doctor = await recordDoctor(fixture);
    await expect(evidenceOf(fixture.sources, doctor)).rejects.toThrow(LogBehind);
    const sources = { ...fixture.sources, timeoutMs: 30_000 };
    const waiting = evidenceIn({ ...fixture, sources }, doctor);
    await fixture.grow();
    expect(await fixture.verdict(await waiting)).toMatchObject({ code: 0 });
    await doctor.append('UserProfileRejected', { profileId: doctor.profileId, reason: null });
    await expect(evidenceOf(fixture.sources, doctor)).rejects.toThrow(LogBehind);
  });

  it('includes events that are recorded and signed while it is made', async () => {
    const { fixture, doctor } = await signedDoctor();
    const { transparencyLog: log } = fixture.sources;
    const meanwhile = async () => {
      await doctor.append('UserProfileRejected', { profileId: doctor.profileId, reason: 'Meanwhile.' });
      await fixture.grow();
    };
    let first: Promise<void> | undefined;
    const transparencyLog: typeof log = {
      indexesOf: (events) => log.indexesOf(events),
      inclusionProver: (size) => log.inclusionProver(size),
      current: async () => {
        first ??= meanwhile();
        await first;
        return log.current();
      },
    };
    const evidence = await evidenceIn({ ...fixture, sources: { ...fixture.sources, transparencyLog } }, doctor);
    const { code, report } = await fixture.verdict(evidence);
    expect([code, report]).toEqual([0, expect.stringContaining('reason: Meanwhile.')]);
  });

  it.each([
    ['not signed', async () => {}],
    ['signed later', ({ grow }: Fixture) => grow()],
  ])('does not include an event that is recorded while it is made and %s', async (_, then) => {
    const { fixture, doctor } = await signedDoctor();
    const before = await evidenceIn(fixture, doctor);
    const { transparencyLog: log } = fixture.sources;
    const transparencyLog: typeof log = {
      indexesOf: (events) => log.indexesOf(events),
      inclusionProver: (size) => log.inclusionProver(size),
      current: async (size) => {
        const checkpoint = await log.current(size);
        await doctor.append('UserProfileRejected', { profileId: doctor.profileId, reason: 'Meanwhile.' });
        await then(fixture);
        return checkpoint;
      },
    };
    const evidence = await evidenceIn({ ...fixture, sources: { ...fixture.sources, transparencyLog } }, doctor);
    expect(evidence).toEqual(before);
    expect(await fixture.verdict(evidence)).toMatchObject({ code: 0 });
  });

  it('has all events of a user with thousands, and leaves the event loop to others while it is made', async () => {
    const { fixture, doctor } = await signedDoctor();
    while ((await doctor.append('UserRevised', { ...person, signInEmail: person.email }, doctor.userId, 100)) < 3_000);
    const last = await doctor.append('UserProfileRejected', { profileId: doctor.profileId, reason: 'Late.' });
    await fixture.grow();
    let text = '';
    await expectTurns(async () => {
      text = await textIn(fixture, doctor);
    });
    expect((JSON.parse(text) as Evidence).events).toHaveLength(last + 1);
    const verdict = await verdictOf(verifier.verifyEvidence(text, { keys: await fixture.keys() }));
    expect(verdict).toMatchObject({ code: 0, report: expect.stringContaining('reason: Late.') });
  });

  it('keeps no read of the past waiting while its clients read slowly', async () => {
    const { fixture, doctor } = await signedDoctor();
    while ((await doctor.append('UserRevised', { ...person, signInEmail: person.email }, doctor.userId, 100)) < 300);
    await fixture.grow();
    for (const _ of [1, 2, 3]) {
      const evidence = await evidenceOf(fixture.sources, doctor);
      const parts = evidence?.texts[Symbol.asyncIterator]();
      for (const __ of [1, 2]) expect(await parts?.next()).toMatchObject({ done: false });
    }
  });

  it('has at most 1,000 decisions on the profile', async () => {
    const { fixture, doctor } = await signedDoctor();
    const before = atOf((await evidenceIn(fixture, doctor)).events.at(-1) as Evidence['events'][number]);
    const explain = (profileId: string, count: number) =>
      doctor.append('UserProfileDecisionExplained', { profileId, reason: 'Again.' }, doctor.adminId, count);
    await explain(doctor.adminId, 10);
    await explain(doctor.profileId, evidenceLimit - 2);
    await fixture.grow();
    expect(await fixture.verdict(await evidenceIn(fixture, doctor))).toMatchObject({ code: 0 });

    await explain(doctor.profileId, 1);
    await fixture.grow();
    await expect(evidenceOf(fixture.sources, doctor)).rejects.toMatchObject({
      code: 'evidence-too-large',
      details: { limit: evidenceLimit },
    });
    expect(await fixture.verdict(await evidenceIn(fixture, doctor, before))).toMatchObject({ code: 0 });
  });

  it('has another tag if it has other content', async () => {
    const { fixture, doctor } = await signedDoctor();
    const tagOf = async (asOf?: string) => (await evidenceOf(fixture.sources, doctor, asOf))?.tag;
    const whole = await tagOf();
    expect([await tagOf(), await textIn(fixture, doctor)]).toEqual([whole, await textIn(fixture, doctor)]);
    const tags = [whole, await tagOf('9999-12-31T23:59:59Z')];
    await fixture.vault.removeSubject(doctor.adminId);
    tags.push(await tagOf());
    await doctor.append('UserActivated', {});
    await fixture.grow();
    tags.push(await tagOf());
    expect(new Set(tags).size).toBe(tags.length);
  });

  it('ends with an error if an event is not in the tree', async () => {
    const { fixture, doctor } = await signedDoctor();
    written(await fixture.stored.append(`specialty-${doctor.userId}`, 'no-stream', [newEvent()]));
    alter(fixture, 'UserAttachedToInstitution', () => ({ position: at(1_000) }));
    await expect(textIn(fixture, doctor)).rejects.toThrow('is not in the signed log');
  });

  it.each<[string, string, Change]>([
    [
      'the actor of a decision',
      'UserProfileApproved',
      ({ metadata: { actor, ...rest } }) => ({
        metadata: { ...rest, actor: { ...actor, id: 'somebody' } },
      }),
    ],
    ['a payload that is shown', 'UserProfileAdded', ({ data }) => ({ data: { ...(data as object), type: 'AUDITOR' } })],
    [
      'a payload that is not shown',
      'UserAttachedToInstitution',
      ({ data }) => ({
        data: { ...(data as object), name: 'Clinic' },
      }),
    ],
  ])('does not hold if %s was changed in the store', async (_, type, change) => {
    const { fixture, doctor } = await signedDoctor();
    alter(fixture, type, change);
    expect(await fixture.verdict(await evidenceIn(fixture, doctor))).toMatchObject({ code: 1 });
  });
});

describe('altered evidence of the service', () => {
  it('is refused, whichever value was altered', async () => {
    const { fixture, doctor } = await signedDoctor();
    const held: string[] = [];
    for (const { where, altered } of withOtherValues(await evidenceIn(fixture, doctor))) {
      if ((await fixture.verdict(altered)).code === 0) held.push(where);
    }
    expect(held).toEqual([]);
  });
});

describe('a bundle', () => {
  it('is verified against the checkpoint of the log, even with unknown metadata', async () => {
    const { fixture } = await signedDoctor();
    const foreign = { ...newEvent({ name: 'line\u2028separator' }), type: 'SpecialtyRevised' };
    const others = { origin: null, $maxAge: 1, nested: { b: 1, a: [null] } } as object;
    const stream = 'specialty-018f4c3e-7a10-7000-8000-000000000001';
    const strange = { ...foreign, id: foreign.id.toUpperCase(), metadata: { ...metadata, ...others } };
    written(await fixture.stored.append(stream, 'no-stream', [foreign]));
    written(await fixture.stored.append(stream, 0, [strange]));
    await fixture.grow();
    const bundle = join(mkdtempSync(join(temporaryDirectory(), 'b-')), 'bundle');
    const checkpoint = (await fixture.sources.transparencyLog.current())?.note;
    await exportBundle({ trail: new AuditTrail(fixture.stored), checkpoint }, bundle, new Date());
    const [key = ''] = await fixture.keys();
    const { code, out, err } = await runVerifier(bundle, '--key', key);
    expect([code, out, err]).toEqual([0, expect.stringMatching(/12 events[\s\S]*\nVERIFIED: .*\n$/), '']);
  });
});
