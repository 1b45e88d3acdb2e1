// A person with a history, as the tests of erasure need one.
import { randomUUID } from 'node:crypto';
import { type Canaries, newCanaries } from '../../support/canaries.js';
import type { Client, ClientResponse } from '../../support/client.js';
import { first } from '../../support/items.js';
import { createInstitution, createSpecialty, doctor, successful, type User } from './samples.js';

/** The person, and the resources that hold the person's data. */
export interface Traced {
  readonly canaries: Canaries;
  readonly userId: string;
  readonly profileId: string;
  /** Another user, whom the same requests attached. */
  readonly other: User;
}

export const registrationOf = (canaries: Canaries, specialties: readonly string[] = []) => {
  const { firstName, lastName, document, birthDate, phone, email } = canaries;
  const { documentDoctor, documentDoctorState, documentDoctorUpdatedAt } = canaries;
  const credentials = { documentDoctor, documentDoctorState, documentDoctorUpdatedAt };
  return doctor({
    ...{ firstName, lastName, gender: 'FEMININE', document, birthDate, dialingCode: '55', phone },
    profiles: [
      { ...credentials, specialties: [...specialties] },
      { ...credentials, type: 'NURSE' },
    ],
    auth: { email, password: `password of ${email}` },
  });
};

/**
 * Registers, revises, rejects, approves, attaches and looks up a person in every way that the service offers, with and
 * without Idempotency-Key. Every personal field and every reason has a value that occurs nowhere else.
 */
export const tracedPerson = async (client: Client, canaries = newCanaries()): Promise<Traced> => {
  const keyed = () => ({ 'Idempotency-Key': randomUUID() });
  const { id: specialtyId } = await createSpecialty(client, { name: `Specialty ${randomUUID()}` });
  const { id: institutionId, unities } = await createInstitution(client, { unities: [{ name: 'Ward' }] });
  const other = successful(await client.post<User>('/users/doctor', doctor(), keyed())).body;
  const made = await client.post<User>('/users/doctor', registrationOf(canaries, [specialtyId]), keyed());
  const { id: userId, profiles } = successful(made).body;
  const profileId = first(profiles).id;
  const [user, profile] = [`/users/${userId}`, `/users/${userId}/profiles/${profileId}`];
  const { documentDoctor, document, email, firstName, reasons } = canaries;
  const attached = { userIds: [other.id, userId] };
  const all: readonly (() => Promise<ClientResponse>)[] = [
    () => client.put(user, { firstName: 'Somebody', email: `x-${email}` }),
    () => client.put(user, { firstName, email }, keyed()),
    () => client.patch(`${profile}/reject`, { reason: reasons[0] }, keyed()),
    () => client.post(`${profile}/resubmit`, { documentDoctor }, keyed()),
    () => client.patch(`${profile}/approve`, { reason: reasons[1] }),
    () => client.patch(`${profile}/approve`, { reason: reasons[2] }, keyed()),
    () => client.post(`${user}/profiles`, { type: 'AUDITOR', documentDoctor }, keyed()),
    () => client.post(`/institutions/${institutionId}/users`, attached, keyed()),
    () => client.post(`/institutions/${institutionId}/unities/${first(unities).id}/users`, attached, keyed()),
    () => client.post('/users/validation/docs', { document }, keyed()),
    () => client.get('/users?limit=200'),
    () => client.get(`/users?email=${encodeURIComponent(email)}`),
    () => client.get(`/users?name=${encodeURIComponent(firstName)}`),
    () => client.get(`${profile}/history`),
    () => client.get('/audit/events?category=user'),
  ];
  for (const send of all) successful(await send());
  return { canaries, userId, profileId, other };
};
