// Endpoint 20 and the other routes of specialties. A name is unique regardless of case and accents.
import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.js';
import { sharedService } from '../support/service-of-file.js';
import { expectNothingStored, expectProblem, expectRefused, faultsOf } from './refusals.js';
import {
  createInstitution,
  createSpecialty,
  numbered,
  type Page,
  type Specialty,
  UNKNOWN_ID,
  UUID,
} from './samples.js';

const server = sharedService();
const create = (body: object, headers: Record<string, string> = {}) =>
  server.post<Specialty>('/specialties', body, headers);
const revise = (id: string, body: object, headers: Record<string, string> = {}) =>
  server.put<Specialty>(`/specialties/${id}`, body, headers);
const list = async (query: string, { headers }: { headers: Headers }) =>
  server.get<Page<Specialty>>(`/specialties${query}`, { 'Consistency-Token': `${headers.get('consistency-token')}` });
/** Returns a name that no other test has. */
const newName = (text = 'Name') => `${text} ${randomUUID()}`;

describe('POST /specialties', () => {
  it('responds with 201 and the specialty, and a GET returns the same', async () => {
    const sent = { name: 'Cardiology', description: 'The heart', enabled: false };
    const { status, headers, body } = await create(sent);
    expect(status).toBe(201);
    expect(body).toEqual({
      id: expect.stringMatching(UUID),
      ...sent,
      createdAt: expect.any(String),
      updatedAt: body.createdAt,
    });
    expect(headers.get('location')).toBe(`/specialties/${body.id}`);
    const read = await server.get(`/specialties/${body.id}`);
    expect([read.body, read.headers.get('etag')]).toEqual([body, headers.get('etag')]);
  });

  it('requires only a name; the description is null, and the specialty is enabled', async () => {
    expect(await createSpecialty(server, { name: newName() })).toMatchObject({ description: null, enabled: true });
    expectRefused(await create({}), '/name required');
  });

  it('lists every invalid field', async () => {
    const sent = { name: ' ', description: 'x'.repeat(2_001), enabled: 'yes' };
    const response = await expectNothingStored(server, () => create(sent));
    expectRefused(response, '/description too-big', '/enabled invalid-type', '/name blank');
    expectRefused(await create({ name: 'x'.repeat(201) }), '/name too-big');
  });
});

describe('the name of a specialty', () => {
  it('is 409 if another specialty has it, regardless of case, accents and what cannot be seen', async () => {
    const name = newName('Neurología');
    await createSpecialty(server, { name });
    const spellings = [name, name.toUpperCase(), name.replace('í', 'i'), name.normalize('NFD')];
    for (const same of [...spellings, ` ${name} `, `${name}\u3164`, name.replace('e', 'e\u200b')]) {
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

  it('stays free if the request for it was refused', async () => {
    const { id } = await createSpecialty(server, { name: newName() });
    const name = newName();
    expect((await revise(id, { name }, { 'If-Match': '"7"' })).status).toBe(412);
    expect((await create({ name })).status).toBe(201);
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

  it('stays taken after a restart and after a repeated request with the same Idempotency-Key', async () => {
    const name = newName();
    const key = { 'Idempotency-Key': randomUUID() };
    const { body } = await create({ name }, key);
    await server.restart();
    expect((await create({ name }, key)).body).toEqual(body);
    expectProblem(await create({ name }), 409, 'specialty-name-taken');
  });

  it('goes to the repeated request if a crash interrupts the first one', async () => {
    const names = numbered(20, () => newName());
    const sent = names.map((name) => create({ name }, { 'Idempotency-Key': name }));
    await Promise.any(sent);
    await server.kill();
    await Promise.allSettled(sent);
    await server.start();
    await Promise.all(
      names.map((name) =>
        eventually(async () => expect((await create({ name }, { 'Idempotency-Key': name })).status).toBe(201)),
      ),
    );
    const made = (await server.recorded()).map(({ data }) => `${data['name']}`);
    expect(made.filter((name) => names.includes(name)).toSorted()).toEqual(names.toSorted());
    for (const name of names) expectProblem(await create({ name }), 409, 'specialty-name-taken');
  });
});

describe('PUT /specialties/{id}', () => {
  it('responds with 200 and the specialty: an absent field stays, null clears a field', async () => {
    const made = await createSpecialty(server, { name: newName(), description: 'Old' });
    const { status, headers, body } = await revise(made.id, { enabled: false });
    expect([status, headers.get('etag')]).toEqual([200, '"1"']);
    expect(body).toEqual({ ...made, enabled: false, updatedAt: body.updatedAt });
    const cleared = await revise(made.id, { description: null });
    expect(cleared.body).toEqual({ ...body, description: null, updatedAt: cleared.body.updatedAt });
    expect((await server.get(`/specialties/${made.id}`)).body).toEqual(cleared.body);
  });

  it('records nothing if nothing changes', async () => {
    const made = await createSpecialty(server, { name: newName() });
    const response = await expectNothingStored(server, () => revise(made.id, { name: made.name, description: null }));
    expect(response.body).toEqual(made);
  });

  it('is 404 for an unknown specialty and for the id of another resource', async () => {
    const institution = await createInstitution(server);
    for (const id of [UNKNOWN_ID, institution.id]) {
      expectProblem(await revise(id, { name: newName() }), 404, 'specialty-not-found');
      expectProblem(await server.get(`/specialties/${id}`), 404, 'specialty-not-found');
    }
  });
});

describe('GET /specialties', () => {
  it('lists specialties oldest first in pages, by name regardless of case, accents and what cannot be seen', async () => {
    const mark = randomUUID();
    for (const name of ['Óptica 1', 'óptica 2', 'OPTICA 3']) await create({ name: `${mark} ${name}` });
    const last = await create({ name: newName('Other') });
    const page = await list(`?name=${mark} optíca&limit=2`, last);
    expect(page.body.items.map(({ name }) => name)).toEqual([`${mark} Óptica 1`, `${mark} óptica 2`]);
    const rest = await list(`?name=${mark} optíca&cursor=${page.body.nextCursor}`, last);
    expect(rest.body.items.map(({ name }) => name)).toEqual([`${mark} OPTICA 3`]);
    expect(rest.body.nextCursor).toBeNull();
  });

  it('filters by enabled and disabled', async () => {
    const mark = randomUUID();
    await create({ name: `${mark} on` });
    const { id } = await createSpecialty(server, { name: `${mark} off` });
    const last = await revise(id, { enabled: false });
    for (const [enabled, name] of [
      ['true', `${mark} on`],
      ['false', `${mark} off`],
    ]) {
      const { body } = await list(`?name=${mark}&enabled=${enabled}`, last);
      expect(body.items.map((item) => item.name)).toEqual([name]);
    }
    expectRefused(await server.get('/specialties?enabled=yes'), 'enabled invalid-value');
  });
});

describe('GET /specialties/{id}', () => {
  it('returns the specialty as of a time', async () => {
    const made = await createSpecialty(server, { name: newName() });
    await revise(made.id, { name: newName() });
    expect((await server.get(`/specialties/${made.id}?asOf=${made.createdAt}`)).body).toMatchObject({ id: made.id });
    expectProblem(await server.get(`/specialties/${made.id}?asOf=2020-01-01T00:00:00Z`), 404, 'specialty-not-found');
  });
});
