// The names of institutions and unities wherever a User is shown: the present names, or those of the time in asOf.
import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.js';
import { first } from '../support/items.js';
import { sharedService } from '../support/service-of-file.js';
import {
  createDoctor,
  createInstitution,
  createSpecialty,
  doctor,
  type Institution,
  numbered,
  type Page,
  successful,
  type User,
} from './support/samples.js';
import { newUser, signIn } from './support/signing-in.js';

const server = sharedService();
const NAMES = [
  ['a plain name', 'Hospital do Norte', 'Ward 7'],
  ['quotes, backslashes and JSON', 'A "B" \\ {"id":"x","name":"y"}', '\\"},{"id":"1","name":"z"}]'],
  ['signs with a meaning in patterns', "$& $1 $$ $` $' [](.*)+", '$<id>'],
  ['other scripts', '病院 \u{1F3E5}', 'قسم الطوارئ'],
] as const;

const newPlace = async () => {
  const { id, name, unities } = await createInstitution(server, { unities: [{ name: 'Ward' }, { name: 'Other' }] });
  const institution = `/institutions/${id}`;
  return { id, name, institution, unityId: first(unities).id, unity: `${institution}/unities/${first(unities).id}` };
};
type Place = Awaited<ReturnType<typeof newPlace>>;
const attach = (to: string, userId: string, headers = {}) => server.post<User>(`${to}/users`, { userId }, headers);
const rename = async ({ institution, unity }: Place, name: string, unityName: string) => {
  successful(await server.put(institution, { name }));
  return successful(await server.put(unity, { name: unityName }));
};
const tokenOf = ({ headers }: { headers: Headers }) => ({ 'Consistency-Token': `${headers.get('consistency-token')}` });
const namesOf = ({ institutions, unities }: Pick<User, 'institutions' | 'unities'>) => ({ institutions, unities });
const shownAs = ({ id, unityId }: Place, name: string, unityName: string) => ({
  institutions: [{ id, name }],
  unities: [{ id: unityId, name: unityName }],
});
const read = async (id: string, query = '') => successful(await server.get<User>(`/users/${id}${query}`));
const passed = (timestamp: string) => eventually(() => expect(new Date().toISOString() > timestamp).toBe(true));

/** Returns a user who is attached to a unity. */
const attachedUser = async () => {
  const [place, { user, email }] = [await newPlace(), await newUser(server)];
  const attached = successful(await attach(place.unity, user.id));
  return { place, email, id: user.id, attached };
};

describe.each(NAMES)('after a change of the names to %s, the present names are in', (_, name, unityName) => {
  it('the user, immediately and without a token', async () => {
    const { id, place, attached } = await attachedUser();
    await rename(place, name, unityName);
    const { body } = await read(id);
    expect(body).toEqual({ ...attached.body, ...shownAs(place, name, unityName) });
  });

  it('lists with the Consistency-Token of the change', async () => {
    const { id, place } = await attachedUser();
    const other = await createDoctor(server);
    const token = tokenOf(await rename(place, name, unityName));
    for (const query of [`institutionId=${place.id}`, `unityId=${place.unityId}&total=true`, 'sort=-createdAt']) {
      const { body } = successful(await server.get<Page<User>>(`/users?${query}`, token));
      const found = body.items.find((each) => each.id === id);
      expect(found && namesOf(found), query).toEqual(shownAs(place, name, unityName));
      const unattached = body.items.find((each) => each.id === other.id);
      expect(unattached?.institutions ?? []).toEqual([]);
    }
  });

  it('the responses to sign-in, to changes of the user and to further attachments', async () => {
    const { id, place, email } = await attachedUser();
    await rename(place, name, unityName);
    const names = shownAs(place, name, unityName);
    expect(namesOf((await signIn(server, email)).user)).toEqual(names);
    expect(namesOf(successful(await server.put<User>(`/users/${id}`, { firstName: 'Bia' })).body)).toEqual(names);
    const again = await attach(place.unity, id);
    expect([again.status, namesOf(again.body)]).toEqual([200, names]);
    const several = await server.post<{ items: User[] }>(`${place.institution}/users`, { userIds: [id] });
    expect(several.body.items.map(namesOf)).toEqual([names]);
    const second = await newPlace();
    expect((await attach(second.institution, id)).body.institutions.map((each) => each.name)).toEqual([
      name,
      second.name,
    ]);
    const erased = successful(await server.send<User>('DELETE', `/users/${id}/personal-data`, { json: {} })).body;
    expect(first(erased.institutions).name).toBe(name);
    expect((await read(id)).body).toEqual(erased);
  });
});

describe('asOf', () => {
  it('shows the names of that time, before and after each change', async () => {
    const { id, place } = await attachedUser();
    const times = [new Date().toISOString()];
    for (const n of [1, 2]) {
      await passed(`${times.at(-1)}`);
      await rename(place, `Hospital ${n}`, `Ward ${n}`);
      times.push(new Date().toISOString());
    }
    const names = [
      shownAs(place, place.name, 'Ward'),
      ...[1, 2].map((n) => shownAs(place, `Hospital ${n}`, `Ward ${n}`)),
    ];
    for (const [n, time] of times.entries()) {
      expect(namesOf((await read(id, `?asOf=${time}`)).body), time).toEqual(names[n]);
    }
    expect(namesOf((await read(id, '?asOf=2999-01-01T00:00:00Z')).body)).toEqual(names[2]);
  });
});

describe('If-None-Match', () => {
  it('never matches a user with attachments, whose ETag stays its revision', async () => {
    const { id, place } = await attachedUser();
    const before = await read(id);
    const etag = `${before.headers.get('etag')}`;
    expect(etag).toMatch(/^"\d+"$/);
    await rename(place, 'Renamed', 'Renamed');
    for (const tag of [etag, `W/${etag}`, '*', `"x", ${etag}`]) {
      const { status, headers, body } = await server.get<User>(`/users/${id}`, { 'If-None-Match': tag });
      expect([status, headers.get('etag'), namesOf(body)]).toEqual([200, etag, shownAs(place, 'Renamed', 'Renamed')]);
    }
    const now = `?asOf=${new Date().toISOString()}`;
    expect((await server.get(`/users/${id}${now}`, { 'If-None-Match': etag })).status).toBe(200);
    const revised = await server.put(`/users/${id}`, { firstName: 'Bia' }, { 'If-Match': etag });
    expect(revised.status).toBe(200);
  });

  it('matches a user without attachments, and the profile of a user with attachments', async () => {
    const { id, attached } = await attachedUser();
    const profile = `/users/${id}/profiles/${first(attached.body.profiles).id}`;
    for (const path of [`/users/${(await createDoctor(server)).id}`, profile]) {
      const tag = `${successful(await server.get(path)).headers.get('etag')}`;
      expect((await server.get(path, { 'If-None-Match': tag })).status, path).toBe(304);
    }
  });

  it('matches a list until a name changes', async () => {
    const { place, attached } = await attachedUser();
    const path = `/users?institutionId=${place.id}`;
    const tagOf = async (token: Record<string, string>) => `${(await server.get(path, token)).headers.get('etag')}`;
    const tag = await tagOf(tokenOf(attached));
    expect((await server.get(path, { 'If-None-Match': tag })).status).toBe(304);
    const token = tokenOf(await server.put(place.unity, { name: 'Renamed' }));
    const changed = await server.get<Page<User>>(path, { ...token, 'If-None-Match': tag });
    expect([changed.status, first(first(changed.body.items).unities).name]).toEqual([200, 'Renamed']);
  });
});

describe('a repetition of a request with its Idempotency-Key', () => {
  it.each([
    ['small', 0],
    ['large', 30],
  ] as const)('gets a %s response with the names that the response had', async (_, count) => {
    const specialties: string[] = [];
    for (const _ of numbered(count, (n) => n))
      specialties.push((await createSpecialty(server, { name: `S ${randomUUID()}` })).id);
    const profiles = [{ documentDoctor: 'CRM/SP 1', documentDoctorUpdatedAt: '2025-12-31', specialties }];
    const { id } = await createDoctor(server, doctor({ profiles }));
    const place = await newPlace();
    await rename(place, 'First', 'First');
    successful(await attach(place.unity, id));
    await rename(place, 'Second', 'Second');
    const keys = [1, 2, 3].map(() => ({ 'Idempotency-Key': randomUUID() }));
    const sendAll = async () => [
      await attach(place.unity, id, keys[0]),
      await server.put<User>(`/users/${id}`, { firstName: 'Bia' }, keys[1]),
      await server.post<{ items: User[] }>(`${place.unity}/users`, { userIds: [id] }, keys[2]),
    ];
    const once = await sendAll();
    expect(JSON.stringify(once.map(({ body }) => body)).match(/"name":"Second"/g)).toHaveLength(6);
    await rename(place, 'Third', 'Third');
    const again = await sendAll();
    expect(again.map(({ headers }) => headers.get('idempotency-replayed'))).toEqual(['true', 'true', 'true']);
    expect(again.map(({ body }) => JSON.stringify(body))).toEqual(once.map(({ body }) => JSON.stringify(body)));
  });
});

it('a user with 50 attachments has all present names', async () => {
  const { id } = await createDoctor(server);
  const places: Institution[] = [];
  for (const n of numbered(50, (n) => n)) {
    const place = await createInstitution(server, { name: `Old ${n}` });
    places.push(place);
    successful(await attach(`/institutions/${place.id}`, id));
  }
  for (const [n, place] of places.entries())
    successful(await server.put(`/institutions/${place.id}`, { name: `New ${n}` }));
  const expected = places.map((place, n) => ({ id: place.id, name: `New ${n}` }));
  expect((await read(id)).body.institutions).toEqual(expected);
  expect((await read(id, '?asOf=2999-01-01T00:00:00Z')).body.institutions).toEqual(expected);
  expect(successful(await server.put<User>(`/users/${id}`, {})).body.institutions).toEqual(expected);
});
