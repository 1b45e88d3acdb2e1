// No two users share an e-mail or a document, regardless of concurrent requests, spelling and earlier owners.
import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { ClientResponse } from '../support/client.js';
import { upToDate } from '../support/opaque.js';
import { sharedService } from '../support/service-of-file.js';
import { expectProblem, faultsOf } from './refusals.js';
import { createDoctor, doctor, first, newEmail, numbered, type Page, type SentDoctor, type User } from './samples.js';

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

  it('with the same e-mail and document create one user, and later registrations name both fields', async () => {
    const [email, document] = [newEmail(), newDocument()];
    const responses = await Promise.all(numbered(20, () => register({ document, ...withEmail(email) })));
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(1);
    const refused = responses.filter(({ status }) => status !== 200);
    for (const response of refused) expectProblem(response, 409, 'user-taken');
    expectTaken(await register({ document, ...withEmail(email) }), '/auth/email', '/document');
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

  it('can be repeated with the same Idempotency-Key when the field is free', async () => {
    const { id, document } = await createDoctor(server);
    const [sent, key] = [doctor({ document: `${document}` }), { 'Idempotency-Key': randomUUID() }];
    expectTaken(await server.post('/users/doctor', sent, key), '/document');
    await server.put(`/users/${id}`, { document: newDocument() });
    expect((await server.post('/users/doctor', sent, key)).status).toBe(200);
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

  it('gives a document to exactly one of two users who request it at the same time', async () => {
    for (const [one, other] of await Promise.all(
      numbered(5, async () => [await createDoctor(server), await createDoctor(server)] as const),
    )) {
      const document = newDocument();
      const responses = await Promise.all([one, other].map(({ id }) => server.put<User>(`/users/${id}`, { document })));
      expectOneUser(responses, '/document');
    }
  });

  it('never gives both users the same e-mail if they exchange their e-mails at the same time', async () => {
    const [one, other] = [await createDoctor(server), await createDoctor(server)];
    await Promise.all([
      server.put(`/users/${one.id}`, { email: other.email }),
      server.put(`/users/${other.id}`, { email: one.email }),
    ]);
    const now = await Promise.all([one, other].map(({ id }) => server.get<User>(`/users/${id}`)));
    const emails = now.map(({ body }) => `${body.email}`.toLowerCase());
    expect(new Set(emails).size).toBe(2);
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
