// DELETE /users/{id}/personal-data: nobody can read the person afterwards, and the decisions stay.
import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { foundIn, valuesOf } from '../support/canaries.js';
import type { ClientResponse } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { first, nth } from '../support/items.js';
import { upToDate } from '../support/opaque.js';
import { repetitions } from '../support/repetitions.js';
import { sharedService } from '../support/service-of-file.js';
import { type Traced, tracedPerson } from './support/erased-person.js';
import { expectNothingStored, expectProblem, expectRefused } from './support/refusals.js';
import {
  createDoctor,
  createInstitution,
  type Page,
  successful,
  UNKNOWN_ID,
  type User,
  type UserProfile,
} from './support/samples.js';

const server = sharedService();
const erase = (userId: string, json?: unknown, headers = {}) =>
  server.send<User>('DELETE', `/users/${userId}/personal-data`, { json, headers });
/** Reads from a read model that has caught up. */
const current = async <T>(path: string): Promise<ClientResponse<T>> => server.get<T>(path, await upToDate(server));

const ERASED = {
  ...{ firstName: null, lastName: null, gender: null, document: null, birthDate: null },
  ...{ dialingCode: null, phone: null, email: null },
};
const ERASED_CREDENTIALS = { documentDoctor: null, documentDoctorState: null, documentDoctorUpdatedAt: null };

describe('an erased person', () => {
  let traced: Traced;
  let before: User;
  let response: ClientResponse<User>;
  /** A time before the erasure. */
  let then: string;
  beforeAll(async () => {
    traced = await tracedPerson(server);
    before = successful(await server.get<User>(`/users/${traced.userId}`)).body;
    then = new Date().toISOString();
    await eventually(() => expect(Date.now()).toBeGreaterThan(Date.parse(then)));
    response = await erase(traced.userId, { reason: 'Requested by the person' }, { Origin: 'https://desk.example' });
  });

  it('leaves the approval queue, because nobody can decide on an erased person', async () => {
    const { id: userId, profiles } = await createDoctor(server);
    const queued = async (more = '') => {
      const path = `/profiles?approvalStatus=ANALYSING&limit=200&sort=-createdAt${more}`;
      const { items } = successful(await server.get<Page<UserProfile>>(path, await upToDate(server))).body;
      return items.filter((profile) => profile.userId === userId);
    };
    const [before] = await queued();
    expect(before).toMatchObject({ id: first(profiles).id, approvalStatus: 'ANALYSING' });
    const asOf = `&asOf=${new Date().toISOString()}`;
    await eventually(() => expect(`&asOf=${new Date().toISOString()}` > asOf).toBe(true));
    successful(await erase(userId, { reason: 'Requested by the person' }));
    expect(await queued()).toEqual([]);
    expect(await queued('&asOf=2999-01-01T00:00:00Z')).toEqual([]);
    expect(await queued(asOf)).toMatchObject([{ id: before?.id }]);
    const all = successful(await server.get<Page<UserProfile>>('/profiles?limit=200&sort=-createdAt')).body.items;
    const listed = all.find((profile) => profile.userId === userId);
    expect([listed?.approvalStatus, listed && 'isErased' in listed]).toEqual(['ANALYSING', false]);
  });

  it('has no personal field in the response; ids, decisions and attachments stay', () => {
    const { status, body } = response;
    const { updatedAt } = body;
    const profiles = before.profiles.map((profile) => ({
      ...profile,
      ...ERASED_CREDENTIALS,
      enabled: false,
      updatedAt,
    }));
    expect([status, body]).toEqual([200, { ...before, ...ERASED, enabled: false, auth: [], updatedAt, profiles }]);
    expect(nth(body.profiles, 0).approvalStatus).toBe('APPROVED');
  });

  it('has no personal field in any read, at any time, from the read models or from the log', async () => {
    const { userId, profileId, other, canaries } = traced;
    const paths = [
      `/users/${userId}`,
      `/users/${userId}?asOf=${then}`,
      `/users/${userId}/profiles/${profileId}`,
      `/users/${userId}/profiles/${profileId}?asOf=${then}`,
      `/users/${userId}/profiles/${profileId}/history`,
      `/users/${userId}/profiles/${profileId}/history?asOf=${then}`,
      '/users?limit=200',
      '/profiles?limit=200',
      `/audit/events?stream=user-${userId}`,
    ];
    for (const path of paths) {
      const { body } = successful(await current(path));
      expect([path, foundIn(Buffer.from(JSON.stringify(body)), canaries)]).toEqual([path, []]);
    }
    expect((await current<User>(`/users/${userId}`)).body).toEqual(response.body);
    expect(successful(await current<User>(`/users/${other.id}`)).body.firstName).toBe(other.firstName);
  });

  it('cannot be found by e-mail, name or document', async () => {
    const { email, firstName, document } = traced.canaries;
    for (const filter of [`email=${encodeURIComponent(email)}`, `name=${encodeURIComponent(firstName)}`]) {
      expect((await current<Page<User>>(`/users?${filter}`)).body.items).toEqual([]);
    }
    const validated = await server.post('/users/validation/docs', { document });
    expect(validated.body).toMatchObject({ available: true });
  });

  it('keeps the history of who decided what, when and from where, without the reasons', async () => {
    const { userId, profileId } = traced;
    const { items } = successful(
      await server.get<{ items: { type: string; reason: unknown }[] }>(
        `/users/${userId}/profiles/${profileId}/history`,
      ),
    ).body;
    const common = { actor: { id: 'anonymous', roles: [] }, reason: null };
    expect(items).toMatchObject([
      { type: 'UserProfileAdded', ...common },
      { type: 'UserProfileRejected', ...common, after: { approvalStatus: 'REJECTED' } },
      { type: 'UserProfileResubmitted', ...common },
      { type: 'UserProfileApproved', ...common, after: { approvalStatus: 'APPROVED', enabled: true } },
      { type: 'UserProfileDecisionExplained', ...common, after: { approvalStatus: 'APPROVED', enabled: true } },
      { type: 'UserProfileErased', ...common, origin: 'https://desk.example', after: ERASED_CREDENTIALS },
    ]);
  });

  it('has the reason of the erasure in the log', async () => {
    const erased = nth(await server.recorded(`user-${traced.userId}`), -1);
    expect(erased).toMatchObject({ type: 'UserErased', data: { reason: 'Requested by the person' } });
  });

  it('accepts no command: 410', async () => {
    const { userId, profileId, canaries, other } = traced;
    const { id: institutionId } = await createInstitution(server);
    const profile = `/users/${userId}/profiles/${profileId}`;
    const commands = [
      () => server.put(`/users/${userId}`, { firstName: canaries.firstName }),
      () => server.patch(`${profile}/approve`, {}),
      () => server.patch(`${profile}/reject`, { reason: 'late' }),
      () => server.post(`${profile}/resubmit`, {}),
      () => server.post(`/users/${userId}/profiles`, {}),
      () => server.post(`/institutions/${institutionId}/users`, { userId }),
      () => server.post(`/institutions/${institutionId}/users`, { userIds: [other.id, userId] }),
    ];
    for (const command of commands) expectProblem(await expectNothingStored(server, command), 410, 'user-erased');
  });

  it('is erased only once, no matter how often a client asks', async () => {
    const again = await expectNothingStored(server, () => erase(traced.userId, { reason: 'Second request' }));
    expect([again.status, again.body, again.headers.get('etag')]).toEqual([
      200,
      response.body,
      response.headers.get('etag'),
    ]);
  });
});

describe('the events of a person', () => {
  it('never hold a personal value in plain text, not even before the erasure', async () => {
    const { userId, canaries } = await tracedPerson(server);
    const stored = Buffer.from(JSON.stringify(await server.recorded(`user-${userId}`)));
    expect(foundIn(stored, canaries)).toEqual([]);
    const read = Buffer.from(JSON.stringify((await server.get(`/audit/events?stream=user-${userId}`)).body));
    expect(foundIn(read, canaries)).toEqual(valuesOf(canaries));
  });
});

describe('an erasure', () => {
  it('is 404 for an unknown user and 400 for a malformed id, and deletes nothing', async () => {
    const { id } = await createDoctor(server);
    expectProblem(await expectNothingStored(server, () => erase(UNKNOWN_ID)), 404, 'user-not-found');
    expectRefused(await erase('nobody'), 'id invalid-format');
    expect((await server.put(`/users/${id}`, { firstName: 'Bia' })).status).toBe(200);
  });

  it('with an If-Match that does not match is 412 and deletes nothing', async () => {
    const { id, firstName } = await createDoctor(server);
    successful(await server.put(`/users/${id}`, { phone: 'ask at the desk' }));
    const refused = await expectNothingStored(server, () => erase(id, undefined, { 'If-Match': '"1"' }));
    expectProblem(refused, 412, 'revision-mismatch');
    await server.restart();
    const { headers, body } = successful(await server.get<User>(`/users/${id}?asOf=9999-12-31T00:00:00Z`));
    expect(body).toMatchObject({ firstName, phone: 'ask at the desk' });
    const done = await erase(id, undefined, { 'If-Match': `${headers.get('etag')}` });
    expect([done.status, done.body.firstName]).toEqual([200, null]);
  });

  it('with an If-Match beside other writes is either complete, or 412 and deletes nothing', async () => {
    for (let times = 0; times < repetitions('ERASURES'); times += 1) {
      const { id, firstName } = await createDoctor(server);
      const path = `/users/${id}?asOf=9999-12-31T00:00:00Z`;
      const { headers } = successful(await server.get<User>(path));
      const [{ status }] = await Promise.all([
        erase(id, undefined, { 'If-Match': `${headers.get('etag')}` }),
        ...['a', 'b', 'c', 'd'].map((lastName) => server.put(`/users/${id}`, { lastName })),
      ]);
      const left = successful(await server.get<User>(path)).body.firstName;
      expect([
        [200, null],
        [412, firstName],
      ]).toContainEqual([status, left]);
    }
  });

  it('records that no reason was given', async () => {
    const { id } = await createDoctor(server);
    expect((await erase(id)).status).toBe(200);
    expect(nth(await server.recorded(`user-${id}`), -1).data).toEqual({ reason: 'no reason was given' });
  });

  it('leaves no value behind while other requests write about the person', async () => {
    const { userId, canaries } = await tracedPerson(server);
    const writing = ['a', 'b', 'c', 'd'].map((mark) =>
      server.put<User>(
        `/users/${userId}`,
        { lastName: `${canaries.lastName} ${mark}` },
        { 'Idempotency-Key': randomUUID() },
      ),
    );
    expect((await erase(userId)).status).toBe(200);
    for (const { status } of await Promise.all(writing)) expect([200, 410, 503]).toContain(status);
    expect((await erase(userId)).status).toBe(200);
    const { body } = await current(`/users/${userId}`);
    expect(foundIn(Buffer.from(JSON.stringify(body)), canaries)).toEqual([]);
    expect(foundIn(Buffer.from(JSON.stringify(await server.recorded(`user-${userId}`))), canaries)).toEqual([]);
  });

  it('with an Idempotency-Key repeats its response', async () => {
    const { id } = await createDoctor(server);
    const key = { 'Idempotency-Key': randomUUID() };
    const once = await erase(id, { reason: 'Asked for' }, key);
    expect((await erase(id, { reason: 'Asked for' }, key)).body).toEqual(once.body);
    expect(once.status).toBe(200);
  });
});
