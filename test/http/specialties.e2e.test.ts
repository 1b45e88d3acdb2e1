// The name of a specialty is unique regardless of case and accents. resources.e2e.test.ts tests the routes.
import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.js';
import { sharedService } from '../support/service-of-file.js';
import { expectNothingStored, expectProblem, faultsOf } from './refusals.js';
import { createSpecialty, numbered, type Specialty, UNKNOWN_ID } from './samples.js';

const server = sharedService();
const create = (body: object, headers: Record<string, string> = {}) =>
  server.post<Specialty>('/specialties', body, headers);
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
