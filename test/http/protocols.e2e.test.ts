// Endpoints 3 and 4, and the reading of a single protocol.
import { beforeAll, describe, expect, it } from 'vitest';
import { sharedService } from '../support/service-of-file.js';
import { expectProblem, expectRefused } from './refusals.js';
import {
  createInstitution,
  createProtocol,
  createQuestionnaire,
  NOWHERE,
  type Protocol,
  question,
  UUID,
} from './samples.js';

const server = sharedService();
let institutionId: string;
beforeAll(async () => {
  institutionId = (await createInstitution(server)).id;
});

describe('POST /protocols', () => {
  it('answers 201 with the protocol, its address and its ETag', async () => {
    const sent = { institutionId, name: 'Falls', prompt: 'Ask at every admission.' };
    const { status, headers, body } = await server.post<Protocol>('/protocols', sent);
    expect(status).toBe(201);
    expect(body).toEqual({
      id: expect.stringMatching(UUID),
      ...sent,
      createdAt: expect.any(String),
      updatedAt: body.createdAt,
    });
    expect(headers.get('location')).toBe(`/protocols/${body.id}`);
    expect(headers.get('etag')).toBe('"0"');
  });

  it('takes a prompt that is null or absent as none', async () => {
    expect(await createProtocol(server, institutionId, { prompt: null })).toMatchObject({ prompt: null });
    const { body } = await server.post<Protocol>('/protocols', { institutionId, name: 'Falls' });
    expect(body.prompt).toBeNull();
  });

  it('makes a protocol of its own for each request, also where the name is the same', async () => {
    const [one, other] = [await createProtocol(server, institutionId), await createProtocol(server, institutionId)];
    expect(one.id).not.toBe(other.id);
  });

  it('takes an institution that the same client created just before', async () => {
    const { id } = await createInstitution(server);
    expect(await createProtocol(server, id)).toMatchObject({ institutionId: id });
  });

  it('keeps an institutionId in lower case, however it was written', async () => {
    expect(await createProtocol(server, institutionId.toUpperCase())).toMatchObject({ institutionId });
  });

  it('refuses an institution that there is not, and the id of something else, with 400', async () => {
    const { id: notAnInstitution } = await createProtocol(server, institutionId);
    for (const other of [NOWHERE, notAnInstitution]) {
      const answer = await server.post('/protocols', { institutionId: other, name: 'Falls' });
      expectRefused(answer, '/institutionId not-found');
    }
  });
});

describe('PUT /protocols/{id}', () => {
  it('answers 200 with the protocol as it is now', async () => {
    const protocol = await createProtocol(server, institutionId);
    const { status, headers, body } = await server.put<Protocol>(`/protocols/${protocol.id}`, {
      name: 'Falls, adults',
      prompt: 'Ask twice.',
    });
    expect([status, headers.get('etag')]).toEqual([200, '"1"']);
    expect(body).toEqual({ ...protocol, name: 'Falls, adults', prompt: 'Ask twice.', updatedAt: body.updatedAt });
    expect(body.updatedAt >= protocol.updatedAt).toBe(true);
    expect((await server.get(`/protocols/${protocol.id}`)).body).toEqual(body);
  });

  it('leaves what is absent as it is, and null clears the prompt', async () => {
    const { id } = await createProtocol(server, institutionId);
    const renamed = await server.put(`/protocols/${id}`, { name: 'New' });
    expect(renamed.body).toMatchObject({ name: 'New', prompt: 'Ask.' });
    const cleared = await server.put(`/protocols/${id}`, { prompt: null });
    expect(cleared.body).toMatchObject({ name: 'New', prompt: null });
  });

  it('records nothing where nothing changes, and the ETag stays', async () => {
    const protocol = await createProtocol(server, institutionId);
    const before = await server.recorded();
    for (const same of [{}, { name: protocol.name }, { name: protocol.name, prompt: protocol.prompt }]) {
      const { status, headers, body } = await server.put(`/protocols/${protocol.id}`, same);
      expect([status, headers.get('etag'), body]).toEqual([200, '"0"', protocol]);
    }
    expect(await server.recorded()).toEqual(before);
  });

  it('leaves the institution and the forms unchanged, even if the body has them', async () => {
    const { protocol, form } = await createQuestionnaire(server, institutionId);
    const other = await createInstitution(server);
    const sent = { name: 'New', institutionId: other.id, id: NOWHERE, questions: [question(9)] };
    expect((await server.put(`/protocols/${protocol.id}`, sent)).body).toMatchObject({
      id: protocol.id,
      institutionId,
    });
    expect((await server.get(`/protocols/${protocol.id}/forms/${form.id}`)).body).toEqual(form);
  });

  it('answers 404 for a protocol that there is not', async () => {
    expectProblem(await server.put(`/protocols/${NOWHERE}`, { name: 'New' }), 404, 'protocol-not-found');
  });
});

describe('GET /protocols/{id}', () => {
  it('answers the protocol as it was answered when it was written', async () => {
    const protocol = await createProtocol(server, institutionId);
    const { status, headers, body } = await server.get(`/protocols/${protocol.id}`);
    expect([status, headers.get('etag'), body]).toEqual([200, '"0"', protocol]);
  });

  it('takes an id in upper case', async () => {
    const protocol = await createProtocol(server, institutionId);
    expect((await server.get(`/protocols/${protocol.id.toUpperCase()}`)).body).toEqual(protocol);
  });

  it('answers 404 for an id that names nothing, or something of another kind', async () => {
    for (const id of [NOWHERE, institutionId]) {
      expectProblem(await server.get(`/protocols/${id}`), 404, 'protocol-not-found');
    }
  });

  it('refuses a malformed id with 400 and its name', async () => {
    for (const id of ['1', `${NOWHERE}0`, '%00', 'null', '%20']) {
      expectRefused(await server.get(`/protocols/${id}`), 'id invalid-format');
    }
  });
});
