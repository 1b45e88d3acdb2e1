// Plays the chapters about people: two doctors, the decisions on their profiles, what auditors read, and an erasure.
import { randomUUID } from 'node:crypto';
import { cpf } from 'cpf-cnpj-validator';
import type { z } from 'zod';
import type { UserFields } from '../../src/domain/user/state.js';
import type { DecisionPage } from '../../src/http/routes/audit/decisions.js';
import type { HistoryPage } from '../../src/http/routes/audit/histories.js';
import type { AuditEventPage, ProfileHistory } from '../../src/http/routes/audit/schemas.js';
import type { LastingStores } from '../../src/infrastructure/stores.js';
import { call, callForText, chapter, say, short, table } from './client.js';
import { showEvents } from './events.js';

export type Doctor = UserFields;
type Profile = Doctor['profiles'][number];
type Entry = z.infer<typeof AuditEventPage>['items'][number];

/** The web origin that sends the decisions. */
const DESK = 'https://desk.hospital.example';
// No two users may share an e-mail or a document, and the demo may be run again.
const run = randomUUID().slice(-12);

/** Returns the path of the only profile of a doctor. */
export const profileOf = ({ id, profiles }: Doctor): string => `/users/${id}/profiles/${profiles[0]?.id}`;

const doctorNamed = (firstName: string, lastName: string, specialty: string) => ({
  ...{ firstName, lastName, document: cpf.generate(true), birthDate: '1980-02-29' },
  ...{ dialingCode: '55', phone: '11 91234-5678' },
  profiles: [{ documentDoctor: 'CRM/SP 123456', documentDoctorUpdatedAt: '2025-12-31', specialties: [specialty] }],
  auth: { email: `${firstName.toLowerCase()}.${run}@example.org`, password: `${run} of a demo`, token: '' },
});

/** Creates two doctors, each with one profile that awaits a decision. */
export const playDoctors = async (stores: LastingStores | undefined): Promise<readonly [Doctor, Doctor]> => {
  chapter('Specialties');
  for (const name of ['Cardiology', 'Geriatrics']) {
    const { id } = await call<{ id?: string }>('POST', '/specialties', { body: { name }, allowedStatus: 409 });
    if (id === undefined) say(`  ${name} is already in the catalogue: names of specialties are unique`);
  }
  chapter('Two doctors, each with a profile that awaits a decision');
  const ana = await call<Doctor>('POST', '/users/doctor', { body: doctorNamed('Ana', 'Souza', 'Cardiology') });
  await showEvents(stores, `user-${ana.id}`);
  say("  the log holds the personal fields encrypted; here they are decrypted with the person's key");
  const bruno = await call<Doctor>('POST', '/users/doctor', { body: doctorNamed('Bruno', 'Lima', 'Geriatrics') });
  say('\n  a second user with the same e-mail address, in capitals:');
  const again = doctorNamed('Ana', 'Silva', 'Cardiology');
  const auth = { ...again.auth, email: again.auth.email.toUpperCase() };
  await call('POST', '/users/doctor', { body: { ...again, auth }, allowedStatus: 409 });
  say('\n  a document that a user has:');
  await validate(ana.document);
  return [ana, bruno];
};

/** Checks whether a document is valid and free. */
const validate = (document: string | null) => call('POST', '/users/validation/docs', { body: { document } });

/** Shows the queue and decides on both doctors. Returns the time of the first decision on the second doctor. */
export const playApproval = async ([ana, bruno]: readonly [Doctor, Doctor], stores: LastingStores | undefined) => {
  chapter('The approval queue, oldest first');
  await call('GET', '/profiles?approvalStatus=ANALYSING');

  chapter('Ana is approved; Bruno is rejected, resubmits, and is approved in the end');
  say('  each event records who decided, and the origin header');
  await decide(ana, 'approve', 'The registration was checked with the council.');
  say('  a second approval records nothing: the ETag stays the same');
  await decide(ana, 'approve', 'The registration was checked with the council.');
  say('  another reason is recorded, and the decision stays');
  await decide(ana, 'approve', 'The council confirmed it by letter.');
  const { updatedAt } = await decide(bruno, 'reject', 'The council does not know this number.');
  const body = { documentDoctor: 'CRM/SP 654321', documentDoctorUpdatedAt: '2026-01-31' };
  await call('POST', `${profileOf(bruno)}/resubmit`, { body, origin: 'https://app.hospital.example' });
  await decide(bruno, 'reject', 'The copy cannot be read.');
  await decide(bruno, 'approve', 'Reconsidered: the council confirmed the number by telephone.');
  await showEvents(stores, `user-${bruno.id}`);
  return updatedAt;
};

const decide = (doctor: Doctor, decision: 'approve' | 'reject', reason: string): Promise<Profile> =>
  call<Profile>('PATCH', `${profileOf(doctor)}/${decision}`, { body: { reason }, origin: DESK });

/** Shows the history of a profile as a table, and the profile a millisecond before a decision. */
export const playHistory = async (doctor: Doctor, decidedAt: string): Promise<void> => {
  chapter(`The history of ${doctor.firstName}'s profile`);
  await showHistory(doctor);
  chapter('The same profile a millisecond before the first decision');
  const before = new Date(Date.parse(decidedAt) - 1).toISOString();
  const then = await call<Profile>('GET', `${profileOf(doctor)}?asOf=${before}`);
  const now = await call<Profile>('GET', profileOf(doctor));
  for (const [when, { approvalStatus, documentDoctor }] of [
    [before, then],
    ['now', now],
  ] as const) {
    say(`  ${when.padEnd(24)}  ${approvalStatus}, registration ${documentDoctor}`);
  }
};

const showHistory = async (doctor: Doctor): Promise<void> => {
  const { items } = await call<z.infer<typeof ProfileHistory>>('GET', `${profileOf(doctor)}/history`);
  const state = (profile: Pick<Profile, 'approvalStatus'> | null) => profile?.approvalStatus ?? '-';
  const rows = items.map(({ type, at, actor, origin, reason, before, after }) => [
    ...[at, type, `${actor.name ?? actor.id}${origin === null ? '' : `, ${new URL(origin).host}`}`, reason ?? '-'],
    `${state(before)} → ${state(after)}`,
  ]);
  table(['when', 'what', 'who, from where', 'reason', 'before → after'], rows);
};

/** Attaches a doctor to a wrong institution, detaches the doctor, and shows the history of the doctor. */
export const playAttachments = async (doctor: Doctor): Promise<void> => {
  chapter(`${doctor.firstName} is attached to the wrong institution, and detached`);
  const body = { name: 'Hospital do Vale', unities: [{ name: 'Emergency' }] };
  const wrong = await call<{ id: string; unities: { id: string }[] }>('POST', '/institutions', { body });
  const [institution, unity] = [`/institutions/${wrong.id}`, `unities/${wrong.unities[0]?.id}`];
  await call('POST', `${institution}/${unity}/users`, { body: { userId: doctor.id } });
  await call('DELETE', `${institution}/users/${doctor.id}`);

  chapter(`The history of ${doctor.firstName}`);
  const { items } = await call<z.infer<typeof HistoryPage>>('GET', `/users/${doctor.id}/history`);
  const rows = items.map(({ revision, at, type, actor, reason }) => [
    ...[`${revision}`, at, type, actor.name ?? actor.id, reason ?? '-'],
  ]);
  table(['revision', 'when', 'what', 'who', 'reason'], rows);
};

/** Shows the last decisions with the names of the persons. */
export const playDecisions = async (): Promise<void> => {
  chapter('Who approved whom, and why');
  const { items } = await call<z.infer<typeof DecisionPage>>('GET', '/audit/decisions?limit=6');
  const rows = items.map(({ at, decidedBy, user, reason, before, after }) => [
    ...[at, decidedBy.name ?? decidedBy.id, user.name ?? user.id, `${before} → ${after}`, reason ?? '-'],
  ]);
  table(['when', 'who', 'about whom', 'before → after', 'why'], rows);
};

/** Shows the end of the log, and the event that records this read. */
export const playTrail = async (): Promise<void> => {
  chapter('The audit trail of the last minute');
  const from = new Date(Date.now() - 60_000).toISOString();
  const entries = await entriesOf(`/audit/events?from=${from}`);
  const rows = entries.slice(-8).map(({ at, type, stream, actor }) => [at, type, stream, actor.id]);
  table(['when', 'what', 'stream', 'by'], rows);
  say('\n  the read of the trail is recorded, too:');
  for (const { at, type, data } of await entriesOf(`/audit/events?after=${entries.at(-1)?.position}`)) {
    say(`    ${at}  ${type}  ${short(data)}`);
  }
};

const entriesOf = async (path: string): Promise<readonly Entry[]> => {
  const lines = await callForText('GET', path, { headers: { accept: 'application/x-ndjson' } });
  return lines.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as Entry]));
};

/** Erases a person. The log stays unchanged, and the history still shows the decisions. */
export const playErasure = async (doctor: Doctor, stores: LastingStores | undefined): Promise<void> => {
  chapter(`${doctor.firstName} is erased`);
  const before = await sealedOf(doctor, stores);
  if (before !== undefined) say(`  sealed in the log before  ${short(before, 80)}`);
  await call('DELETE', `/users/${doctor.id}/personal-data`, { body: { reason: 'Requested by the person.' } });
  const verdict = (await sealedOf(doctor, stores)) === before ? 'the same: only the key was deleted' : 'CHANGED';
  if (before !== undefined) say(`  sealed in the log after   ${verdict}`);
  await call('GET', `/users/${doctor.id}`);
  say('  the document is free again:');
  await validate(doctor.document);
  say('\n  the history still says what was decided, when and by whom:');
  await showHistory(doctor);
};

/** Returns the encrypted personal fields of a doctor's first event, as the log holds them. */
const sealedOf = async ({ id }: Doctor, stores: LastingStores | undefined): Promise<unknown> => {
  if (stores === undefined) return undefined;
  for await (const { data } of stores.sealedFacts.readStream(`user-${id}`)) return (data as { sealed?: string }).sealed;
  return undefined;
};
