// Endpoints 3 and 4, and reads of a single protocol.
import { beforeAll, describe, expect, it } from 'vitest';
import { sharedService } from '../support/service-of-file.js';
import { expectProblem, expectRefused } from './refusals.js';
import {
  createInstitution,
  createProtocol,
  createQuestionnaire,
  type Protocol,
  question,
  UNKNOWN_ID,
  UUID,
} from './samples.js';

const server = sharedService();
let institutionId: string;
beforeAll(async () => {
  institutionId = (await createInstitution(server)).id;
});

describe('POST /protocols', () => {
  it('responds with 201, the protocol, its Location and its ETag', async () => {
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

  it('creates a protocol without a prompt if the prompt is null or absent', async () => {
    expect(await createProtocol(server, institutionId, { prompt: null })).toMatchObject({ prompt: null });
    const { body } = await server.post<Protocol>('/protocols', { institutionId, name: 'Falls' });
    expect(body.prompt).toBeNull();
  });

  it('creates a new protocol for each request, even with the same name', async () => {
    const [one, other] = [await createProtocol(server, institutionId), await createProtocol(server, institutionId)];
    expect(one.id).not.toBe(other.id);
  });

  it('accepts an institution that the same client just created', async () => {
    const { id } = await createInstitution(server);
    expect(await createProtocol(server, id)).toMatchObject({ institutionId: id });
  });

  it('stores an institutionId in lower case, regardless of its case in the request', async () => {
    expect(await createProtocol(server, institutionId.toUpperCase())).toMatchObject({ institutionId });
  });

  it('is 400 for an unknown institution and for the id of another resource', async () => {
    const { id: notAnInstitution } = await createProtocol(server, institutionId);
    for (const other of [UNKNOWN_ID, notAnInstitution]) {
      const response = await server.post('/protocols', { institutionId: other, name: 'Falls' });
      expectRefused(response, '/institutionId not-found');
    }
  });
});

describe('PUT /protocols/{id}', () => {
  it('responds with 200 and the revised protocol', async () => {
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

  it('keeps the fields that the request omits, and null clears the prompt', async () => {
    const { id } = await createProtocol(server, institutionId);
    const renamed = await server.put(`/protocols/${id}`, { name: 'New' });
    expect(renamed.body).toMatchObject({ name: 'New', prompt: 'Ask.' });
    const cleared = await server.put(`/protocols/${id}`, { prompt: null });
    expect(cleared.body).toMatchObject({ name: 'New', prompt: null });
  });

  it('records nothing and keeps the ETag if nothing changes', async () => {
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
    const sent = { name: 'New', institutionId: other.id, id: UNKNOWN_ID, questions: [question(9)] };
    expect((await server.put(`/protocols/${protocol.id}`, sent)).body).toMatchObject({
      id: protocol.id,
      institutionId,
    });
    expect((await server.get(`/protocols/${protocol.id}/forms/${form.id}`)).body).toEqual(form);
  });

  it('is 404 for an unknown protocol', async () => {
    expectProblem(await server.put(`/protocols/${UNKNOWN_ID}`, { name: 'New' }), 404, 'protocol-not-found');
  });
});

describe('GET /protocols/{id}', () => {
  it('returns the protocol as the write returned it', async () => {
    const protocol = await createProtocol(server, institutionId);
    const { status, headers, body } = await server.get(`/protocols/${protocol.id}`);
    expect([status, headers.get('etag'), body]).toEqual([200, '"0"', protocol]);
  });

  it('accepts an id in upper case', async () => {
    const protocol = await createProtocol(server, institutionId);
    expect((await server.get(`/protocols/${protocol.id.toUpperCase()}`)).body).toEqual(protocol);
  });

  it('is 404 for an unknown id and for the id of another resource', async () => {
    for (const id of [UNKNOWN_ID, institutionId]) {
      expectProblem(await server.get(`/protocols/${id}`), 404, 'protocol-not-found');
    }
  });

  it('is 400 with the name of the parameter for a malformed id', async () => {
    for (const id of ['1', `${UNKNOWN_ID}0`, '%00', 'null', '%20']) {
      expectRefused(await server.get(`/protocols/${id}`), 'id invalid-format');
    }
  });
});
