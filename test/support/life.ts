// Makes the requests of a small hospital and its operator, which record an event of every type, and reads every resource
// afterwards.
import { expect } from 'vitest';
import { tracedPerson } from '../http/support/erased-person.js';
import {
  createDoctor,
  createInstitution,
  createProtocol,
  createQuestionnaire,
  newEmail,
  option,
  type ProtocolAndForm,
  question,
  questionnaire,
  successful,
} from '../http/support/samples.js';
import {
  bearerHeader,
  newUser,
  PASSWORD,
  refresh,
  sessionsOf,
  signedInUser,
  signIn,
  trySignIn,
} from '../http/support/signing-in.js';
import { activate, codeIn, newPhone, signUp } from '../http/support/signing-up.js';
import type { Client } from './client.js';
import { eventually } from './eventually.js';
import { first, nth } from './items.js';
import { messagesIn } from './outbox.js';
import { runCli } from './process.js';
import type { Server } from './server.js';

/** Makes the requests. Returns the e-mail of a user whose password is `PASSWORD`. */
export const live = async (server: Server): Promise<string> => {
  await places(server);
  await attachments(server);
  await protocols(server);
  await tracedPerson(server);
  const { id } = await createDoctor(server);
  successful(
    await server.send('DELETE', `/users/${id}/personal-data`, { json: { reason: 'The person asked for it.' } }),
  );
  await account(server);
  await sessions(server);
  await operate(server);
  return (await newUser(server)).email;
};

const places = async (server: Client): Promise<void> => {
  const { id } = await createInstitution(server, { document: '12.345.678/0001-95' });
  const institution = `/institutions/${id}`;
  successful(await server.put(institution, { name: 'Hospital São Lucas da Serra' }));
  const sent = { name: 'Paediatrics', address: 'Wing B' };
  const unity = successful(await server.post<{ id: string }>(`${institution}/unities`, sent)).body;
  successful(await server.put(`${institution}/unities/${unity.id}`, { address: 'Wing C' }));
  const specialty = successful(await server.post<{ id: string }>('/specialties', { name: 'Cardiology' })).body;
  successful(await server.put(`/specialties/${specialty.id}`, { description: 'The heart and the vessels' }));
};

/** Attaches a doctor to a unity, and detaches the doctor from the unity, and then from its institution. */
const attachments = async (server: Client): Promise<void> => {
  const { id, unities } = await createInstitution(server, { unities: [{ name: 'Ward' }] });
  const [institution, { id: userId }] = [`/institutions/${id}`, await createDoctor(server)];
  const unity = `${institution}/unities/${first(unities).id}`;
  successful(await server.post(`${unity}/users`, { userId }));
  for (const place of [unity, institution]) successful(await server.send('DELETE', `${place}/users/${userId}`));
};

const protocols = async (server: Client): Promise<void> => {
  const { id: institutionId } = await createInstitution(server);
  const made = await createQuestionnaire(server, institutionId);
  const at = `/protocols/${made.protocol.id}`;
  const form = `${at}/forms/${made.form.id}`;
  const { id } = first(made.form.questions);
  const added = { ...question(1, { questionText: 'Hours of sleep', metadata: { minValue: 0 } }), options: undefined };
  successful(await server.post(`${form}/questions`, added));
  successful(await server.put(`${at}/questions/${id}`, { questionText: 'Little interest', position: 3 }));
  successful(await server.post(`${at}/questions/${id}/options`, option(1, { optionText: 'Rather not say' })));
  const optionId = first(first(made.form.questions).options).id;
  successful(await server.put(`${at}/options/${optionId}`, { optionText: 'Never' }));
  const now = successful(await server.get<ProtocolAndForm['form']>(form)).body;
  const reversed = (items: readonly { readonly id: string }[] = []) => items.map((each) => each.id).toReversed();
  successful(await server.put(`${form}/questions/order`, { ids: reversed(now.questions) }));
  const options = now.questions.find((each) => each.id === id)?.options;
  successful(await server.put(`${at}/questions/${id}/options/order`, { ids: reversed(options) }));
  successful(await server.post(`${at}/forms/versions`, {}));
  const { institutionId: _, ...content } = questionnaire(institutionId, { name: 'PHQ-2, revised' });
  successful(await server.put(`${at}/questionnaire`, { ...content, formId: made.form.id }));
  await liveForms(server, { at, form, institutionId });
  const bare = await createProtocol(server, institutionId);
  successful(await server.put(`/protocols/${bare.id}`, { name: 'Still without a form' }));
};

/** Deletes in a draft, publishes and retires it, archives and restores its protocol, and copies both. */
const liveForms = async (
  server: Client,
  { at, form, institutionId }: { readonly at: string; readonly form: string; readonly institutionId: string },
): Promise<void> => {
  const { questions } = successful(await server.get<ProtocolAndForm['form']>(form)).body;
  successful(await server.send('DELETE', `${at}/options/${first(first(questions).options).id}`));
  successful(await server.send('DELETE', `${at}/questions/${nth(questions, 1).id}`));
  successful(await server.post(`${form}/publish`, { reason: 'The committee approved the wording.' }));
  successful(await server.post(`${form}/retire`));
  successful(await server.post(`${at}/copies`, { institutionId, name: 'PHQ-2, copied' }));
  successful(await server.post(`${at}/archive`, { reason: 'The ward uses another instrument.' }));
  successful(await server.post(`${at}/restore`));
};

/** Signs a user up, who changes the phone and the password. */
const account = async (server: Server): Promise<void> => {
  const codeTo = (contact: string) =>
    eventually(() => codeIn(first(messagesIn(server.directory).filter(({ to }) => to === contact))));
  const { id, email } = await signUp(server);
  successful(await activate(server, id, await codeTo(email)));
  const { token } = await signIn(server, email);
  const { phone, number } = newPhone();
  successful(await server.post('/auth-service/change-phone', { dialingCode: '55', phone }, bearerHeader(token)));
  successful(await activate(server, id, await codeTo(number)));
  const change = { currentPassword: PASSWORD, newPassword: 'another horse, another staple' };
  successful(await server.put('/auth-service/password', change, bearerHeader(token)));
};

/** Fails to sign in, ends a session, and uses a refresh token a second time. */
const sessions = async (server: Client): Promise<void> => {
  const { email } = await newUser(server);
  expect((await trySignIn(server, email, 'a wrong password')).status).toBe(401);
  const ended = await signIn(server, email);
  const { items } = successful(await sessionsOf(server, ended.token)).body;
  const session = `/auth-service/sessions/${nth(items, 0).id}`;
  successful(await server.send('DELETE', session, { headers: bearerHeader(ended.token) }));
  const { refreshToken } = await signIn(server, email);
  // After more renewals than a session remembers, the service detects the reuse of the first token at once.
  let newest = refreshToken;
  for (let n = 0; n < 21; n += 1) newest = successful(await refresh(server, newest)).body.refreshToken;
  expect((await refresh(server, refreshToken)).status).toBe(401);
};

/** Changes the sign-in address of an approved user who has changed the own name, and the keys of the audit log. */
const operate = async (server: Server): Promise<void> => {
  const { user, token } = await signedInUser(server);
  successful(await server.patch(`/users/${user.id}/profiles/${first(user.profiles).id}/approve`, {}));
  successful(await server.put(`/users/${user.id}`, { lastName: 'Another' }, bearerHeader(token)));
  await eventually(async () => successful(await server.get('/audit/log/checkpoint')));
  for (const command of [
    ['sign-in-address', 'set', '--user', user.id, '--email', newEmail(), '--operator', 'Rui Alves'],
    ['log-keys', 'rotate'],
    ['log-keys', 'new-log', '--reason', 'The disk failed.'],
  ]) {
    expect(await runCli(server.directory, ...command)).toMatchObject({ code: 0, err: '' });
  }
};

interface Item {
  readonly id: string;
  readonly version?: number;
  readonly userId?: string;
}

/** The body of each response by its path. */
export type Responses = Readonly<Record<string, { readonly items?: readonly unknown[] }>>;

/** Returns the responses of every list, of every resource in it, and of the whole log. */
export const responsesOf = async (server: Client): Promise<Responses> => {
  const responses: Record<string, { readonly items?: readonly Item[] }> = {};
  const read = async (path: string): Promise<readonly Item[]> => {
    const { body } = successful(await server.get<{ readonly items?: readonly Item[] }>(path));
    responses[path] = body;
    return body.items ?? [];
  };
  for (const list of ['/institutions', '/specialties', '/users', '/protocols']) {
    for (const { id } of await read(`${list}?limit=200`)) await read(`${list}/${id}`);
  }
  for (const { id } of responses['/protocols?limit=200']?.items ?? []) {
    for (const form of await read(`/protocols/${id}/forms`)) {
      await read(`/protocols/${id}/forms/${form.id}`);
      await read(`/protocols/${id}/questionnaire?version=${form.version}`);
    }
  }
  for (const { id, userId } of await read('/profiles?limit=200')) {
    await read(`/users/${userId}/profiles/${id}`);
    await read(`/users/${userId}/profiles/${id}/history`);
  }
  await read('/audit/decisions?limit=200');
  await read('/audit/events?limit=200');
  return responses;
};
