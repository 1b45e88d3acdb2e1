// Each route that creates or revises one resource: the response, its ETag and Location, and what a GET shows afterwards.
// test/http/routes/fields.test.ts tests the fields, openapi.e2e.test.ts unknown ids and stale ETags.
import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { Client, ClientResponse } from '../support/client.js';
import { first, nth } from '../support/items.js';
import { sharedService } from '../support/service-of-file.js';
import { expectNothingStored } from './support/refusals.js';
import { type Ids, newResources } from './support/routes.js';
import {
  createDoctor,
  createInstitution,
  createProtocol,
  createQuestionnaire,
  createSpecialty,
  newEmail,
  question,
  select,
  successful,
  UUID,
} from './support/samples.js';

const server = sharedService();

interface Resource {
  readonly id: string;
  readonly createdAt: string;
}

/** Returns the part of a resource that has this id. */
const partOf = (body: unknown, id: string): unknown => {
  if (typeof body !== 'object' || body === null) return undefined;
  if ('id' in body && body.id === id) return body;
  return Object.values(body)
    .map((each) => partOf(each, id))
    .find((each) => each !== undefined);
};
const name = () => `Name ${randomUUID()}`;
const created = { id: expect.stringMatching(UUID), createdAt: expect.any(String), updatedAt: expect.any(String) };
const contacts = {
  document: '12.345.678/0001-95',
  email: 'contact@hospital.example',
  phone: '+55 11 4002-8922',
  address: 'Rua das Flores, 100',
};

/** A creation. The response has what was sent and what `filled` or `shown` add. */
interface Creation {
  readonly to: string;
  readonly minimal: object;
  readonly filled: object;
  readonly full: object;
  readonly shown?: object;
  readonly etag: string;
  /** The Location if it is that of the resource that contains the new one. */
  readonly within?: string;
}

const creations: Readonly<Record<string, (ids: Ids) => Creation>> = {
  'POST /institutions': () => ({
    to: '/institutions',
    minimal: { name: 'Clinic' },
    filled: { document: null, email: null, phone: null, address: null, unities: [] },
    full: { name: 'Hospital', ...contacts, unities: [{ name: 'Ward', address: 'Ground floor' }, { name: 'Desk' }] },
    shown: {
      unities: [
        { ...created, institutionId: expect.stringMatching(UUID), name: 'Ward', address: 'Ground floor' },
        { ...created, institutionId: expect.stringMatching(UUID), name: 'Desk', address: null },
      ],
    },
    etag: '"2"',
  }),
  'POST /institutions/{id}/unities': (ids) => ({
    to: `/institutions/${ids['institutionId']}/unities`,
    minimal: { name: 'Ward' },
    filled: { institutionId: ids['institutionId'], address: null },
    full: { name: 'Cardiology', address: 'First floor' },
    shown: { institutionId: ids['institutionId'] },
    etag: '"2"',
    within: `/institutions/${ids['institutionId']}`,
  }),
  'POST /specialties': () => ({
    to: '/specialties',
    minimal: { name: name() },
    filled: { description: null, enabled: true },
    full: { name: name(), description: 'The heart', enabled: false },
    etag: '"0"',
  }),
  'POST /protocols': (ids) => ({
    to: '/protocols',
    minimal: { institutionId: ids['institutionId'], name: 'Falls' },
    filled: { prompt: null },
    full: { institutionId: `${ids['institutionId']}`.toUpperCase(), name: 'Falls', prompt: 'Ask at every admission.' },
    shown: { institutionId: ids['institutionId'] },
    etag: '"0"',
  }),
  'POST /protocols/{id}/forms/{formId}/questions': (ids) => ({
    to: `/protocols/${ids['protocolId']}/forms/${ids['formId']}/questions`,
    minimal: { questionText: 'How long?' },
    filled: { ...newQuestion(ids), responseType: 'TEXT', metadata: {}, required: false, weight: 1, position: 2 },
    full: {
      ...{ questionText: 'Which?', responseType: 'NUMBER', required: true, weight: 2.5, position: 9 },
      metadata: { 'a.b': 1, $set: { 'c.$d': null }, '': '', constructor: { prototype: [] }, 'ключ/~': [[{}], -0.5] },
    },
    shown: newQuestion(ids),
    etag: '"4"',
    within: `/protocols/${ids['protocolId']}/forms/${ids['formId']}`,
  }),
  'POST /protocols/{id}/questions/{questionId}/options': (ids) => ({
    to: `/protocols/${ids['protocolId']}/questions/${ids['questionId']}/options`,
    minimal: { optionText: 'Rather not say', score: 1 },
    filled: { protocolQuestionId: ids['questionId'], copiedFrom: null, position: 3 },
    full: { optionText: 'Often', score: -0.5, position: 9 },
    shown: { protocolQuestionId: ids['questionId'], copiedFrom: null },
    etag: '"4"',
    within: `/protocols/${ids['protocolId']}/forms/${ids['formId']}`,
  }),
  'POST /users/{id}/profiles': (ids) => ({
    to: `/users/${ids['userId']}/profiles`,
    minimal: {},
    filled: { ...newProfile(ids), type: 'DOCTOR_GENERALIST', ...noCredentials, specialties: [] },
    full: {
      ...{ type: 'NURSE', documentDoctor: 'COREN 1', documentDoctorState: 'SP', documentDoctorUpdatedAt: '2025-12-31' },
      specialties: [ids['specialtyId']],
    },
    shown: { ...newProfile(ids), specialties: [expect.objectContaining({ specialtyId: ids['specialtyId'] })] },
    etag: '"3"',
  }),
};
const newQuestion = (ids: Ids) => ({ protocolFormId: ids['formId'], copiedFrom: null, options: [] });
const newProfile = (ids: Ids) => ({
  ...{ userId: ids['userId'], approvalStatus: 'ANALYSING', enabled: false, changedSinceApproval: false },
});
const noCredentials = { documentDoctor: null, documentDoctorState: null, documentDoctorUpdatedAt: null };

describe.each(Object.entries(creations))('%s', (_, row) => {
  it('responds with 201, and fills in the fields that a minimal body leaves out', async () => {
    const { to, minimal, filled } = row(await newResources(server));
    const { status, body } = await server.post<Resource>(to, minimal);
    expect([status, body]).toEqual([201, { ...created, ...minimal, ...filled, updatedAt: body.createdAt }]);
  });

  it('responds with every field of a full body, and a GET shows the same', async () => {
    const { to, full, shown, etag, within } = row(await newResources(server));
    const { status, headers, body } = await server.post<Resource>(to, full);
    expect([status, body]).toEqual([201, { ...created, ...full, ...shown, updatedAt: body.createdAt }]);
    expect([headers.get('etag'), headers.get('location')]).toEqual([etag, within ?? `${to}/${body.id}`]);
    const read = successful(await server.get(`${headers.get('location')}`));
    expect([partOf(read.body, body.id), read.headers.get('etag')]).toEqual([body, etag]);
  });
});

/** A revision of some fields of an existing resource. */
interface Revision {
  readonly path: string;
  readonly made: Resource;
  readonly changes: object;
  readonly etag: string;
  /** The path of the resource that contains this one, and of other parts of it that do not change. */
  readonly within?: string;
}

const madeForm = async (client: Client) => {
  const { id } = await createInstitution(client);
  const { protocol, form } = await createQuestionnaire(client, id, { questions: [select(1, 2), question(2)] });
  return { form, root: `/protocols/${protocol.id}`, within: `/protocols/${protocol.id}/forms/${form.id}` };
};
const revisions: Readonly<Record<string, () => Promise<Revision>>> = {
  'PUT /institutions/{id}': async () => {
    const made = await createInstitution(server, { ...contacts, unities: [{ name: 'Ward' }] });
    return { path: `/institutions/${made.id}`, made, changes: { name: 'New name', phone: null }, etag: '"2"' };
  },
  'PUT /institutions/{id}/unities/{unityId}': async () => {
    const { id, unities } = await createInstitution(server, { unities: [{ name: 'A', address: 'B' }, { name: 'C' }] });
    const [within, made] = [`/institutions/${id}`, first(unities)];
    return { path: `${within}/unities/${made.id}`, within, made, changes: { address: null }, etag: '"3"' };
  },
  'PUT /specialties/{id}': async () => {
    const made = await createSpecialty(server, { name: name(), description: 'Old' });
    return { path: `/specialties/${made.id}`, made, changes: { description: null, enabled: false }, etag: '"1"' };
  },
  'PUT /protocols/{id}': async () => {
    const made = await createProtocol(server, (await createInstitution(server)).id);
    return { path: `/protocols/${made.id}`, made, changes: { prompt: null }, etag: '"1"' };
  },
  'PUT /protocols/{id}/questions/{questionId}': async () => {
    const { form, root, within } = await madeForm(server);
    const made = nth(form.questions, 1);
    const changes = { questionText: 'New', metadata: { maxLength: 3 }, required: false, weight: 0 };
    return { path: `${root}/questions/${made.id}`, within, made, changes, etag: '"2"' };
  },
  'PUT /protocols/{id}/options/{optionId}': async () => {
    const { form, root, within } = await madeForm(server);
    const made = nth(first(form.questions).options, 1);
    return { path: `${root}/options/${made.id}`, within, made, changes: { score: 2.25, position: 9 }, etag: '"2"' };
  },
  'PUT /users/{id}': async () => {
    const made = await createDoctor(server, { gender: 'FEMININE', dialingCode: '55', phone: '11 91234-5678' });
    const cleared = { gender: null, document: null, birthDate: null, dialingCode: null, phone: null };
    const changes = { firstName: 'Bia', email: newEmail(), enabled: false, ...cleared };
    return { path: `/users/${made.id}`, made, changes, etag: '"2"' };
  },
};

describe.each(Object.entries(revisions))('%s', (_, row) => {
  const expectShown = async ({ path, within }: Revision, { headers, body }: ClientResponse<Resource>) => {
    const read = successful(await server.get(within ?? path));
    expect([partOf(read.body, body.id), read.headers.get('etag')]).toEqual([body, headers.get('etag')]);
  };

  it('responds with 200: an absent field stays, null clears a field, and a GET shows the same', async () => {
    const revision = await row();
    const { path, made, changes, etag } = revision;
    const response = await server.put<Resource & { updatedAt: string }>(path, changes);
    const { updatedAt } = response.body;
    expect([response.status, response.body]).toEqual([200, { ...made, ...changes, updatedAt }]);
    expect([response.headers.get('etag'), updatedAt >= made.createdAt]).toEqual([etag, true]);
    await expectShown(revision, response);
  });

  it('records nothing and keeps the ETag if nothing changes', async () => {
    const revision = await row();
    const { path, made } = revision;
    for (const same of [{}, { ...made, unknown: 'ignored' }]) {
      const response = await expectNothingStored(server, () => server.put<Resource>(path, same));
      expect([response.status, response.body]).toEqual([200, made]);
      await expectShown(revision, response);
    }
  });
});
