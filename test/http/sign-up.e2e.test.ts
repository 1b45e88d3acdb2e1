// Endpoints 24 and 27: signing up and its dry run.
import { randomUUID } from 'node:crypto';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { describe, expect, it } from 'vitest';
import { first, nth } from '../support/items.js';
import { upToDate } from '../support/opaque.js';
import { sharedService } from '../support/service-of-file.js';
import { expectNothingStored, expectProblem, expectRefused, faultsOf } from './support/refusals.js';
import type { Specialty, User } from './support/samples.js';
import { createSpecialty, newEmail, numbered, successful, UUID } from './support/samples.js';
import { bearerHeader, claimsOf, PASSWORD, signIn } from './support/signing-in.js';
import type { SentSignUp, SignUpModel } from './support/signing-up.js';
import { activate, codeIn, messagesTo, newcomer, newPhone, signUp, trySignUp } from './support/signing-up.js';

const server = sharedService();
const profile = {
  documentDoctor: 'CRM/SP 123456',
  documentDoctorState: 'SP',
  documentDoctorUpdatedAt: '2025-12-31',
  type: 'DOCTOR_SPECIALIST',
} as const;
const withPassword = (password: string, email = newEmail()): Partial<SentSignUp> => ({ auth: { email, password } });
const specialtyOf = async ({ profiles }: User, index = 0): Promise<Specialty> => {
  const id = first(profiles[index]?.specialties ?? []).specialtyId;
  return successful(await server.get<Specialty>(`/specialties/${id}`)).body;
};

describe('POST /auth-service/signup', () => {
  it('responds with 201 and the enabled user, whose profiles are all ANALYSING, and a GET returns the same', async () => {
    const { phone } = newPhone();
    const person = { firstName: 'Bruno', lastName: 'Lima', birthDate: '1985-07-14', gender: 'MASCULINE' } as const;
    const sent = newcomer({ ...person, phone, dialingCode: '55', profiles: [{ ...profile, specialties: [] }] });
    const { status, headers, body } = await trySignUp(server, sent);
    expect([status, headers.get('location')]).toEqual([201, `/users/${body.id}`]);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(body).toMatchObject({ id: expect.stringMatching(UUID), ...person, phone, dialingCode: '55', enabled: true });
    expect(body).toMatchObject({ email: sent.auth.email, document: null });
    expect(body.profiles).toMatchObject([{ ...profile, approvalStatus: 'ANALYSING', enabled: false, specialties: [] }]);
    const read = await server.get(`/users/${body.id}`);
    expect([read.body, read.headers.get('etag')]).toEqual([body, headers.get('etag')]);
  });

  it('requires only names, terms and a sign-in, with which the user can sign in immediately', async () => {
    const user = await signUp(server);
    expect(user).toMatchObject({ birthDate: null, gender: null, phone: null, document: null, profiles: [] });
    const { token } = await signIn(server, user.email.toUpperCase());
    expect(claimsOf(token)).toMatchObject({ sub: user.id, roles: [] });
    const [registered] = await server.recorded(`user-${user.id}`);
    expect(registered).toMatchObject({ type: 'UserRegistered', data: { acceptedTerms: true } });
  });

  it('gives no role for a requested profile of any type', async () => {
    const types = ['ADMINISTRATOR', 'AUDITOR', 'NURSE', 'DOCTOR_SPECIALIST', 'DOCTOR_GENERALIST'] as const;
    const user = await signUp(server, { profiles: types.map((type) => ({ type })) });
    expect(user.profiles.map(({ type, approvalStatus }) => [type, approvalStatus])).toEqual(
      types.map((type) => [type, 'ANALYSING']),
    );
    expect(claimsOf((await signIn(server, user.email)).token)).toMatchObject({ roles: [] });
  });

  it('is refused with an If-Match, because a new user has no ETag, and adds no specialty', async () => {
    const specialties = [{ description: `Specialty ${randomUUID()}` }];
    const response = await expectNothingStored(server, () =>
      trySignUp(server, newcomer({ profiles: [{ specialties }] }), { 'If-Match': '*' }),
    );
    expectProblem(response, 412, 'revision-mismatch');
  });
});

describe('the password of a sign-up', () => {
  it('cannot be common, the e-mail or the part before its @, regardless of case', async () => {
    for (const password of ['PassWord1', 'Long.Enough@Example.org', 'LONG.enough']) {
      const response = await trySignUp(server, newcomer(withPassword(password, 'long.enough@example.org')));
      expectRefused(response, '/auth/password common');
      const doctor = { firstName: 'A', lastName: 'B', document: randomUUID(), profiles: [{}] };
      const auth = withPassword(password, 'long.enough@example.org');
      expectRefused(await server.post('/users/doctor', { ...doctor, ...auth }), '/auth/password common');
    }
  });
});

describe('the e-mail and the document of a sign-up', () => {
  it('are refused, each with its pointer, if another user has them, and nothing is stored', async () => {
    const document = `MG-${randomUUID()}`;
    const { email } = await signUp(server, { document });
    const profiles = [{ specialties: [{ description: `Specialty ${randomUUID()}` }] }];
    const sent = newcomer({
      ...withPassword(PASSWORD, email.toUpperCase()),
      document: document.toLowerCase(),
      profiles,
    });
    const response = await expectNothingStored(server, () => trySignUp(server, sent));
    expectProblem(response, 409, 'user-taken');
    expect(faultsOf(response)).toEqual(['/auth/email taken', '/document taken']);
  });

  it('go to exactly one of many users who sign up at the same time', async () => {
    const auth = { email: newEmail(), password: PASSWORD };
    const responses = await Promise.all(numbered(5, () => trySignUp(server, newcomer({ auth }))));
    expect(responses.map(({ status }) => status).toSorted()).toEqual([201, 409, 409, 409, 409]);
    for (const response of responses.filter(({ status }) => status === 409)) {
      expect(faultsOf(response)).toEqual([expect.stringMatching(/^\/auth\/email (taken|reserved)$/)]);
    }
    await signIn(server, auth.email);
  });

  it('belong to one user, who gets one code, if many concurrent requests have one Idempotency-Key', async () => {
    const [sent, headers] = [newcomer(), { 'Idempotency-Key': randomUUID() }];
    const responses = await Promise.all(numbered(5, () => trySignUp(server, sent, headers)));
    for (const response of responses) expect([response.status, response.body]).toEqual([201, responses[0]?.body]);
    await messagesTo(server, sent.auth.email);
    const other = await trySignUp(server, { ...sent, lastName: 'Other' }, headers);
    expectProblem(other, 422, 'idempotency-key-reused');
  });
});

describe('the specialties of a sign-up', () => {
  it('are matched to the catalogue by name, regardless of case and accents', async () => {
    const [run, specialty] = [randomUUID(), { document: 'RQE 1' }];
    const { id } = await createSpecialty(server, { name: `Neonatología ${run}` });
    const named = [{ ...specialty, description: `NEONATOLOGIA ${run}` }];
    const user = await signUp(server, { profiles: [{ specialties: named }, { specialties: named }] });
    for (const { specialties } of user.profiles) expect(specialties).toMatchObject([{ specialtyId: id }]);
    expect(JSON.stringify(user)).not.toContain('RQE 1');
  });

  it('are added to the catalogue as disabled if they are unknown', async () => {
    const description = `Xenology ${randomUUID()}`;
    const user = await signUp(server, { profiles: [{ specialties: [{ description }] }] });
    expect(await specialtyOf(user)).toMatchObject({ name: description, description: null, enabled: false });
  });

  it('are added once if many concurrent sign-ups name the same new ones, and all sign-ups succeed', async () => {
    const names = numbered(3, () => `Xenology ${randomUUID()}`);
    const profiles = [{ specialties: names.map((description) => ({ description })) }];
    const responses = await Promise.all(numbered(4, () => trySignUp(server, newcomer({ profiles }))));
    expect(responses.map(({ status }) => status)).toEqual([201, 201, 201, 201]);
    const lists = responses.map(({ body }) => first(body.profiles).specialties.map(({ specialtyId }) => specialtyId));
    expect(new Set(lists.map((ids) => ids.join())).size).toBe(1);
    expect(new Set(lists[0]).size).toBe(3);
  });
});

describe('the name of a specialty that a sign-up adds', () => {
  it.each([
    ['a blank before it', (name: string) => ` ${name}`],
    ['runs of blanks', (name: string) => name.replaceAll(' ', '  \u00A0')],
    ['outer white space and invisible characters', (name: string) => `\t${name.replace(' ', '\u3000\u200B ')} \u200B `],
  ])('is kept without %s, and is one specialty with it and without it', async (_, spoil) => {
    const name = `Medicina do Sono ${randomUUID()}`;
    const spoilt = [{ description: spoil(name) }];
    const user = await signUp(server, {
      profiles: [{ specialties: spoilt }, { specialties: [{ description: name }] }],
    });
    const added = await specialtyOf(user);
    expect(added.name).toBe(name);
    expect(await specialtyOf(user, 1)).toEqual(added);
    const later = await signUp(server, { profiles: [{ specialties: spoilt }] });
    expect(await specialtyOf(later)).toEqual(added);
    const twice = newcomer({ profiles: [{ specialties: [...spoilt, { description: name }] }] });
    expectRefused(await trySignUp(server, twice), '/profiles/0/specialties/1/description duplicate');
    const sent = spoil(`A ${name}`);
    expect((await createSpecialty(server, { name: sent })).name).toBe(sent);
  });
});

describe('the specialties that a sign-up adds to the catalogue', () => {
  const unknown = (count: number) => numbered(count, () => ({ description: `Xenology ${randomUUID()}` }));
  const model = async (body: unknown) =>
    (await server.post<SignUpModel>('/auth-service/signup-model', body)).body.errors.map(
      ({ pointer, code }) => `${pointer} ${code}`,
    );

  it('are at most 10, beside any number of known ones', async () => {
    const known = numbered(3, () => ({ description: `Known ${randomUUID()}` }));
    for (const { description } of known) await createSpecialty(server, { name: description });
    const [most, shared] = [unknown(9), unknown(1)];
    const profiles = [{ specialties: [...known, ...most, ...shared] }, { specialties: [...shared, ...known] }];
    expect(await model(newcomer({ profiles }))).toEqual([]);
    const { profiles: made } = await signUp(server, { profiles });
    expect(made.map(({ specialties }) => specialties.length)).toEqual([13, 4]);
  });

  it('are refused from the eleventh on, in the dry run as well, and none is added', async () => {
    const profiles = [{ specialties: unknown(6) }, { specialties: unknown(6) }];
    const tooMany = ['/profiles/1/specialties/4/description too-big', '/profiles/1/specialties/5/description too-big'];
    expect(await model(newcomer({ profiles }))).toEqual(tooMany);
    expect(await model({ profiles })).toEqual(expect.arrayContaining(tooMany));
    expectRefused(await expectNothingStored(server, () => trySignUp(server, newcomer({ profiles }))), ...tooMany);
  });
});

describe('the first code', () => {
  it.each<[string, Partial<SentSignUp> & { readonly isInternational?: boolean }, string]>([
    ['by e-mail by default', {}, 'EMAIL'],
    ['by SMS if the user asks for it', { notificationProviderType: 'SMS', dialingCode: '55' }, 'SMS'],
    ['by SMS to a phone with a dialing code', { notificationProviderType: 'sms', isInternational: true }, 'SMS'],
    ['by e-mail if the phone has no dialing code', { notificationProviderType: 'PHONE_SMS' }, 'EMAIL'],
    [
      'by e-mail if only a part of a word names a phone',
      { notificationProviderType: 'MobileMail', dialingCode: '55' },
      'EMAIL',
    ],
  ])('comes %s', async (_, { isInternational = false, ...overrides }, channel) => {
    const { phone, number } = newPhone();
    const { email } = await signUp(server, { ...overrides, phone: isInternational ? number : phone });
    const [message] = await messagesTo(server, channel === 'SMS' ? number : email);
    expect(message?.channel).toBe(channel);
    expect(server.outbox().filter(({ to }) => [email, number].includes(to))).toHaveLength(1);
  });

  it.each([
    ['pt', undefined],
    ['pt', 'fr'],
    ['en', 'en-GB;q=0.9, pt;q=0.1'],
    ['en', 'de, en;q=0.5'],
  ])('is written in %s for Accept-Language %s', async (language, accepted) => {
    const sent = newcomer();
    const headers = accepted === undefined ? {} : { 'Accept-Language': accepted };
    successful(await trySignUp(server, sent, headers));
    const [message] = await messagesTo(server, sent.auth.email);
    expect(message?.subject).toBe(language === 'pt' ? 'Seu código de ativação' : 'Your activation code');
  });
});

describe('POST /auth-service/signup-model', () => {
  const model = async (body?: unknown) =>
    successful(await server.post<SignUpModel>('/auth-service/signup-model', body)).body;

  it('responds with the schema of a sign-up, the values of its enumerations and the enabled specialties', async () => {
    const [enabled, disabled] = [randomUUID(), randomUUID()];
    const { id } = await createSpecialty(server, { name: enabled });
    await createSpecialty(server, { name: disabled, enabled: false });
    successful(await server.get('/specialties', await upToDate(server)));
    const response = await model();
    expect(response.enumerations).toEqual({
      genders: ['FEMININE', 'MASCULINE'],
      profileTypes: ['DOCTOR_GENERALIST', 'DOCTOR_SPECIALIST', 'NURSE', 'ADMINISTRATOR', 'AUDITOR'],
      notificationProviderTypes: ['EMAIL', 'SMS'],
      authTypes: ['USERPASS'],
    });
    expect(response.specialties).toContainEqual({ id, name: enabled });
    expect(JSON.stringify(response.specialties)).not.toContain(disabled);
    const ajv = new Ajv2020({ strict: false });
    addFormats.default(ajv);
    const accepts = ajv.compile(response.model);
    expect([accepts(newcomer()), accepts({})]).toEqual([true, false]);
  });

  it('lists the errors of a body and stores nothing', async () => {
    const faults = await expectNothingStored(server, () =>
      server.post<SignUpModel>('/auth-service/signup-model', { firstName: ' ', auth: { password: 'password' } }),
    );
    expect(faults.status).toBe(200);
    expect(faults.body.errors.map(({ pointer, code }) => `${pointer} ${code}`).toSorted()).toEqual([
      '/acceptTerms required',
      '/auth/email required',
      '/auth/password common',
      '/firstName blank',
      '/lastName required',
    ]);
    const sent = newcomer();
    expect((await model(sent)).errors).toEqual([]);
    expect((await model({})).errors).toEqual((await model()).errors);
    successful(await trySignUp(server, sent));
    // The dry run does not reveal that the e-mail is taken.
    expect((await model(sent)).errors).toEqual([]);
  });

  it('names the profile with which a sign-up exceeds the total number of specialties', async () => {
    const specialtiesAfter = (from: number) => numbered(30, (n) => ({ description: `Specialty ${from + n}` }));
    // Names that the catalogue has: a sign-up adds only a few.
    for (const { description } of [...specialtiesAfter(0), ...specialtiesAfter(30)])
      await server.post('/specialties', { name: description });
    const profiles = [{ specialties: specialtiesAfter(0) }, { specialties: specialtiesAfter(20) }];
    expect((await model(newcomer({ profiles }))).errors).toEqual([]);
    const tooMany = newcomer({ profiles: [...profiles, { specialties: specialtiesAfter(21) }, { specialties: [] }] });
    expect((await model(tooMany)).errors).toMatchObject([{ pointer: '/profiles/2/specialties', code: 'too-big' }]);
    expectRefused(await trySignUp(server, tooMany), '/profiles/2/specialties too-big');
  });

  it('accepts only an object of at most 200 members', async () => {
    expectRefused(await server.post('/auth-service/signup-model', []), ' invalid-type');
    const many = Object.fromEntries(numbered(201, (n) => [`field${n}`, n]));
    expectRefused(await server.post('/auth-service/signup-model', many), ' too-big');
  });
});

describe('the messages to a user', () => {
  it.each([
    ['pt', /ativa o seu acesso/, /confirma o seu novo telefone/, /redefine a sua senha/],
    ['en', /activates your access/, /confirms your new phone/, /resets your password/],
  ])('are written in the language of the reader: %s', async (language, ofActivation, ofPhone, ofPassword) => {
    const headers = { 'Accept-Language': language === 'pt' ? 'pt-BR,pt;q=0.9,en;q=0.8' : 'en-GB,en;q=0.9' };
    const sent = newcomer();
    const { id } = successful(await trySignUp(server, sent, headers)).body;
    const activation = nth(await messagesTo(server, sent.auth.email), 0);
    await server.post('/auth-service/password/reset-code', { email: sent.auth.email }, headers);
    const both = await messagesTo(server, sent.auth.email, 2);
    const { phone, number } = newPhone();
    const { token } = await signIn(server, sent.auth.email);
    const change = { dialingCode: '55', phone };
    successful(await server.post('/auth-service/change-phone', change, { ...headers, ...bearerHeader(token) }));
    const ofChange = nth(await messagesTo(server, number), 0);
    const ofReset = both.find((message) => message.id !== activation.id);
    expect([activation, ofChange, ofReset].map((message) => message?.text)).toEqual(
      [ofActivation, ofPhone, ofPassword].map((text) => expect.stringMatching(text)),
    );
    expect((await activate(server, id, codeIn(activation))).status).toBe(200);
  });
});
