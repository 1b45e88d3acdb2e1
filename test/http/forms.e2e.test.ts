// Endpoints 5 and 6, the list of a protocol's form versions, and its questionnaire.
import { beforeAll, describe, expect, it } from 'vitest';
import { sharedService } from '../support/service-of-file.js';
import { expectProblem, expectRefused } from './support/refusals.js';
import type { Form, FormVersion, Page, Questionnaire } from './support/samples.js';
import {
  content,
  createInstitution,
  createProtocol,
  createQuestionnaire,
  successful,
  UUID,
} from './support/samples.js';

const server = sharedService();
let institutionId: string;
beforeAll(async () => {
  institutionId = (await createInstitution(server)).id;
});

const newVersion = async (protocolId: string) =>
  successful(await server.post<Form>(`/protocols/${protocolId}/forms/versions`));

describe('POST /protocols/{id}/forms/versions', () => {
  it('responds with 201 and a copy of the latest form, one version higher', async () => {
    const { protocol, form } = await createQuestionnaire(server, institutionId);
    const { status, headers, body } = await newVersion(protocol.id);
    expect(status).toBe(201);
    expect(body).toMatchObject({ id: expect.stringMatching(UUID), protocolId: protocol.id, version: 2 });
    expect(content(body)).toEqual({ ...(content(form) as object), version: 2 });
    expect(headers.get('location')).toBe(`/protocols/${protocol.id}/forms/${body.id}`);
    expect((await server.get(`${headers.get('location')}`)).body).toEqual(body);
  });

  it('gives every copy a new id and names its original', async () => {
    const { protocol, form } = await createQuestionnaire(server, institutionId);
    const { body } = await newVersion(protocol.id);
    const itemsOf = ({ questions, scoreRanges }: Form) => [
      ...questions,
      ...questions.flatMap(({ options }) => options),
      ...scoreRanges,
    ];
    expect(body.copiedFrom).toBe(form.id);
    expect(itemsOf(body).map(({ copiedFrom }) => copiedFrom)).toEqual(itemsOf(form).map(({ id }) => id));
    const ids = [form, body].flatMap((version) => [version.id, ...itemsOf(version).map(({ id }) => id)]);
    expect(new Set(ids).size).toBe(ids.length);
    for (const item of [...body.questions, ...body.scoreRanges]) expect(item.protocolFormId).toBe(body.id);
  });

  it('leaves the previous version unchanged', async () => {
    const { protocol, form } = await createQuestionnaire(server, institutionId);
    await newVersion(protocol.id);
    expect((await server.get(`/protocols/${protocol.id}/forms/${form.id}`)).body).toEqual(form);
  });

  it('creates an empty first version for a protocol without a form', async () => {
    const { id } = await createProtocol(server, institutionId);
    const { body } = await newVersion(id);
    expect(body).toMatchObject({ version: 1, copiedFrom: null, questions: [], scoreRanges: [] });
  });

  it('needs no body: null, an empty object, and unknown members are the same', async () => {
    const { id } = await createProtocol(server, institutionId);
    const path = `/protocols/${id}/forms/versions`;
    const sent = [{}, { json: {} }, { json: null }, { json: { version: 9 } }];
    for (const [index, request] of sent.entries()) {
      const response = await server.send<Form>('POST', path, request);
      expect([response.status, response.body.version]).toEqual([201, index + 1]);
    }
    const repeated = sent.slice(0, 3).map((request) => ({ ...request, headers: { 'Idempotency-Key': 'next' } }));
    for (const request of repeated) {
      const response = await server.send<Form>('POST', path, request);
      expect([response.status, response.body.version]).toEqual([201, sent.length + 1]);
    }
  });
});

describe('GET /protocols/{id}/forms', () => {
  it('lists the versions, newest first, without their questions, in pages', async () => {
    const { protocol, form } = await createQuestionnaire(server, institutionId);
    const versions: Form[] = [form];
    while (versions.length < 5) versions.push((await newVersion(protocol.id)).body);
    const token = (await newVersion(protocol.id)).headers.get('consistency-token');
    const page = await server.get<Page<FormVersion>>(`/protocols/${protocol.id}/forms?limit=3`, {
      'Consistency-Token': `${token}`,
    });
    expect(page.body.items.map(({ version }) => version)).toEqual([6, 5, 4]);
    const next = /^<([^>]+)>/.exec(`${page.headers.get('link')}`)?.[1];
    const last = await server.get<Page<FormVersion>>(`${next}`);
    expect(last.body.items).toEqual(
      versions
        .slice(0, 3)
        .toReversed()
        .map(({ questions: _, scoreRanges: __, ...version }) => version),
    );
    expect(last.body.nextCursor).toBeNull();
  });

  it('is empty for a protocol without a form', async () => {
    const { id } = await createProtocol(server, institutionId);
    expect((await server.get(`/protocols/${id}/forms`)).body).toEqual({ items: [], nextCursor: null });
  });
});

describe('GET /protocols/{id}/questionnaire', () => {
  it('returns the protocol, its latest form and the score ranges of the form', async () => {
    const { protocol } = await createQuestionnaire(server, institutionId);
    const { body: form, headers: written } = await newVersion(protocol.id);
    const { status, headers, body } = await server.get(`/protocols/${protocol.id}/questionnaire`);
    expect(status).toBe(200);
    expect(body).toEqual({ protocol, form, scoreRanges: form.scoreRanges });
    expect(headers.get('etag')).toBe(written.get('etag'));
  });

  it('returns the requested version', async () => {
    const { protocol, form } = await createQuestionnaire(server, institutionId);
    const second = await newVersion(protocol.id);
    const versionOf = async (version: number) =>
      (await server.get<Questionnaire>(`/protocols/${protocol.id}/questionnaire?version=${version}`)).body.form;
    expect(await versionOf(1)).toEqual(form);
    expect(await versionOf(2)).toEqual(second.body);
  });

  it('has no form and no score ranges if the protocol has no form', async () => {
    const protocol = await createProtocol(server, institutionId);
    const { body } = await server.get(`/protocols/${protocol.id}/questionnaire`);
    expect(body).toEqual({ protocol, form: null, scoreRanges: [] });
  });

  it('is 404 for an unknown version, also of a protocol without forms', async () => {
    const { protocol } = await createQuestionnaire(server, institutionId);
    const { id } = await createProtocol(server, institutionId);
    for (const [protocolId, version] of [
      [protocol.id, 2],
      [id, 1],
    ]) {
      const response = await server.get(`/protocols/${protocolId}/questionnaire?version=${version}`);
      expectProblem(response, 404, 'form-not-found');
    }
  });

  it.each(['0', 'latest'])('refuses version=%s with 400', async (version) => {
    const { protocol } = await createQuestionnaire(server, institutionId);
    const response = await server.get(`/protocols/${protocol.id}/questionnaire?version=${version}`);
    expectRefused(response, `version ${version === '0' ? 'too-small' : 'invalid-format'}`);
  });
});
