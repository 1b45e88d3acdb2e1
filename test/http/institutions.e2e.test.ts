// Endpoints 18 and 19, the unities of an institution, and the reads of both.
import { describe, expect, it } from 'vitest';
import { sharedService } from '../support/service-of-file.js';
import { expectProblem, expectRefused } from './refusals.js';
import {
  createInstitution,
  createProtocol,
  first,
  type Institution,
  nth,
  numbered,
  type Page,
  successful,
  UNKNOWN_ID,
  type Unity,
  UUID,
} from './samples.js';

const server = sharedService();
const fields = {
  name: 'Hospital São Lucas',
  document: '12.345.678/0001-95',
  email: 'contact@hospital.example',
  phone: '+55 11 4002-8922',
  address: 'Rua das Flores, 100',
};
const addUnity = (id: string, body: object) => server.post<Unity>(`/institutions/${id}/unities`, body);
const list = async <T>(path: string, written: { headers: Headers }) =>
  successful(await server.get<Page<T>>(path, { 'Consistency-Token': `${written.headers.get('consistency-token')}` }));

describe('POST /institutions', () => {
  it('responds with 201, the institution and its unities, and a GET returns the same', async () => {
    const unities = [{ name: 'Emergency', address: 'Ground floor' }, { name: 'Cardiology' }];
    const { status, headers, body } = await server.post<Institution>('/institutions', { ...fields, unities });
    expect(status).toBe(201);
    expect(body).toMatchObject({ id: expect.stringMatching(UUID), ...fields, updatedAt: body.createdAt });
    expect(body.unities).toMatchObject([
      { name: 'Emergency', address: 'Ground floor', institutionId: body.id },
      { name: 'Cardiology', address: null, institutionId: body.id },
    ]);
    expect(headers.get('location')).toBe(`/institutions/${body.id}`);
    const read = await server.get(`/institutions/${body.id}`);
    expect([read.body, read.headers.get('etag')]).toEqual([body, headers.get('etag')]);
  });

  it('requires only a name; the other fields are null, and there are no unities', async () => {
    const { body } = await server.post<Institution>('/institutions', { name: 'Clinic' });
    expect(body).toMatchObject({ document: null, email: null, phone: null, address: null, unities: [] });
    expectRefused(await server.post('/institutions', {}), '/name required');
  });

  it('lists every invalid field', async () => {
    const sent = { name: ' ', document: 1, email: 'nobody', phone: 'x'.repeat(51), unities: [{ name: 'A' }, {}] };
    expectRefused(
      await server.post('/institutions', sent),
      '/document invalid-type',
      '/email invalid-format',
      '/name blank',
      '/phone too-big',
      '/unities/1/name required',
    );
  });
});

describe('PUT /institutions/{id}', () => {
  it('responds with 200 and the institution: an absent field stays, null clears a field', async () => {
    const made = await createInstitution(server, { ...fields, unities: [{ name: 'Emergency' }] });
    const { status, headers, body } = await server.put<Institution>(`/institutions/${made.id}`, {
      name: 'New name',
      phone: null,
    });
    expect([status, headers.get('etag')]).toEqual([200, '"2"']);
    expect(body).toEqual({ ...made, name: 'New name', phone: null, updatedAt: body.updatedAt });
    expect((await server.get(`/institutions/${made.id}`)).body).toEqual(body);
  });

  it('leaves the unities unchanged, even if the body has unities', async () => {
    const made = await createInstitution(server, { unities: [{ name: 'Emergency' }] });
    const { body } = await server.put<Institution>(`/institutions/${made.id}`, { name: 'New', unities: [] });
    expect(body.unities).toEqual(made.unities);
  });

  it('records nothing if nothing changes', async () => {
    const made = await createInstitution(server, fields);
    const before = await server.recorded();
    expect((await server.put(`/institutions/${made.id}`, fields)).body).toEqual(made);
    expect(await server.recorded()).toEqual(before);
  });

  it('is 404 for an unknown institution and for the id of another resource', async () => {
    const protocol = await createProtocol(server, (await createInstitution(server)).id);
    for (const id of [UNKNOWN_ID, protocol.id]) {
      expectProblem(await server.put(`/institutions/${id}`, { name: 'New' }), 404, 'institution-not-found');
      expectProblem(await server.get(`/institutions/${id}`), 404, 'institution-not-found');
    }
  });
});

describe('GET /institutions', () => {
  it('lists institutions oldest first in pages, by name regardless of case and accents', async () => {
    const names = ['Água Limpa', 'Aguas', 'AGUA', 'Other'];
    for (const name of names) await createInstitution(server, { name });
    const written = await server.post('/institutions', { name: 'Last' });
    const page = await list<Institution>('/institutions?name=água&limit=2', written);
    expect(page.body.items.map(({ name }) => name)).toEqual(['Água Limpa', 'Aguas']);
    const rest = await list<Institution>(`/institutions?name=água&cursor=${page.body.nextCursor}`, written);
    expect(rest.body.items.map(({ name }) => name)).toEqual(['AGUA']);
    expect(rest.body.nextCursor).toBeNull();
  });

  it('links to the next page of the same query, no matter which characters the query has', async () => {
    const names = ['Quem? Um', 'Quem? Dois', 'Quem? Três'];
    for (const name of names) await createInstitution(server, { name });
    const written = await server.post('/institutions', { name: 'Quem mais' });
    const page = await list<Institution>('/institutions?name=quem?&limit=2', written);
    const rest = await list<Institution>(`${/<(.+)>/.exec(`${page.headers.get('link')}`)?.[1]}`, written);
    expect([...page.body.items, ...rest.body.items].map(({ name }) => name)).toEqual(names);
  });
});

describe('the unities of an institution', () => {
  it('are added with 201 after the existing unities', async () => {
    const { id } = await createInstitution(server, { unities: [{ name: 'Emergency' }] });
    const { status, headers, body } = await addUnity(id, { name: 'Cardiology', address: 'First floor' });
    expect([status, headers.get('etag'), headers.get('location')]).toEqual([201, '"2"', `/institutions/${id}`]);
    expect(body).toEqual({
      id: expect.stringMatching(UUID),
      institutionId: id,
      name: 'Cardiology',
      address: 'First floor',
      createdAt: expect.any(String),
      updatedAt: body.createdAt,
    });
    const read = await server.get<Institution>(`/institutions/${id}`);
    expect(nth(read.body.unities, 1)).toEqual(body);
  });

  it('are revised with 200: an absent field stays, null clears a field', async () => {
    const { id, unities } = await createInstitution(server, {
      unities: [{ name: 'A', address: 'There' }, { name: 'B' }],
    });
    const unity = first(unities);
    const path = `/institutions/${id}/unities/${unity.id}`;
    const renamed = await server.put<Unity>(path, { name: 'C' });
    expect(renamed.body).toEqual({ ...unity, name: 'C', updatedAt: renamed.body.updatedAt });
    const cleared = await server.put<Unity>(path, { address: null });
    expect(cleared.body).toMatchObject({ name: 'C', address: null });
    const read = await server.get<Institution>(`/institutions/${id}`);
    expect(read.body.unities).toEqual([cleared.body, nth(unities, 1)]);
  });

  it('are listed oldest first in pages, by name, without those of other institutions', async () => {
    await createInstitution(server, { unities: [{ name: 'Unity elsewhere' }] });
    const names = numbered(5, (n) => `Unity ${n}`);
    const { id } = await createInstitution(server, { unities: names.map((name) => ({ name })) });
    const written = await addUnity(id, { name: 'Other' });
    const page = await list<Unity>(`/institutions/${id}/unities?name=ÚNITY&limit=3`, written);
    expect(page.body.items.map(({ name }) => name)).toEqual(names.slice(0, 3));
    const rest = await list<Unity>(`${/<(.+)>/.exec(`${page.headers.get('link')}`)?.[1]}`, written);
    expect(rest.body.items.map(({ name }) => name)).toEqual(names.slice(3));
    expect((await list<Unity>(`/institutions/${id}/unities`, written)).body.items).toHaveLength(6);
  });

  it('are 404 if the institution or the unity does not exist', async () => {
    const [one, other] = [
      await createInstitution(server, { unities: [{ name: 'A' }] }),
      await createInstitution(server, { unities: [{ name: 'B' }] }),
    ];
    const foreign = `/institutions/${one.id}/unities/${first(other.unities).id}`;
    expectProblem(await server.put(foreign, { name: 'C' }), 404, 'unity-not-found');
    expectProblem(await addUnity(UNKNOWN_ID, { name: 'C' }), 404, 'institution-not-found');
    expectProblem(await server.get(`/institutions/${UNKNOWN_ID}/unities`), 404, 'institution-not-found');
  });
});
