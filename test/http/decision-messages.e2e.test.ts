// The messages about decisions on profiles, in the outbox, two minutes after the decisions by the clock of all processes.
import { beforeAll, describe, expect, it } from 'vitest';
import { movableClock } from '../support/clock.js';
import { eventually } from '../support/eventually.js';
import { first } from '../support/items.js';
import { serverOfThisFile } from '../support/service-of-file.js';
import { MINUTES_2, messagesTo } from './support/decision-messages.js';
import { createDoctor, numbered, successful, type User } from './support/samples.js';

const clock = movableClock();
const server = serverOfThisFile({ REAPPROVAL: 'on' }, clock.environment);
const REASON = 'The council does not know this number.';

/** A doctor with profiles that await decisions. */
const newDoctor = async (...types: readonly ('DOCTOR_GENERALIST' | 'NURSE')[]) => {
  const { id, auth, profiles } = await createDoctor(
    server,
    types.length === 0 ? {} : { profiles: types.map((type) => ({ type })) },
  );
  const paths = profiles.map((profile) => `/users/${id}/profiles/${profile.id}`);
  return { id, email: `${first(auth).email}`, profile: first(paths), profiles: paths };
};
type Doctor = Awaited<ReturnType<typeof newDoctor>>;

const decide = async ({ profile }: Doctor, ...decisions: readonly ('approve' | 'reject')[]) => {
  for (const decision of decisions) {
    successful(await server.patch(`${profile}/${decision}`, { reason: `${REASON} ${decision}` }));
  }
};
const subjectsTo = (doctor: Doctor) => messagesTo(server, doctor.email).map(({ subject }) => subject);

const APPROVED = 'Seu perfil foi aprovado / Your profile was approved';
const REJECTED = 'Seu perfil não foi aprovado / Your profile was not approved';
const REVIEWED = 'Seu perfil voltou para análise / Your profile is under review again';

/** What happens to a doctor, and the subjects of the messages that follow. */
const cases: Readonly<Record<string, readonly [(doctor: Doctor) => Promise<unknown>, readonly string[]]>> = {
  'an approval': [(doctor) => decide(doctor, 'approve'), [APPROVED]],
  'a rejection': [(doctor) => decide(doctor, 'reject'), [REJECTED]],
  'ten decisions in a minute': [
    (doctor) => decide(doctor, ...numbered(10, (n) => (n % 2 === 0 ? 'approve' : 'reject'))),
    [APPROVED],
  ],
  'a decision that is repeated, and explained': [
    async (doctor) => {
      await decide(doctor, 'approve', 'approve');
      successful(await server.patch(`${doctor.profile}/approve`, { reason: 'By letter.' }));
    },
    [APPROVED],
  ],
  'a slip that is corrected by another review': [
    async (doctor) => {
      await decide(doctor, 'reject');
      successful(await server.post(`${doctor.profile}/resubmit`, {}));
    },
    [],
  ],
  'a new name': [
    async (doctor) => {
      await decide(doctor, 'approve');
      // Without the roles of an administrator, the change is not reviewed.
      successful(await server.put(`/users/${doctor.id}`, { lastName: 'Another' }));
    },
    [],
  ],
  'an erasure after the decision': [
    async (doctor) => {
      await decide(doctor, 'approve');
      successful(await server.send('DELETE', `/users/${doctor.id}/personal-data`));
    },
    [],
  ],
  'a new contact address': [
    async (doctor) => {
      successful(await server.put(`/users/${doctor.id}`, { email: `contact.${doctor.email}` }));
      await decide(doctor, 'reject');
    },
    [REJECTED],
  ],
};

const doctors = new Map<string, Doctor>();
const doctorOf = (name: string): Doctor => {
  const found = doctors.get(name);
  if (found === undefined) throw new Error(`there is no doctor for ${name}`);
  return found;
};
/** A doctor who is approved first, and returns to analysis when the messages about the approvals have been sent. */
let later: Doctor;
const expectedSubjects = (names: readonly string[]) => names.map((name) => cases[name]?.[1] ?? []);

/** Waits until a doctor has this number of messages. */
const received = (doctor: Doctor, count: number): Promise<void> =>
  eventually(() => expect(messagesTo(server, doctor.email)).toHaveLength(count));

beforeAll(async () => {
  later = await newDoctor('DOCTOR_GENERALIST', 'NURSE');
  for (const profile of later.profiles) successful(await server.patch(`${profile}/approve`, {}));
  for (const [name, [happens]] of Object.entries(cases)) {
    const doctor = await newDoctor();
    doctors.set(name, doctor);
    await happens(doctor);
  }
  // The last decision of all: its message comes after those of the others.
  const last = await newDoctor();
  await decide(last, 'approve');
  expect(server.outbox().filter(({ subject }) => subject.includes(' / '))).toEqual([]);
  clock.pass(MINUTES_2);
  await received(last, 1);
});

describe('two minutes later', () => {
  it.each(Object.keys(cases))('the person has the messages about %s', (name) =>
    expect([subjectsTo(doctorOf(name))]).toEqual(expectedSubjects([name])),
  );

  it('a message is in both languages, without the reason and without a link', () => {
    for (const name of Object.keys(cases)) {
      for (const { channel, person, text } of messagesTo(server, doctorOf(name).email)) {
        expect([channel, person]).toEqual(['EMAIL', doctorOf(name).id]);
        expect(text).toMatch(/Olá,[\s\S]+Hello,/);
        expect(text).not.toMatch(/council|By letter|http/);
      }
    }
  });

  it('a revision that returns several profiles to analysis sends one message for each of them', async () => {
    expect(subjectsTo(later)).toEqual([APPROVED, APPROVED]);
    successful(await server.put<User>(`/users/${later.id}`, { lastName: 'Another' }));
    clock.pass(MINUTES_2);
    await received(later, 4);
    expect(subjectsTo(later).toSorted()).toEqual([APPROVED, APPROVED, REVIEWED, REVIEWED].toSorted());
    const returns = messagesTo(server, later.email).filter(({ subject }) => subject === REVIEWED);
    expect(returns.map(({ text }) => /as an? ([a-z ]+?) at/.exec(text)?.[1]).toSorted()).toEqual([
      'general practitioner',
      'nurse',
    ]);
  });

  it('the codes of a person are not withheld because of decisions', async () => {
    const { email } = doctorOf('ten decisions in a minute');
    const code = await server.post('/auth-service/password/reset-code', { email });
    expect(code.status).toBeLessThan(300);
  });
});
