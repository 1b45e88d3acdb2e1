// Endpoints 16 and 17: attaching users to an institution and to its unities.
import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { first, nth } from '../support/items.js';
import { sharedService } from '../support/service-of-file.js';
import { expectNothingStored, expectProblem, expectRefused } from './support/refusals.js';
import { createDoctor, createInstitution, numbered, UNKNOWN_ID, type User } from './support/samples.js';

const server = sharedService();
const attach = <T = User>(to: string, body: object, headers = {}) =>
  server.post<T>(`/admin-service${to}/users`, body, headers);
const newPlace = async () => {
  const { id, name, unities } = await createInstitution(server, { unities: [{ name: 'Ward' }, { name: 'Emergency' }] });
  const institution = `/institutions/${id}`;
  return { id, name, unities, institution, unity: `${institution}/unities/${first(unities).id}` };
};
const typesOf = async (id: string) => (await server.recorded(`user-${id}`)).map(({ type }) => type);
const TO_INSTITUTION = 'UserAttachedToInstitution';
const TO_UNITY = 'UserAttachedToUnity';

describe('POST /institutions/{id}/users', () => {
  it('attaches the user to the institution and responds with 201 and the user', async () => {
    const [place, user] = [await newPlace(), await createDoctor(server)];
    const { status, headers, body } = await attach(place.institution, { userId: user.id });
    expect([status, headers.get('etag')]).toEqual([201, '"2"']);
    const institutions = [{ id: place.id, name: place.name }];
    expect(body).toEqual({ ...user, institutions, updatedAt: body.updatedAt });
    expect((await server.get(`/users/${user.id}`)).body).toEqual(body);
  });

  it('responds with 200 the second time, with the present name, and records nothing', async () => {
    const [place, user] = [await newPlace(), await createDoctor(server)];
    const once = await attach(place.institution, { userId: user.id });
    await server.put(place.institution, { name: 'Renamed' });
    const twice = await attach(place.institution, { userId: user.id });
    const renamed = { ...once.body, institutions: [{ id: place.id, name: 'Renamed' }] };
    expect([twice.status, twice.body, twice.headers.get('etag')]).toEqual([200, renamed, once.headers.get('etag')]);
    expect((await typesOf(user.id)).slice(2)).toEqual([TO_INSTITUTION]);
  });

  it('attaches several users, each once, and responds with them in the order of the request', async () => {
    const place = await newPlace();
    const users = await Promise.all(numbered(4, () => createDoctor(server)));
    const userIds = users.map(({ id }) => id);
    await attach(place.institution, { userId: userIds[2] });
    const { status, body } = await attach<{ items: User[] }>(place.institution, { userIds });
    expect([status, body.items.map(({ id }) => id)]).toEqual([201, userIds]);
    for (const { institutions } of body.items) expect(institutions).toEqual([{ id: place.id, name: place.name }]);
    for (const id of userIds) expect((await typesOf(id)).slice(2)).toEqual([TO_INSTITUTION]);
    const again = await attach<{ items: User[] }>(place.institution, { userIds });
    expect([again.status, again.body]).toEqual([200, body]);
  });

  it('gives each event a different id, and repeats no event for the same Idempotency-Key', async () => {
    const place = await newPlace();
    const users = await Promise.all(numbered(3, () => createDoctor(server)));
    const sent = { userIds: users.map(({ id }) => id) };
    const headers = { 'Idempotency-Key': randomUUID() };
    const responses = await Promise.all(numbered(3, () => attach(place.institution, sent, headers)));
    for (const { status, body } of responses) expect([status, body]).toEqual([201, responses[0]?.body]);
    const events = (await Promise.all(users.map(({ id }) => server.recorded(`user-${id}`)))).flatMap((recorded) =>
      recorded.slice(2),
    );
    expect([events.length, new Set(events.map(({ id }) => id)).size]).toEqual([3, 3]);
  });

  it('attaches nobody if one user is unknown, and lists every unknown id', async () => {
    const [place, user] = [await newPlace(), await createDoctor(server)];
    const unknown = [UNKNOWN_ID, randomUUID()];
    expectRefused(
      await expectNothingStored(server, () =>
        attach(place.institution, { userIds: [user.id, unknown[0], place.id, unknown[1]] }),
      ),
      '/userIds/1 not-found',
      '/userIds/2 not-found',
      '/userIds/3 not-found',
    );
    expectRefused(await attach(place.institution, { userId: UNKNOWN_ID }), '/userId not-found');
  });

  it('attaches nobody if another process has erased one of the users', async () => {
    const [before, place] = [await newPlace(), await newPlace()];
    const [erased, other] = [(await createDoctor(server)).id, (await createDoctor(server)).id];
    const userIds = [erased, other];
    // From now on, the service knows both users.
    expect((await attach(before.institution, { userIds })).status).toBe(201);
    expect((await server.runCli(['erase', '--user', erased, '--reason', 'asked for'])).code).toBe(0);
    const response = await attach(place.institution, { userIds });
    expect(expectProblem(response, 410, 'user-erased')).toMatchObject({ userId: erased });
    expect((await typesOf(other)).filter((type) => type === TO_INSTITUTION)).toHaveLength(1);
  });

  it('accepts either userId or userIds', async () => {
    const [place, { id }] = [await newPlace(), await createDoctor(server)];
    for (const body of [{ userId: id, userIds: [id] }, {}, { users: [id] }]) {
      const response = await attach(place.institution, body);
      expectRefused(response, '/userId one-of');
      // The same words must be true if both are sent and if neither is.
      expect(JSON.stringify(response.body)).toMatch(/exactly one of userId and userIds/);
    }
    expectRefused(
      await attach(place.institution, { userIds: [id, id.toUpperCase(), 'x'] }),
      '/userIds/1 duplicate',
      '/userIds/2 invalid-format',
    );
  });

  it('compares If-Match with the ETag of the user in userId; userIds match only *', async () => {
    const [place, { id }] = [await newPlace(), await createDoctor(server)];
    const matching = (etag: string) => ({ 'If-Match': etag });
    expectProblem(await attach(place.institution, { userId: id }, matching('"0"')), 412, 'revision-mismatch');
    expectProblem(await attach(place.institution, { userIds: [id] }, matching('"1"')), 412, 'revision-mismatch');
    expect((await attach(place.institution, { userIds: [id] }, matching('*'))).status).toBe(201);
    expect((await attach(place.unity, { userId: id }, matching('"2"'))).status).toBe(201);
  });

  it('attaches once if 20 requests come at the same time', async () => {
    const [place, { id }] = [await newPlace(), await createDoctor(server)];
    const responses = await Promise.all(numbered(20, () => attach(place.unity, { userId: id })));
    expect(responses.map(({ status }) => status).toSorted()).toEqual([...numbered(19, () => 200), 201]);
    for (const { body } of responses) expect(body).toEqual(responses[0]?.body);
    expect((await typesOf(id)).slice(2)).toEqual([TO_INSTITUTION, TO_UNITY]);
  });
});

describe('POST /institutions/{id}/unities/{unityId}/users', () => {
  it('attaches to the unity and to its institution', async () => {
    const [place, user] = [await newPlace(), await createDoctor(server)];
    const { status, body } = await attach(place.unity, { userId: user.id });
    expect(status).toBe(201);
    expect(body.institutions).toEqual([{ id: place.id, name: place.name }]);
    expect(body.unities).toEqual([{ id: first(place.unities).id, name: 'Ward' }]);
    const second = await attach(`${place.institution}/unities/${nth(place.unities, 1).id}`, { userId: user.id });
    expect(second.body.unities.map(({ name }) => name)).toEqual(['Ward', 'Emergency']);
    expect((await typesOf(user.id)).slice(2)).toEqual([TO_INSTITUTION, TO_UNITY, TO_UNITY]);
    expect((await attach(place.unity, { userId: user.id })).status).toBe(200);
    expect((await attach(place.institution, { userId: user.id })).status).toBe(200);
  });
});
