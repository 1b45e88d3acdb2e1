// Repetitions of requests with large responses. Their bodies are not stored, but made again from the streams.
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { Database } from '../../src/infrastructure/sqlite/driver.js';
import type { Client, ClientResponse } from '../support/client.js';
import { temporaryDirectory } from '../support/directory.js';
import { first, nth } from '../support/items.js';
import { Server } from '../support/server.js';
import { sharedService } from '../support/service-of-file.js';
import { expectNothingStored } from './support/refusals.js';
import {
  createInstitution,
  createQuestionnaire,
  createSpecialty,
  doctor,
  type Form,
  type Institution,
  numbered,
  option,
  type ProtocolAndForm,
  question,
  questionnaire,
  select,
  successful,
  type User,
  type UserProfile,
} from './support/samples.js';

const STORED_BODY = 4_096;
const HEADERS = ['etag', 'location', 'consistency-token', 'content-type', 'content-length', 'cache-control'];

/** Returns everything of a response that a repetition must have too. */
const shownBy = ({ status, headers, body }: ClientResponse) => ({
  status,
  headers: HEADERS.map((name) => headers.get(name)),
  body: JSON.stringify(body),
});

/** Sends requests with a key each, and repeats them later. */
class Repeated {
  readonly #client: Client;
  readonly #sent: { readonly send: () => Promise<ClientResponse>; readonly response: ClientResponse }[] = [];

  constructor(client: Client) {
    this.#client = client;
  }

  async send<T>(method: string, path: string, json?: unknown): Promise<T> {
    const headers = { 'Idempotency-Key': randomUUID() };
    const send = () => this.#client.send<T>(method, path, { json, headers });
    const response = successful(await send());
    expect(Buffer.byteLength(JSON.stringify(response.body)), `${method} ${path}`).toBeGreaterThan(STORED_BODY);
    this.#sent.push({ send, response });
    return response.body;
  }

  async expectSame(): Promise<void> {
    for (const { send, response } of this.#sent) {
      const again = await send();
      expect(shownBy(again)).toEqual(shownBy(response));
      expect(again.headers.get('idempotency-replayed')).toBe('true');
    }
  }
}

const LONG = '€'.repeat(1_900);
const manySpecialties = async (client: Client): Promise<string[]> => {
  const found: string[] = [];
  for (const name of numbered(50, () => `Specialty ${randomUUID()}`))
    found.push((await createSpecialty(client, { name, description: null })).id);
  return found;
};

const server = sharedService();

describe('a repetition after later changes gets the bytes of the first response', () => {
  it('for protocols, forms and questions', async () => {
    const { id: institutionId } = await createInstitution(server);
    const sent = new Repeated(server);
    const questions = numbered(12, (n) => select(n, 20));
    const made = await sent.send<ProtocolAndForm>(
      'POST',
      '/protocols/questionnaires',
      questionnaire(institutionId, { questions }),
    );
    const { id } = made.protocol;
    const path = `/protocols/${id}`;
    const formPath = `${path}/forms/${made.form.id}`;
    const replaced = await sent.send<ProtocolAndForm>('PUT', `${path}/questionnaire`, {
      formId: made.form.id,
      name: 'Replaced',
      questions: made.form.questions,
      scoreRanges: [],
    });
    // Changes nothing.
    const questionIds = replaced.form.questions.map((each) => each.id);
    await sent.send('PUT', `${formPath}/questions/order`, { ids: questionIds });
    await sent.send('PUT', `${formPath}/questions/order`, { ids: questionIds.toReversed() });
    const asked = nth(replaced.form.questions, 3);
    const ids = asked.options.map((each) => each.id).toReversed();
    await sent.send('PUT', `${path}/questions/${asked.id}/options/order`, { ids });
    await sent.send('PUT', `${path}/questions/${asked.id}`, { questionText: 'Another text' });
    await sent.send('POST', `${formPath}/questions`, question(13, { metadata: { note: LONG } }));
    await sent.send('POST', `${path}/questions/${asked.id}/options`, option(99, { optionText: LONG }));
    await sent.send('PUT', `${path}/options/${first(asked.options).id}`, { optionText: LONG });
    await sent.send('PUT', path, { prompt: LONG });
    await sent.send<Form>('POST', `${path}/forms/versions`);
    successful(await server.put(path, { name: 'Last', prompt: null }));
    successful(await server.put(`${path}/questions/${asked.id}`, { questionText: 'Last' }));
    successful(await server.post(`${formPath}/questions`, question(50)));
    await expectNothingStored(server, async () => {
      await sent.expectSame();
      return server.get(path);
    });
  });

  it('for institutions and their unities, and for specialties', async () => {
    const sent = new Repeated(server);
    const unities = numbered(10, (n) => ({ name: `Unity ${n}`, address: LONG.slice(0, 300) }));
    const { id } = await sent.send<Institution>('POST', '/institutions', { name: 'Large', unities });
    await sent.send('PUT', `/institutions/${id}`, { name: 'Large' });
    await sent.send('PUT', `/institutions/${id}`, { name: 'Larger' });
    const unity = await sent.send<{ readonly id: string }>('POST', `/institutions/${id}/unities`, {
      name: 'New',
      address: LONG,
    });
    await sent.send('PUT', `/institutions/${id}/unities/${unity.id}`, { name: 'Newer' });
    const name = `Large ${randomUUID()}`;
    const specialty = await sent.send<{ readonly id: string }>('POST', '/specialties', { name, description: LONG });
    await sent.send('PUT', `/specialties/${specialty.id}`, { enabled: false });
    successful(await server.put(`/specialties/${specialty.id}`, { description: null }));
    successful(await server.put(`/institutions/${id}/unities/${unity.id}`, { name: 'Last' }));
    successful(await server.put(`/institutions/${id}`, { name: 'Last' }));
    await sent.expectSame();
  });

  it('for users and profiles, on a service that starts again', async () => {
    const specialties = await manySpecialties(server);
    const sent = new Repeated(server);
    const profiles = [{ documentDoctor: 'CRM/SP 1', documentDoctorUpdatedAt: '2025-12-31', specialties }];
    const { id, profiles: made } = await sent.send<User>('POST', '/users/doctor', doctor({ profiles }));
    const profilePath = `/users/${id}/profiles/${first(made).id}`;
    // The first changes nothing.
    await sent.send('PUT', `/users/${id}`, { firstName: 'Ana' });
    await sent.send('PUT', `/users/${id}`, { firstName: 'Bia' });
    await sent.send<UserProfile>('POST', `/users/${id}/profiles`, { type: 'NURSE', specialties });
    await sent.send('PATCH', `${profilePath}/reject`, { reason: 'No document' });
    await sent.send('POST', `${profilePath}/resubmit`, { documentDoctor: 'CRM/SP 2' });
    await sent.send('PATCH', `${profilePath}/approve`, {});
    const { id: institutionId } = await createInstitution(server);
    await sent.send('POST', `/institutions/${institutionId}/users`, { userId: id });
    await sent.send('POST', `/institutions/${institutionId}/users`, { userIds: [id] });
    successful(await server.put(`/users/${id}`, { firstName: 'Last' }));
    await sent.expectSame();
    await server.restart();
    await sent.expectSame();
  });
});

describe('a large response', () => {
  let own: Server;
  beforeAll(async () => {
    own = new Server(temporaryDirectory());
    await own.start();
    return () => own.stop();
  });

  /** Returns the lengths of the records in the vault. */
  const recordSizes = (): readonly number[] => {
    const db = new Database(join(own.directory, 'vault.sqlite'), { readOnly: true });
    onTestFinished(() => db.close());
    const sql = "SELECT length(value) FROM records WHERE kind = 'idempotency'";
    return db.prepareValue<[], number>(sql).all();
  };

  it('takes less than 5 KiB of the vault, and is not replayed for a person who was erased meanwhile', async () => {
    const specialties = await manySpecialties(own);
    const profile = { documentDoctor: 'CRM/SP 1', documentDoctorUpdatedAt: '2025-12-31', specialties };
    const profiles = numbered(10, () => profile);
    const { id, firstName } = successful(await own.post<User>('/users/doctor', doctor({ profiles }))).body;
    const key = { 'Idempotency-Key': randomUUID() };
    const change = (name: string, headers = {}) => own.put<User>(`/users/${id}`, { firstName: name }, headers);
    successful(await change(`${firstName}`, key));
    successful(await change('Another', { 'Idempotency-Key': randomUUID() }));
    const { id: institutionId } = await createInstitution(own);
    await createQuestionnaire(own, institutionId);
    const sizes = recordSizes();
    expect(sizes).toHaveLength(2);
    for (const size of sizes) expect(size).toBeLessThan(5 * 1_024);
    expect((await change(`${firstName}`, key)).headers.get('idempotency-replayed')).toBe('true');

    const erasure = { 'Idempotency-Key': randomUUID() };
    const erase = () => own.send<User>('DELETE', `/users/${id}/personal-data`, { json: {}, headers: erasure });
    const erased = successful(await erase());
    expect((await change(`${firstName}`, key)).status).toBe(410);
    const again = await erase();
    expect(shownBy(again)).toEqual(shownBy(erased));
    expect(again.headers.get('idempotency-replayed')).toBe('true');
  });
});
