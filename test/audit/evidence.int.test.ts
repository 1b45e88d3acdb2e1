// Evidence that the service makes, in the hands of the verifier.
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { gunzipSync } from 'node:zlib';
import Sqlite from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { exportBundle, verifyBundle } from '../../src/audit/bundle.js';
import { type Evidence, evidenceOf } from '../../src/audit/evidence.js';
import { LogBehind } from '../../src/audit/signed-streams.js';
import { AuditTrail } from '../../src/audit/trail.js';
import { aggregates, allDeciders } from '../../src/domain/all.js';
import { metadata, newEvent, written } from '../infrastructure/facts-harness.js';
import { temporaryDirectory } from '../support/directory.js';
import { Random } from '../support/random.js';
import { repetitions } from '../support/repetitions.js';
import { withOtherByte, withOtherValues } from '../verifier/altered.js';
import { textOf } from '../verifier/sample-evidence.js';
import { runVerifier, verdictOf, verifier } from '../verifier/verifier.js';
import { openEvidence, recordedLife } from './evidence-harness.js';

type Opened = ReturnType<typeof openEvidence>;
type Life = Awaited<ReturnType<typeof recordedLife>>;

const evidenceIn = async ({ sources }: Opened, life: Life, asOf?: string): Promise<Evidence> => {
  const evidence = await evidenceOf(sources, life, asOf);
  if (evidence === undefined) throw new Error('there is no such profile');
  return evidence;
};

const signedLife = async () => {
  const opened = openEvidence();
  const life = await recordedLife(opened);
  await opened.grow();
  return { opened, life };
};

const atOf = ({ leaf }: Evidence['events'][number]) => (leaf['metadata'] as { readonly at: string }).at;

describe('evidence of a profile', () => {
  it('holds, and tells the names, the registration and the reasons of then', async () => {
    const { opened, life } = await signedLife();
    const evidence = await evidenceIn(opened, life);
    const { code, said } = await opened.verdict(evidence);
    expect(code).toBe(0);
    const told = said.split('\n').map((line) => line.trim());
    expect(told[0]).toBe(`profile ${life.profileId} of user ${life.userId}, Ana Canário Souza Sentinela`);
    for (const line of [
      'documentDoctor: COREN 1',
      'documentDoctor: COREN 2',
      'reason: It has lapsed.',
      'reason: Checked.',
    ]) {
      expect(told).toContain(line);
    }
    expect(told.filter((line) => line.includes('Rita Alves ('))).toHaveLength(2);
    expect(told.filter((line) => line.includes('Rita Alves Prado ('))).toHaveLength(1);
    expect(told.filter((line) => line.includes('Ana Canário Souza Sentinela ('))).toHaveLength(1);
  });

  it('discloses nothing but names, the registration and the reasons of this profile', async () => {
    const { opened, life } = await signedLife();
    const text = textOf(await evidenceIn(opened, life));
    for (const hidden of ['ana.canario@example.org', '390.533.447-05', '1984-03-02', 'COREN 9', 'Of no concern here']) {
      expect(text).not.toContain(hidden);
    }
    expect(text).not.toContain('Hospital das Flores');
  });

  it('as of each instant holds, and shows what came next', async () => {
    const { opened, life } = await signedLife();
    const whole = await evidenceIn(opened, life);
    for (const [at, event] of whole.events.entries()) {
      const evidence = await evidenceOf(opened.sources, life, atOf(event));
      if (at === 0) {
        expect(evidence).toBeUndefined();
        continue;
      }
      expect(evidence?.events).toHaveLength(at + 1);
      expect(evidence?.next === null).toBe(at === whole.events.length - 1);
      expect(await opened.verdict(evidence)).toMatchObject({ code: 0 });
    }
    expect((await evidenceIn(opened, life, '9999-12-31T23:59:59Z')).events).toEqual(whole.events);
  });

  it('is there for no other profile, and for nobody', async () => {
    const { opened, life } = await signedLife();
    expect(await evidenceOf(opened.sources, { ...life, profileId: life.adminId })).toBeUndefined();
    expect(await evidenceOf(opened.sources, { ...life, userId: life.profileId })).toBeUndefined();
  });

  it('holds after the person was erased, without the values of the person', async () => {
    const { opened, life } = await signedLife();
    const before = await evidenceIn(opened, life);
    await life.doctor('UserProfileErased', { profileId: life.profileId });
    await life.doctor('UserErased', { reason: 'Requested by the person' });
    await opened.vault.removeSubject(life.userId);
    await opened.grow();
    const evidence = await evidenceIn(opened, life);
    const { code, said } = await opened.verdict(evidence);
    expect([code, said]).toEqual([0, expect.stringContaining('reason: (not disclosed)')]);
    expect(said).toContain('Rita Alves Prado');
    expect(said).toContain('reason: Requested by the person');
    expect(textOf(evidence)).not.toMatch(/Canário|COREN|lapsed/);
    expect(await opened.verdict(before)).toMatchObject({ code: 0 });
  });

  it('waits for the events of the user to be signed, and is refused if they are not in time', async () => {
    const opened = openEvidence();
    const life = await recordedLife(opened);
    await expect(evidenceOf(opened.sources, life)).rejects.toThrow(LogBehind);
    const waiting = evidenceOf({ ...opened.sources, timeoutMs: 30_000 }, life);
    await opened.grow();
    expect(await opened.verdict(await waiting)).toMatchObject({ code: 0 });
    await life.doctor('UserProfileRejected', { profileId: life.profileId, reason: null });
    await expect(evidenceOf(opened.sources, life)).rejects.toThrow(LogBehind);
  });

  it('has the events that were recorded and signed while it was made', async () => {
    const { opened, life } = await signedLife();
    const { transparencyLog: log } = opened.sources;
    const meanwhile = async () => {
      await life.doctor('UserProfileRejected', { profileId: life.profileId, reason: 'Meanwhile.' });
      await opened.grow();
    };
    let first: Promise<void> | undefined;
    const transparencyLog: typeof log = {
      indexOf: (event) => log.indexOf(event),
      inclusionProof: (index, size) => log.inclusionProof(index, size),
      current: async () => {
        first ??= meanwhile();
        await first;
        return log.current();
      },
    };
    const evidence = await evidenceOf({ ...opened.sources, transparencyLog }, life);
    const { code, said } = await opened.verdict(evidence);
    expect([code, said]).toEqual([0, expect.stringContaining('reason: Meanwhile.')]);
  });

  it('does not hold if an event was changed in the store', async () => {
    for (const change of [
      "UPDATE events SET metadata = json_set(metadata, '$.actor.id', 'somebody') WHERE type = 'UserProfileApproved'",
      "UPDATE events SET data = json_set(data, '$.type', 'AUDITOR') WHERE type = 'UserProfileAdded'",
      "UPDATE events SET data = json_set(data, '$.name', 'Clinic') WHERE type = 'UserAttachedToInstitution'",
    ]) {
      const { opened, life } = await signedLife();
      const db = new Sqlite(join(opened.directory, 'facts.sqlite'));
      db.exec(change);
      db.close();
      expect(await opened.verdict(await evidenceIn(opened, life))).toMatchObject({ code: 1 });
    }
  });
});

describe('altered evidence of the service', () => {
  it('is refused, whatever value of it was altered', async () => {
    const { opened, life } = await signedLife();
    const held: string[] = [];
    for (const { where, altered } of withOtherValues(await evidenceIn(opened, life))) {
      if ((await opened.verdict(altered)).code === 0) held.push(where);
    }
    expect(held).toEqual([]);
  });

  it('is refused with any one byte changed, unless the change has no effect', async () => {
    const { opened, life } = await signedLife();
    const evidence = await evidenceIn(opened, life);
    const random = new Random(162);
    for (let round = repetitions('EVIDENCE_BYTES'); round > 0; round -= 1) {
      const { where, altered } = withOtherByte(textOf(evidence), random);
      const { code } = await verdictOf(
        (async () => {
          const text = new TextDecoder('utf-8', { fatal: true }).decode(altered);
          return verifier.verifyEvidence(text, { keys: await opened.keys() });
        })(),
      );
      const isSame = code === 0 && isDeepStrictEqual(JSON.parse(Buffer.from(altered).toString()), evidence);
      expect({ where, isRefusedOrSame: code > 0 || isSame }).toEqual({ where, isRefusedOrSame: true });
    }
  });
});

describe('evidence of events that release 99325c0 recorded', () => {
  const unpacked = (): string => {
    const directory = temporaryDirectory();
    const release = new URL('../releases/99325c0/', import.meta.url);
    for (const file of readdirSync(release).filter((name) => /^(facts|vault|master)/.test(name))) {
      const bytes = gunzipSync(readFileSync(new URL(file, release)));
      writeFileSync(join(directory, file.replace(/\.gz$/, '')), bytes, { mode: 0o600 });
    }
    return directory;
  };

  it('holds, discloses nothing of them, and says so', async () => {
    const opened = openEvidence(unpacked());
    await opened.grow();
    const { events } = await opened.stored.readLog({ aggregates, after: undefined }, 1_000);
    const decisions = events.filter(({ type }) => /^UserProfile(Approved|Rejected)$/.test(type));
    expect(decisions.length).toBeGreaterThan(2);
    for (const { stream, data } of decisions) {
      const { profileId } = data as { readonly profileId: string };
      const evidence = await evidenceOf(opened.sources, { userId: stream.slice('user-'.length), profileId });
      const { code, said } = await opened.verdict(evidence);
      expect([code, said]).toEqual([0, expect.stringContaining('personal values: sealed before digests existed')]);
      expect(evidence?.events.map(({ disclosures }) => disclosures)).toContain('sealed before digests existed');
    }
  });
});

describe('a bundle', () => {
  it('is verified against the checkpoint of the log, also with metadata that this program does not record', async () => {
    const { opened } = await signedLife();
    const foreign = { ...newEvent({ name: 'line\u2028separator' }), type: 'SpecialtyRevised' };
    const others = { origin: null, $maxAge: 1, nested: { b: 1, a: [null] } } as object;
    const stream = 'specialty-018f4c3e-7a10-7000-8000-000000000001';
    const strange = { ...foreign, id: foreign.id.toUpperCase(), metadata: { ...metadata, ...others } };
    written(await opened.stored.append(stream, 'no-stream', [foreign]));
    written(await opened.stored.append(stream, 0, [strange]));
    await opened.grow();
    const bundle = join(mkdtempSync(join(temporaryDirectory(), 'b-')), 'bundle');
    const categories = allDeciders.map(({ aggregate }) => aggregate);
    const checkpoint = (await opened.sources.transparencyLog.current())?.note;
    await exportBundle({ trail: new AuditTrail(opened.stored, categories), checkpoint }, bundle, new Date());
    expect(await verifyBundle(bundle)).toEqual([]);
    const [key = ''] = await opened.keys();
    const { code, out, err } = await runVerifier(bundle, '--key', key);
    expect([code, out, err]).toEqual([0, expect.stringMatching(/12 events[\s\S]*\nholds\n$/), '']);
  });
});
