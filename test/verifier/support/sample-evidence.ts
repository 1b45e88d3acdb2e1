// Evidence from a hand-made log: a doctor is rejected, resubmits the documents and is approved.
import { HandMadeLog, type Made, Signer } from './hand-made-log.js';
import type { Trust } from './verifier.js';

export const DOCTOR = '01a20414-537a-767a-91d4-bca672045b3b';
export const PROFILE = '01a20414-5388-73d4-a5c3-c897c19540a9';
export const RITA = '01a20414-50ea-7075-a675-adca073651cc';

const UNPROVEN = 'That no later event of the user is in the log: a tree proves what is in it, not what is not.';
const doctor = `user-${DOCTOR}`;
const rita = `user-${RITA}`;
const data = { profileId: PROFILE, reason: null };
const credentials = { profileId: PROFILE, documentDoctor: null, documentDoctorState: null, specialties: [] };

const named = (firstName: string, lastName: string) => ({ '/firstName': firstName, '/lastName': lastName });
const registration = (number: string) => ({ '/documentDoctor': number, '/documentDoctorState': 'SP' });
const open = { firstName: null, lastName: null, enabled: true };

/** The events of the sample, in the order of the log. */
export const sampleEvents: readonly Made[] = [
  { stream: 'specialty-1', type: 'SpecialtyCreated', data: { name: 'Cardiology' } },
  { stream: rita, type: 'UserRegistered', data: open, personal: named('Rita', 'Alves') },
  { stream: rita, type: 'UserProfileAdded', data: { profileId: 'p', type: 'ADMINISTRATOR' } },
  { stream: doctor, type: 'UserRegistered', data: open, personal: named('Ana', 'Souza'), actor: RITA },
  {
    stream: doctor,
    type: 'UserProfileAdded',
    data: { ...credentials, type: 'DOCTOR_GENERALIST' },
    personal: registration('CRM/SP 1'),
    actor: RITA,
  },
  { stream: 'specialty-1', type: 'SpecialtyRevised', data: { name: 'Cardiology and more' } },
  { stream: doctor, type: 'UserProfileRejected', data, personal: { '/reason': 'It has lapsed.' }, actor: RITA },
  { stream: doctor, type: 'UserAttachedToInstitution', data: { institutionId: 'i', name: 'Clinic' } },
  { stream: doctor, type: 'UserProfileResubmitted', data: credentials, personal: registration('CRM/SP 2') },
  { stream: rita, type: 'UserRevised', data: open, personal: named('Rita', 'Alves Prado') },
  { stream: doctor, type: 'UserProfileApproved', data, personal: { '/reason': 'Checked “at the desk”.' }, actor: RITA },
  { stream: 'specialty-2', type: 'SpecialtyCreated', data: { name: 'Oncology' } },
];

/** The sample log, its evidence, and the trusted keys. */
export class Sample {
  readonly log = new HandMadeLog();
  readonly witness = new Signer('witness.example.org', 4);

  constructor(events: readonly Made[] = sampleEvents) {
    for (const event of events) this.log.append(event);
  }

  get trust(): Trust {
    return { keys: [this.log.signer.verifierKey()], witnesses: [this.witness.verifierKey()] };
  }

  /** Returns the evidence as an object that tests can change. */
  evidence() {
    const checkpoint = this.log.checkpoint(undefined, [this.witness]);
    return {
      format: 'clinical-protocols-evidence/1',
      subject: { userId: DOCTOR, profileId: PROFILE, asOf: null as string | null },
      checkpoint,
      events: [...this.log.entries(doctor, (type) => type === 'UserAttachedToInstitution')],
      next: null as ReturnType<HandMadeLog['entries']>[number] | null,
      names: this.log.entries(rita).filter(({ leaf }) => /UserRe(gistered|vised)/.test(`${leaf['type']}`)),
      unproven: UNPROVEN as string | null,
    };
  }

  /** Returns the evidence as of the time of its first `count` revisions. */
  evidenceUntil(count: number) {
    const whole = this.evidence();
    const [next = null] = this.log.entries(doctor, () => true).slice(count);
    const events = whole.events.slice(0, count);
    const asOf = `${Object(events.at(-1)?.leaf['metadata']).at}`;
    return { ...whole, subject: { ...whole.subject, asOf }, events, next, unproven: null };
  }
}

/** Returns evidence as the service writes it. */
export const textOf = (evidence: unknown): string => `${JSON.stringify(evidence, undefined, 2)}\n`;
