// The filters of the lists, one after another.
import { randomUUID } from 'node:crypto';
import { beforeAll, expect, it } from 'vitest';
import { first, nth } from '../support/items.js';
import { upToDate } from '../support/opaque.js';
import { sharedService } from '../support/service-of-file.js';
import { expectRefused } from './support/refusals.js';
import type { Page, User } from './support/samples.js';
import { createDoctor, createInstitution, createSpecialty, newEmail, successful } from './support/samples.js';

const server = sharedService();
type Listed = Page<{ readonly id: string; readonly name?: string }> & { readonly total?: number };
/** The header with which a list shows everything that this file created. */
let fresh: Readonly<Record<string, string>> = {};
const read = async (path: string) => successful(await server.get<Listed>(path, fresh));

const mark = randomUUID();
let user: User;
let place: { readonly id: string; readonly unityId: string };
beforeAll(async () => {
  for (const name of ['Água 1', 'aguas', 'Other']) {
    await createInstitution(server, { name: `${mark} ${name}`, unities: [{ name }, { name: `Not ${name}` }] });
    await createSpecialty(server, { name: `${mark} ${name}`, enabled: name !== 'aguas' });
  }
  user = await createDoctor(server, {
    firstName: 'Évora',
    lastName: `Gonçalves ${mark}`,
    profiles: [{ type: 'NURSE' }],
  });
  const { id, unities } = await createInstitution(server, {
    name: mark,
    unities: [{ name: 'Água 1' }, { name: 'B' }],
  });
  place = { id, unityId: first(unities).id };
  const attached = { userId: user.id };
  successful(await server.post(`/institutions/${id}/unities/${place.unityId}/users`, attached));
  user = successful(await server.put<User>(`/users/${user.id}`, { email: newEmail() })).body;
  fresh = await upToDate(server);
});
const names = async (list: string, query: Readonly<Record<string, string>>) => {
  const { items } = (await read(`${list}?${new URLSearchParams(query)}`)).body;
  return items.map((item) => ('name' in item ? `${item.name}`.replace(`${mark} `, '') : item.id));
};

it('name finds the beginning of a name regardless of case and accents', async () => {
  expect(await names('/institutions', { name: `${mark} AGUA` })).toEqual(['Água 1', 'aguas']);
  expect(await names('/specialties', { name: `${mark} agúa` })).toEqual(['Água 1', 'aguas']);
  expect(await names(`/institutions/${place.id}/unities`, { name: 'agua' })).toEqual(['Água 1']);
  for (const name of [`évora gonc`, `EVORA GONCALVES ${mark}`]) {
    expect(await names('/users', { name: name.includes(mark) ? name : `${name}alves ${mark}` })).toEqual([user.id]);
  }
  expect(await names('/users', { name: `goncalves ${mark}` })).toEqual([]);
});

it('enabled finds enabled or disabled specialties', async () => {
  expect(await names('/specialties', { name: mark, enabled: 'true' })).toEqual(['Água 1', 'Other']);
  expect(await names('/specialties', { name: mark, enabled: 'false' })).toEqual(['aguas']);
  expectRefused(await server.get('/specialties?enabled=yes'), 'enabled invalid-value');
});

it('email finds a user by the contact address and by the sign-in address, regardless of case', async () => {
  for (const email of [user.email, first(user.auth).email]) {
    expect(await names('/users', { email: `${email}`.toUpperCase() })).toEqual([user.id]);
  }
  expect(await names('/users', { email: newEmail() })).toEqual([]);
});

it('institutionId and unityId find the attached users', async () => {
  expect(await names('/users', { institutionId: place.id })).toEqual([user.id]);
  expect(await names('/users', { unityId: place.unityId })).toEqual([user.id]);
  const other = await createInstitution(server, { name: randomUUID() });
  expect(await names('/users', { institutionId: other.id })).toEqual([]);
  expectRefused(
    await server.get('/users?email=nobody&institutionId=x'),
    ...['email invalid-format', 'institutionId invalid-format'],
  );
});

it('type and approvalStatus find profiles, and total counts by status', async () => {
  const newest = { sort: '-createdAt', limit: '1' };
  const mine = [first(user.profiles).id];
  expect(await names('/profiles', { type: 'NURSE', ...newest })).toEqual(mine);
  expect(await names('/profiles', { type: 'NURSE', approvalStatus: 'ANALYSING', ...newest })).toEqual(mine);
  expect(await names('/profiles', { type: 'NURSE', approvalStatus: 'REJECTED' })).not.toContain(mine[0]);
  expect((await read('/profiles?approvalStatus=ANALYSING&total=true&limit=1')).body.total).toBeGreaterThan(0);
  expectRefused(
    await server.get('/profiles?approvalStatus=DONE&type=BAKER'),
    ...['approvalStatus invalid-value', 'type invalid-value'],
  );
});

it('a filter stays in the link to the next page, whatever its characters', async () => {
  const asked = [`Quem? & ${mark} 1`, `Quem? & ${mark} 2`];
  for (const name of asked) await createInstitution(server, { name });
  fresh = await upToDate(server);
  const one = await read(`/institutions?${new URLSearchParams({ name: `quem? & ${mark}`, limit: '1' })}`);
  const [, next] = /^<(.*)>; rel="next"$/.exec(one.headers.get('link') ?? '') ?? [];
  const two = await read(`${next}`);
  expect([one, two].map(({ body }) => nth(body.items, 0).name)).toEqual(asked);
  expect(two.body.nextCursor).toBeNull();
});

it('total counts the items that a filter finds', async () => {
  expect((await read(`/institutions?name=${mark}&total=true&limit=1`)).body.total).toBe(4);
  expect((await read(`/institutions/${place.id}/unities?total=true&name=agua`)).body.total).toBe(1);
});
