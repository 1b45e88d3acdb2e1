// Tests the verifier with evidence from a hand-made log: valid evidence holds, and the verifier detects every
// alteration.
import { isDeepStrictEqual } from 'node:util';
import { describe, expect, it } from 'vitest';
import { consequences } from '../../src/domain/user/consequences.js';
import { Random } from '../support/random.js';
import { repetitions } from '../support/repetitions.js';
import { withOtherByte, withOtherMembers, withOtherValues } from './support/altered.js';
import { type Entry, Signer } from './support/hand-made-log.js';
import { DOCTOR, PROFILE, RITA, Sample, sampleEvents, textOf } from './support/sample-evidence.js';
import { type Trust, type Verdict, verdictOf, verifier } from './support/verifier.js';

const sample = new Sample();
const verdict = (evidence: unknown, trust: Trust = sample.trust): Promise<Verdict> =>
  verdictOf(verifier.verifyEvidence(textOf(evidence), trust));
const verdictOfBytes = (bytes: Uint8Array): Promise<Verdict> =>
  verdictOf(
    (async () => verifier.verifyEvidence(new TextDecoder('utf-8', { fatal: true }).decode(bytes), sample.trust))(),
  );

describe('evidence', () => {
  it('holds and says who decided what, when and why', async () => {
    const { code, report } = await verdict(sample.evidence());
    expect(code).toBe(0);
    expect(report.split('\n')).toEqual([
      `profile ${PROFILE} of user ${DOCTOR}, Ana Souza`,
      'log log.example.org/audit/log, 12 events',
      'cosigned by witness.example.org 2025-11-24T16:00:00.000Z',
      '2025-11-24T16:00:00.004Z  UserProfileAdded, revision 1, index 4 of the log',
      `  by ${RITA}, Rita Alves (ADMINISTRATOR)`,
      '  documentDoctor: CRM/SP 1',
      '  documentDoctorState: SP',
      '  specialties: []',
      '  type: DOCTOR_GENERALIST',
      '2025-11-24T16:00:00.006Z  UserProfileRejected, revision 2, index 6 of the log',
      `  by ${RITA}, Rita Alves (ADMINISTRATOR)`,
      '  reason: It has lapsed.',
      '2025-11-24T16:00:00.008Z  UserProfileResubmitted, revision 4, index 8 of the log',
      '  by operator (no roles)',
      '  documentDoctor: CRM/SP 2',
      '  documentDoctorState: SP',
      '  specialties: []',
      '2025-11-24T16:00:00.010Z  UserProfileApproved, revision 5, index 10 of the log',
      `  by ${RITA}, Rita Alves Prado (ADMINISTRATOR)`,
      '  reason: Checked “at the desk”.',
      expect.stringMatching(/^VERIFIED UP TO REVISION 5: this evidence is authentic\. .* no later event of the user/),
    ]);
  });

  it('as of a time shows that the next revision came later', async () => {
    const { code, report } = await verdict(sample.evidenceUntil(3));
    expect([code, report]).toEqual([0, expect.stringContaining('the next event is of 2025-11-24T16:00:00.007Z')]);
    expect(report).toMatch(
      /\nVERIFIED: this evidence is authentic and complete up to revision \d; the next event is of/,
    );
    const early = sample.evidenceUntil(3);
    const late = { ...early, subject: { ...early.subject, asOf: '2025-11-24T16:00:00.007Z' } };
    expect(await verdict(late)).toMatchObject({ code: 1, report: expect.stringContaining('not those up to') });
  });

  it('holds at every size of the tree', async () => {
    for (let size = 1; size <= 40; size += 1) {
      const padding = Array.from({ length: size }, () => ({ stream: 'specialty-9', type: 'SpecialtyRevised' }));
      const larger = new Sample([...padding.slice(0, size % 7), ...sampleEvents, ...padding.slice(size % 7)]);
      expect(await verdict(larger.evidence(), larger.trust)).toMatchObject({ code: 0 });
    }
  });

  it('holds without the values of an erased person, and says that they are not disclosed', async () => {
    const evidence = sample.evidence();
    const events = evidence.events.map((event) => ({ ...event, disclosures: [] }));
    const { code, report } = await verdict({ ...evidence, events });
    expect(code).toBe(0);
    expect(report).toContain(`of user ${DOCTOR}, name not disclosed`);
    expect(report).toContain('  reason: (not disclosed)');
    expect(report).toContain(', Rita Alves Prado (');
  });

  it('says which half of a name is not disclosed', async () => {
    const evidence = sample.evidence();
    const withoutFirst = (entry: Entry): Entry => ({
      ...entry,
      disclosures: (entry.disclosures as readonly { pointer: string }[]).filter(
        ({ pointer }) => pointer !== '/firstName',
      ),
    });
    const half = { ...evidence, events: evidence.events.map(withoutFirst), names: evidence.names.map(withoutFirst) };
    const { code, report } = await verdict(half);
    expect(code).toBe(0);
    expect(report).toContain(`of user ${DOCTOR}, (not disclosed) Souza`);
    expect(report).toContain(`by ${RITA}, (not disclosed) Alves Prado`);
  });

  it('claims no state as of an instant if it does not show the next revision', async () => {
    const evidence = sample.evidence();
    const late = { ...evidence, subject: { ...evidence.subject, asOf: '2031-01-01T00:00:00.000Z' } };
    const { code, report } = await verdict(late);
    expect(code).toBe(0);
    expect(report).not.toContain('as of');
    expect((await verdict(sample.evidenceUntil(3))).report).toContain(', as of ');
  });

  it('shows values without line ends and control characters', async () => {
    const reason = 'x\nholds\u202e\u0007';
    const hostile = new Sample(
      sampleEvents.map((event) =>
        event.personal?.['/reason'] ? { ...event, personal: { '/reason': reason } } : event,
      ),
    );
    const { code, report } = await verdict(hostile.evidence(), hostile.trust);
    expect([code, report.split('\n').includes('  reason: x holds ')]).toEqual([0, true]);
  });
});

describe('altered evidence', () => {
  it.each([
    ['whole', sample.evidence()],
    ['as of an instant', sample.evidenceUntil(3)],
  ])('is rejected if any value was altered: %s', async (_, evidence) => {
    const held: string[] = [];
    for (const { where, altered } of withOtherValues(evidence)) {
      if ((await verdict(altered)).code === 0) held.push(where);
    }
    expect(held).toEqual([]);
  });

  it('is rejected if anything is missing or repeated, except that values may stay undisclosed', async () => {
    const held: string[] = [];
    for (const { where, altered } of withOtherMembers(sample.evidence())) {
      const mayBe = /^(without|twice) events\/\d+\/disclosures\/\d+$|^(without|twice) names\/\d+(\/disclosures\/\d+)?$/;
      if ((await verdict(altered)).code === 0 && !mayBe.test(where)) held.push(where);
    }
    // Without its last revision the file claims less: it states that it cannot prove that there is no later revision.
    expect(held).toEqual(['without events/5']);
  });

  // JSON that parses to the same document has the same meaning.
  const isSame = (altered: Uint8Array, evidence: unknown) =>
    isDeepStrictEqual(JSON.parse(Buffer.from(altered).toString()), evidence);

  it.each([
    ['whole', sample.evidence()],
    ['as of an instant', sample.evidenceUntil(3)],
  ])('is rejected if any byte was changed, unless the change has no effect: %s', async (_, evidence) => {
    const random = new Random(20_261_122);
    for (let round = repetitions('EVIDENCE_BYTES'); round > 0; round -= 1) {
      const { where, altered } = withOtherByte(textOf(evidence), random);
      const verdict = await verdictOfBytes(altered);
      expect({ where, is: verdict.code > 0 || isSame(altered, evidence) }).toEqual({ where, is: true });
    }
  });

  it('is rejected if a name occurs twice, although parsers use the last value', async () => {
    const text = textOf(sample.evidence());
    const twice = text.replace('"names":', '"names": "something else", "names":');
    expect(JSON.parse(twice)).toEqual(JSON.parse(text));
    expect(await verdictOf(verifier.verifyEvidence(twice, sample.trust))).toMatchObject({ code: 2 });
  });

  it('is rejected if an event that concerns the profile has no payload', async () => {
    const evidence = sample.evidence();
    const bare = evidence.events.map((each, at) => (at === 2 ? { ...each, payload: null, disclosures: [] } : each));
    expect(await verdict({ ...evidence, events: bare })).toMatchObject({
      code: 1,
      report: 'revision 2 lacks its payload',
    });
  });

  it('is rejected if the checkpoint does not cover its last event', async () => {
    const grown = new Sample();
    const evidence = grown.evidence();
    grown.log.append({ stream: `user-${DOCTOR}`, type: 'UserProfileRejected', data: { profileId: PROFILE } });
    const newest = grown.log.entries(`user-${DOCTOR}`).slice(-1);
    expect(await verdict({ ...evidence, events: [...evidence.events, ...newest] }, grown.trust)).toEqual({
      code: 1,
      report: 'revision 6 is not at index 12 of the log',
    });
  });

  it('is rejected for another user or another profile', async () => {
    const evidence = sample.evidence();
    const other = (changed: object) => verdict({ ...evidence, subject: { ...evidence.subject, ...changed } });
    expect(await other({ profileId: RITA })).toMatchObject({ code: 1 });
    expect(await other({ userId: RITA })).toMatchObject({ code: 1 });
  });
});

// The verifier has rules of its own, so that it needs no code of the service. They must agree with the service.
describe.each(Object.entries(consequences))('a later event of type %s', (type, { evidence }) => {
  const personal = { '/firstName': 'Bia', '/lastName': 'Lima' };
  const longer = new Sample([...sampleEvents, { stream: `user-${DOCTOR}`, type, personal }]);
  const whole = longer.evidence();
  const bare = whole.events.map((each, at) => (at === 6 ? { ...each, payload: null, disclosures: [] } : each));

  it('must have a payload exactly if the service shows the payload', async () =>
    expect(await verdict({ ...whole, events: bare }, longer.trust)).toMatchObject(
      evidence === 'nothing' ? { code: 0 } : { code: 1, report: 'revision 6 lacks its payload' },
    ));

  it('gives the user another name, or is a step of each profile, exactly if the service shows it so', async () => {
    const { code, report } = await verdict(whole, longer.trust);
    expect({ code, isName: report.startsWith(`profile ${PROFILE} of user ${DOCTOR}, Bia Lima\n`) }).toEqual({
      code: 0,
      isName: evidence === 'name',
    });
    expect(report.includes(`${type}, revision 6, index 12`)).toBe(evidence === 'erasure');
  });
});

describe('the signatures of evidence', () => {
  const ofAnother = (origin: string) => new Signer(origin).verifierKey();
  const origin = sample.log.signer.name;

  it('must be made with a given key', async () => {
    for (const keys of [[ofAnother(origin)], [ofAnother('log.example.com/audit/log')], []]) {
      expect(await verdict(sample.evidence(), { keys })).toMatchObject({ code: 1 });
    }
  });

  it('may be made with any of several given keys, as after a rotation', async () => {
    const keys = [ofAnother(origin), ...sample.trust.keys];
    expect(await verdict(sample.evidence(), { keys })).toMatchObject({ code: 0 });
  });

  it('are not valid for a log with another name and the same key', async () => {
    const evidence = sample.evidence();
    const checkpoint = evidence.checkpoint.replace(origin, 'elsewhere.example.org/audit/log');
    expect(await verdict({ ...evidence, checkpoint })).toMatchObject({ code: 1 });
  });

  it('must include those of all given witnesses', async () => {
    const absent = new Signer('other.example.org', 4);
    const given = (witnesses: readonly string[]) => verdict(sample.evidence(), { ...sample.trust, witnesses });
    const { code, report } = await given([sample.witness.verifierKey(1)]);
    expect([code, report]).toEqual([0, expect.stringContaining('cosigned by witness.example.org 2025-11-24T16:00:00')]);
    expect(await given([sample.witness.verifierKey(1), absent.verifierKey()])).toMatchObject({
      code: 1,
      report: expect.stringContaining('not cosigned by other.example.org'),
    });
  });

  it.each([
    'x',
    'name+00000000+AQ==',
    sample.trust.keys[0]?.replace('+', '+0').slice(0, -1) ?? '',
    new Signer(origin).verifierKey(4),
  ])('cannot be verified with a malformed key: %s', async (key) => {
    expect(await verdict(sample.evidence(), { keys: [key] })).toMatchObject({ code: 2 });
  });
});
