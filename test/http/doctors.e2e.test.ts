// Endpoint 12: a doctor who signs in with e-mail and password.
import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { first } from '../support/items.js';
import { sharedService } from '../support/service-of-file.js';
import { expectNothingStored, expectRefused } from './support/refusals.js';
import type { User } from './support/samples.js';
import { createDoctor, createSpecialty, doctor, successful, UUID } from './support/samples.js';

const server = sharedService();

describe('POST /users/doctor', () => {
  it('responds with 200 and the user, whose profiles are all ANALYSING, and a GET returns the same', async () => {
    const sent = doctor();
    const { status, headers, body } = await server.post<User>('/users/doctor', sent);
    const { auth, profiles, ...person } = sent;
    expect(status).toBe(200);
    expect(body).toEqual({
      id: expect.stringMatching(UUID),
      ...person,
      gender: null,
      dialingCode: null,
      phone: null,
      email: auth.email,
      enabled: true,
      createdAt: expect.any(String),
      updatedAt: body.createdAt,
      profiles: [
        {
          id: expect.stringMatching(UUID),
          userId: body.id,
          approvalStatus: 'ANALYSING',
          changedSinceApproval: false,
          documentDoctor: first(profiles).documentDoctor,
          documentDoctorState: null,
          documentDoctorUpdatedAt: first(profiles).documentDoctorUpdatedAt,
          type: 'DOCTOR_GENERALIST',
          enabled: false,
          createdAt: body.createdAt,
          updatedAt: body.createdAt,
          specialties: [],
        },
      ],
      auth: [{ type: 'USERPASS', userId: body.id, externalAuthId: expect.stringMatching(UUID), email: auth.email }],
      ratings: [],
      unities: [],
      institutions: [],
    });
    const read = await server.get(`/users/${body.id}`);
    expect([read.body, read.headers.get('etag')]).toEqual([body, headers.get('etag')]);
  });

  it('records the user and the profiles in one append, with the types of the request', async () => {
    const made = await createDoctor(server, { profiles: [{ type: 'NURSE' }, {}, { type: 'DOCTOR_SPECIALIST' }] });
    expect(made.profiles.map(({ type }) => type)).toEqual(['NURSE', 'DOCTOR_GENERALIST', 'DOCTOR_SPECIALIST']);
    const recorded = await server.recorded(`user-${made.id}`);
    expect(recorded.map(({ type }) => type)).toEqual([
      'UserRegistered',
      ...made.profiles.map(() => 'UserProfileAdded'),
    ]);
    expect(new Set(recorded.map(({ metadata }) => metadata.causationId)).size).toBe(1);
  });

  it('lists every invalid field at once and stores nothing', async () => {
    const sent = { ...doctor(), firstName: ' ', auth: { email: 'ana souza@example.org', password: 'short' } };
    expectRefused(
      await expectNothingStored(server, () =>
        server.post('/users/doctor', { ...sent, dialingCode: '55', phone: '123' }),
      ),
      ...['/firstName blank', '/phone impossible', '/auth/email invalid-format', '/auth/password too-small'],
    );
  });

  it('accepts today and a leap day as the birth date', async () => {
    for (const birthDate of [new Date().toISOString().slice(0, 10), '2000-02-29']) {
      expect((await createDoctor(server, { birthDate })).birthDate).toBe(birthDate);
    }
  });
});

describe('the specialties of a new doctor', () => {
  it('are ids of the catalogue; each unknown or repeated id is 400 with its pointer', async () => {
    const { id: known } = await createSpecialty(server, { name: `Cardiology ${randomUUID()}` });
    const made = await createDoctor(server, { profiles: [{ specialties: [known] }] });
    expect(first(made.profiles).specialties).toEqual([
      {
        id: expect.stringMatching(UUID),
        userProfileId: first(made.profiles).id,
        specialtyId: known,
        enabled: true,
        createdAt: made.createdAt,
        updatedAt: made.createdAt,
      },
    ]);
    const profiles = [{ specialties: [known, randomUUID()] }, { specialties: ['Astrology', known, known] }];
    expectRefused(
      await expectNothingStored(server, () => server.post('/users/doctor', doctor({ profiles }))),
      '/profiles/0/specialties/1 not-found',
      '/profiles/1/specialties/0 not-found',
      '/profiles/1/specialties/2 duplicate',
    );
  });
});

describe('the header `origin`', () => {
  const recordedOrigin = async (origin: string) => {
    const { id } = successful(await server.post<User>('/users/doctor', doctor(), { origin })).body;
    return first(await server.recorded(`user-${id}`)).metadata.origin;
  };

  it.each([['https://desk.example:8443'], ['capacitor://localhost'], ['ward-3/tablet_7'], ['null']])(
    'is recorded if it is %s',
    async (origin) => {
      expect(await recordedOrigin(origin)).toBe(origin);
    },
  );

  it.each([
    ['https://desk.example/patients/maria'.repeat(2)],
    ['maria@example.org'],
    ['https://maria@desk.example'],
    ['Maria da Silva'],
    ['x'.repeat(65)],
    ['x'.repeat(3_000)],
  ])('is not recorded if it is %s, and the request succeeds', async (origin) => {
    expect(await recordedOrigin(origin)).toBeUndefined();
  });
});
