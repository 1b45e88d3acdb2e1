// Creates specialties and the doctors of this run, validates their documents, and attaches a doctor to an institution.
import { randomUUID } from 'node:crypto';
import { cpf } from 'cpf-cnpj-validator';
import type { Facts } from '../../src/infrastructure/facts/facts.js';
import { call, chapter, say } from './client.js';
import { showEvents } from './events.js';

export interface Profile {
  readonly id: string;
  readonly userId: string;
  readonly approvalStatus: string;
  readonly enabled: boolean;
  readonly documentDoctor: string | null;
  readonly updatedAt: string;
}
export interface Doctor {
  readonly id: string;
  readonly firstName: string | null;
  readonly email: string | null;
  readonly document: string | null;
  readonly profiles: readonly Profile[];
}
export interface Institution {
  readonly id: string;
  readonly name: string;
  readonly unities: readonly { readonly id: string; readonly name: string }[];
}

const SPECIALTIES = [
  { name: 'Cardiology', description: 'The heart and the vessels' },
  { name: 'Geriatrics', description: 'Older people' },
];

// No two users may share an e-mail or a document, and the demo may be run again.
const run = randomUUID().slice(-12);

/** Adds the specialties that the catalogue does not have yet. */
export const playSpecialties = async (): Promise<void> => {
  chapter('Specialties');
  for (const body of SPECIALTIES) {
    const { id } = await call<{ id?: string }>('POST', '/specialties', { body, allowedStatus: 409 });
    if (id === undefined) say(`  ${body.name} is already in the catalogue: names of specialties are unique`);
  }
};

/** Creates two doctors, each with one profile that awaits a decision. */
export const playDoctors = async (facts: Facts | undefined): Promise<readonly [Doctor, Doctor]> => {
  chapter('Two doctors, each with a profile that awaits a decision');
  const ana = await call<Doctor>('POST', '/users/doctor', { body: doctorNamed('Ana', 'Souza', 'Cardiology') });
  await showEvents(facts, `user-${ana.id}`);
  say("  the log holds the personal fields encrypted; here they are decrypted with the person's key");
  const bruno = await call<Doctor>('POST', '/users/doctor', { body: doctorNamed('Bruno', 'Lima', 'Geriatrics') });

  say('\n  a second user with the same e-mail address, in capitals:');
  const again = doctorNamed('Ana', 'Silva', 'Cardiology');
  const auth = { ...again.auth, email: again.auth.email.toUpperCase() };
  await call('POST', '/users/doctor', { body: { ...again, auth }, allowedStatus: 409 });
  return [ana, bruno];
};

const doctorNamed = (firstName: string, lastName: string, specialty: string) => ({
  firstName,
  lastName,
  document: cpf.generate(true),
  birthDate: '1980-02-29',
  dialingCode: '55',
  phone: '11 91234-5678',
  profiles: [{ documentDoctor: 'CRM/SP 123456', documentDoctorUpdatedAt: '2025-12-31', specialties: [specialty] }],
  auth: { email: `${firstName.toLowerCase()}.${run}@example.org`, password: `${run} of a demo`, token: '' },
});

/** Validates three documents: a free one, one with a wrong check digit, and one that a user has. */
export const playDocuments = async ({ id, document }: Doctor): Promise<void> => {
  chapter('Documents are validated');
  const free = cpf.generate(true);
  const wrong = `${free.slice(0, -1)}${(Number(free.at(-1)) + 1) % 10}`;
  await validate(free);
  await validate(wrong);
  await validate(document);
  say('  with the id of its owner, the document is valid:');
  await validate(document, id);
};

/** Checks whether a document is valid and free. */
export const validate = async (document: string | null, userId?: string): Promise<void> => {
  await call('POST', '/users/validation/docs', { body: { document, userId } });
};

/** Attaches a doctor to the institution and to one of its unities. */
export const playAttachments = async (doctor: Doctor, { id, unities }: Institution): Promise<void> => {
  chapter('The doctor is attached to the institution and to a unity');
  const body = { userId: doctor.id };
  await call('POST', `/institutions/${id}/users`, { body });
  await call('POST', `/institutions/${id}/unities/${unities[0]?.id}/users`, { body });
  await call('GET', `/users?unityId=${unities[0]?.id}`);
};
