// No two users share an e-mail or a document, and no two specialties a name, regardless of concurrent requests, spelling
// and earlier owners. The suites of claims (test/commands) prove it for crashes.
import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { ClientResponse } from '../support/client.js';
import { first } from '../support/items.js';
import { upToDate } from '../support/opaque.js';
import { sharedService } from '../support/service-of-file.js';
import { expectNothingStored, expectProblem, faultsOf } from './support/refusals.js';
import type { Page, SentDoctor, Specialty, User } from './support/samples.js';
import { createDoctor, createSpecialty, doctor, newEmail, numbered, UNKNOWN_ID } from './support/samples.js';

const server = sharedService();
const PASSWORD = 'correct horse battery staple';

const register = (overrides: Partial<SentDoctor>, headers = {}) =>
  server.post<User>('/users/doctor', doctor(overrides), headers);
const withEmail = (email: string) => ({ auth: { email, password: PASSWORD } });
const newDocument = () => `MG-${randomUUID()}`;

/** Asserts that the response is 409 with exactly these pointers. */
const expectTaken = (response: ClientResponse, ...pointers: readonly string[]): void => {
  expectProblem(response, 409, 'user-taken');
  expect(faultsOf(response).map((fault) => fault.replace(/ (taken|reserved)$/, ''))).toEqual(pointers.toSorted());
};

/** Asserts that exactly one response is a user and that every other response names the pointer. Returns the user. */
const expectOneUser = (responses: readonly ClientResponse<User>[], pointer: string): User => {
  const made = responses.filter(({ status }) => status === 200);
  expect(made).toHaveLength(1);
  for (const response of responses) if (response.status !== 200) expectTaken(response, pointer);
  expect(responses.filter(({ status }) => status === 409)).toHaveLength(responses.length - 1);
  return first(made).body;
};

/** Returns the text with some letters in the other case. */
const inOtherCase = (text: string, n: number): string =>
  [...text].map((letter, index) => ((index * 7 + n) % 3 === 0 ? letter.toUpperCase() : letter.toLowerCase())).join('');

const countRegistered = async () => (await server.recorded()).filter(({ type }) => type === 'UserRegistered').length;

describe('twenty concurrent registrations', () => {
  it('with the same e-mail in any case and different documents create one user', async () => {
    const [email, before] = [newEmail(), await countRegistered()];
    const responses = await Promise.all(numbered(20, (n) => register(withEmail(inOtherCase(email, n)))));
    const { id } = expectOneUser(responses, '/auth/email');
    expect(await countRegistered()).toBe(before + 1);
    const { body } = await server.get<Page<User>>(`/users?email=${encodeURIComponent(email)}`, await upToDate(server));
    expect(body.items.map((user) => user.id)).toEqual([id]);
    expectTaken(await register(withEmail(email.toUpperCase())), '/auth/email');
  });

  it('with the same document in any punctuation and different e-mails create one user', async () => {
    const [digits, before] = [`${Math.random()}`.slice(2, 13).padEnd(11, '0'), await countRegistered()];
    const written = [
      digits,
      `${digits.slice(0, 3)}.${digits.slice(3, 6)}.${digits.slice(6, 9)}-${digits.slice(9)}`,
      ` ${digits.slice(0, 5)} ${digits.slice(5)}`,
      [...digits].join('/'),
    ];
    const responses = await Promise.all(numbered(20, (n) => register({ document: written[n % written.length] ?? '' })));
    expectOneUser(responses, '/document');
    expect(await countRegistered()).toBe(before + 1);
  });
});

describe('a refused registration', () => {
  it('names every field that is taken, even if two different users have them', async () => {
    const [one, other] = [await createDoctor(server), await createDoctor(server)];
    const response = await register({ document: `${other.document}`.toLowerCase(), ...withEmail(`${one.email}`) });
    expectTaken(response, '/auth/email', '/document');
  });

  it('leaves the other field free', async () => {
    const [{ email }, document] = [await createDoctor(server), newDocument()];
    expectTaken(await register({ document, ...withEmail(`${email}`) }), '/auth/email');
    expect((await register({ document })).status).toBe(200);
  });
});

describe('PUT /users/{id}', () => {
  it('with the e-mail or document of another user is 409 with the pointer and changes nothing', async () => {
    const [one, other] = [await createDoctor(server), await createDoctor(server)];
    const path = `/users/${one.id}`;
    expectTaken(await server.put(path, { email: `${other.email}`.toUpperCase() }), '/email');
    expectTaken(await server.put(path, { document: `${other.document}`.replaceAll('-', '.') }), '/document');
    const both = { email: other.email, document: other.document, firstName: 'Nobody' };
    expectTaken(await server.put(path, both), '/email', '/document');
    expect((await server.get(path)).body).toEqual(one);
  });

  it("accepts the user's own e-mail in another case", async () => {
    const { id, email } = await createDoctor(server);
    const again = inOtherCase(`${email}`, 1);
    expect(await server.put(`/users/${id}`, { email: again })).toMatchObject({ status: 200, body: { email: again } });
    expectTaken(await register(withEmail(`${email}`)), '/auth/email');
  });

  it('frees the old document immediately and keeps the sign-in address', async () => {
    const { id, email, document } = await createDoctor(server);
    for (let times = 0; times < 3; times += 1) {
      const now = { email: newEmail(), document: newDocument() };
      expect((await server.put(`/users/${id}`, now)).status).toBe(200);
      expectTaken(await register({ document: now.document, ...withEmail(`${email}`) }), '/auth/email', '/document');
    }
    expect((await register({ document: `${document}` })).status).toBe(200);
    expectTaken(await server.put(`/users/${id}`, { document }), '/document');
  });
});

describe('an erased user', () => {
  it('frees the e-mail and the document for another user', async () => {
    const { id, email, document } = await createDoctor(server);
    const again = { document: `${document}`, ...withEmail(`${email}`) };
    expectTaken(await register(again), '/auth/email', '/document');
    expect((await server.send('DELETE', `/users/${id}/personal-data`)).status).toBe(200);
    const { status, body } = await register(again);
    expect([status, body.email, body.document]).toEqual([200, email, document]);
    expect(body.id).not.toBe(id);
    expectTaken(await register(again), '/auth/email', '/document');
  });
});

const create = (body: object) => server.post<Specialty>('/specialties', body);
const revise = (id: string, body: object, headers: Record<string, string> = {}) =>
  server.put<Specialty>(`/specialties/${id}`, body, headers);
/** Returns a name that no other test has. */
const newName = (text = 'Name') => `${text} ${randomUUID()}`;

describe('the name of a specialty', () => {
  it('is 409 if another specialty has it, regardless of case, accents and what cannot be seen', async () => {
    const name = newName('Neurología');
    await createSpecialty(server, { name });
    for (const same of [name, ` ${name.toUpperCase().replace('Í', 'I')}\u3164`]) {
      const response = await expectNothingStored(server, () => create({ name: same }));
      expectProblem(response, 409, 'specialty-name-taken');
      expect(faultsOf(response)).toEqual(['/name taken']);
    }
    expect((await create({ name: `${name}!` })).status).toBe(201);
  });

  it('is also 409 in a revision if another specialty has it, and this check comes before If-Match', async () => {
    const [one, other] = [
      await createSpecialty(server, { name: newName() }),
      await createSpecialty(server, { name: newName() }),
    ];
    const response = await expectNothingStored(server, () =>
      revise(other.id, { name: one.name }, { 'If-Match': '"7"' }),
    );
    expectProblem(response, 409, 'specialty-name-taken');
    expectProblem(await revise(other.id, { name: newName() }, { 'If-Match': '"7"' }), 412, 'revision-mismatch');
    expectProblem(await revise(UNKNOWN_ID, { name: one.name }), 404, 'specialty-not-found');
  });

  it('is free again when its specialty gets a new name', async () => {
    const { id, name } = await createSpecialty(server, { name: newName() });
    expect((await revise(id, { name: newName() })).status).toBe(200);
    const next = await createSpecialty(server, { name });
    expectProblem(await revise(id, { name }), 409, 'specialty-name-taken');
    await revise(next.id, { name: newName() });
    expect((await revise(id, { name })).body.name).toBe(name);
  });

  it('may change its case in a revision of its own specialty', async () => {
    const { id, name } = await createSpecialty(server, { name: newName() });
    expect((await revise(id, { name: name.toUpperCase() })).body.name).toBe(name.toUpperCase());
    expectProblem(await create({ name }), 409, 'specialty-name-taken');
  });

  it('goes to exactly one of fifty concurrent requests', async () => {
    const name = newName();
    const responses = await Promise.all(
      numbered(50, (n) => create({ name: n % 2 === 0 ? name : name.toUpperCase(), description: `${n}` })),
    );
    const [made, refused] = [
      responses.filter(({ status }) => status === 201),
      responses.filter((a) => a.status !== 201),
    ];
    expect([made.length, refused.length]).toEqual([1, 49]);
    for (const response of refused) {
      const { errors } = expectProblem(response, 409, 'specialty-name-taken');
      expect(errors).toMatchObject([{ pointer: '/name', code: expect.stringMatching(/^(taken|reserved)$/) }]);
    }
    const recorded = (await server.recorded()).filter(
      ({ data }) => `${data['name']}`.toLowerCase() === name.toLowerCase(),
    );
    expect(recorded).toHaveLength(1);
  });
});
