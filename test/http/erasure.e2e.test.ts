// DELETE /users/{id}/personal-data: nobody can read the person afterwards, and the decisions stay.
import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { foundIn, valuesOf } from '../support/canaries.js';
import type { ClientResponse } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { upToDate } from '../support/opaque.js';
import { sharedService } from '../support/service-of-file.js';
import { registrationOf, type Traced, tracedPerson } from './erased-person.js';
import { expectProblem, expectRefused, leavingAllAsItWas } from './refusals.js';
import { createDoctor, createInstitution, NOWHERE, nth, type Page, successful, type User } from './samples.js';

const server = sharedService();
const erase = (userId: string, json?: unknown, headers = {}) =>
  server.send<User>('DELETE', `/users/${userId}/personal-data`, { json, headers });
/** A GET of what the read models have by now. */
const current = async <T>(path: string): Promise<ClientResponse<T>> => server.get<T>(path, await upToDate(server));

const GONE = {
  ...{ firstName: null, lastName: null, gender: null, document: null, birthDate: null },
  ...{ dialingCode: null, phone: null, email: null },
};
const CREDENTIALS_GONE = { documentDoctor: null, documentDoctorState: null, documentDoctorUpdatedAt: null };

describe('an erased person', () => {
  let traced: Traced;
  let before: User;
  let answer: ClientResponse<User>;
  /** An instant at which the person was still there. */
  let then: string;
  beforeAll(async () => {
    traced = await tracedPerson(server);
    before = successful(await server.get<User>(`/users/${traced.userId}`)).body;
    then = new Date().toISOString();
    await eventually(() => expect(Date.now()).toBeGreaterThan(Date.parse(then)));
    answer = await erase(traced.userId, { reason: 'Requested by the person' }, { Origin: 'https://desk.example' });
  });

  it('is answered without a personal field; ids, decisions and attachments stay', () => {
    const { status, body } = answer;
    const { updatedAt } = body;
    const profiles = before.profiles.map((profile) => ({ ...profile, ...CREDENTIALS_GONE, enabled: false, updatedAt }));
    expect([status, body]).toEqual([200, { ...before, ...GONE, enabled: false, auth: [], updatedAt, profiles }]);
    expect(nth(body.profiles, 0).approvalStatus).toBe('APPROVED');
  });

  it('is read so everywhere, at every instant, by the read models and from the log', async () => {
    const { userId, profileId, other, canaries } = traced;
    const asked = [
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
    for (const path of asked) {
      const { body } = successful(await current(path));
      expect([path, foundIn(Buffer.from(JSON.stringify(body)), canaries)]).toEqual([path, []]);
    }
    expect((await current<User>(`/users/${userId}`)).body).toEqual(answer.body);
    expect(successful(await current<User>(`/users/${other.id}`)).body.firstName).toBe(other.firstName);
  });

  it('is found by no e-mail, name or document', async () => {
    const { email, firstName, document } = traced.canaries;
    for (const filter of [`email=${encodeURIComponent(email)}`, `name=${encodeURIComponent(firstName)}`]) {
      expect((await current<Page<User>>(`/users?${filter}`)).body.items).toEqual([]);
    }
    const validated = await server.post('/users/validation/docs', { document });
    expect(validated.body).toMatchObject({ available: true });
  });

  it('has the history of who decided what, when and from where, without the reasons', async () => {
    const { userId, profileId } = traced;
    const { items } = successful(
      await server.get<{ items: { type: string; reason: unknown }[] }>(
        `/users/${userId}/profiles/${profileId}/history`,
      ),
    ).body;
    const by = { actor: { id: 'anonymous', roles: [] }, reason: null };
    expect(items).toMatchObject([
      { type: 'UserProfileAdded', ...by },
      { type: 'UserProfileRejected', ...by, after: { approvalStatus: 'REJECTED' } },
      { type: 'UserProfileResubmitted', ...by },
      { type: 'UserProfileApproved', ...by, after: { approvalStatus: 'APPROVED', enabled: true } },
      { type: 'UserProfileErased', ...by, origin: 'https://desk.example', after: CREDENTIALS_GONE },
    ]);
  });

  it('has the reason of the erasure in the log, which names nobody', async () => {
    const erased = nth(await server.recorded(`user-${traced.userId}`), -1);
    expect(erased).toMatchObject({ type: 'UserErased', data: { reason: 'Requested by the person' } });
  });

  it('can be the object of no command: 410', async () => {
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
    for (const command of commands) expectProblem(await leavingAllAsItWas(server, command), 410, 'user-erased');
  });

  it('is erased only once, however often it is asked for', async () => {
    const again = await leavingAllAsItWas(server, () => erase(traced.userId, { reason: 'Second request' }));
    expect([again.status, again.body, again.headers.get('etag')]).toEqual([
      200,
      answer.body,
      answer.headers.get('etag'),
    ]);
  });

  it('may come back as another user', async () => {
    const sent = registrationOf(traced.canaries);
    const { status, body } = await server.post<User>('/users/doctor', sent);
    expect([status, body.email]).toEqual([200, traced.canaries.email]);
    expect(successful(await server.get<User>(`/users/${body.id}`)).body).toEqual(body);
    expect((await server.get<User>(`/users/${traced.userId}`)).body).toEqual(answer.body);
  });
});

describe('the facts of a person', () => {
  it('have no personal value in the open, before the erasure either', async () => {
    const { userId, canaries } = await tracedPerson(server);
    const stored = Buffer.from(JSON.stringify(await server.recorded(`user-${userId}`)));
    expect(foundIn(stored, canaries)).toEqual([]);
    const read = Buffer.from(JSON.stringify((await server.get(`/audit/events?stream=user-${userId}`)).body));
    expect(foundIn(read, canaries)).toEqual(valuesOf(canaries));
  });
});

describe('an erasure', () => {
  it('of a user that there is not is 404 and deletes nothing, of no id 400', async () => {
    const { id } = await createDoctor(server);
    expectProblem(await leavingAllAsItWas(server, () => erase(NOWHERE)), 404, 'user-not-found');
    expectRefused(await erase('nobody'), 'id invalid-format');
    expect((await server.put(`/users/${id}`, { firstName: 'Bia' })).status).toBe(200);
  });

  it('with an If-Match that does not hold is 412 and deletes nothing', async () => {
    const { id, firstName } = await createDoctor(server);
    successful(await server.put(`/users/${id}`, { phone: 'ask at the desk' }));
    const refused = await leavingAllAsItWas(server, () => erase(id, undefined, { 'If-Match': '"1"' }));
    expectProblem(refused, 412, 'revision-mismatch');
    await server.restart();
    const { headers, body } = successful(await server.get<User>(`/users/${id}?asOf=9999-12-31T00:00:00Z`));
    expect(body).toMatchObject({ firstName, phone: 'ask at the desk' });
    const done = await erase(id, undefined, { 'If-Match': `${headers.get('etag')}` });
    expect([done.status, done.body.firstName]).toEqual([200, null]);
  });

  it('takes a reason or none, and refuses one that says nothing or too much', async () => {
    const { id } = await createDoctor(server);
    for (const [reason, fault] of [
      ['', 'blank'],
      ['x'.repeat(501), 'too-big'],
      [7, 'invalid-type'],
    ] as const) {
      expectRefused(await leavingAllAsItWas(server, () => erase(id, { reason })), `/reason ${fault}`);
    }
    expect((await erase(id)).status).toBe(200);
    expect(nth(await server.recorded(`user-${id}`), -1).data).toEqual({ reason: 'no reason was given' });
  });

  it('by many at once is one', async () => {
    const { id } = await createDoctor(server);
    const answers = await Promise.all([erase(id), erase(id), erase(id)]);
    for (const { status, body } of answers) expect([status, body]).toEqual([200, answers[0]?.body]);
    const erased = (await server.recorded(`user-${id}`)).filter(({ type }) => type === 'UserErased');
    expect(erased).toHaveLength(1);
  });

  it('while others write of the person leaves no value behind', async () => {
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

  it('makes a request under an Idempotency-Key from before it a new request', async () => {
    const { id } = await createDoctor(server);
    const key = { 'Idempotency-Key': randomUUID() };
    const revise = () => server.put<User>(`/users/${id}`, { lastName: 'Silva' }, key);
    const once = successful(await revise());
    expect((await revise()).headers.get('idempotency-replayed')).toBe('true');
    expect([once.body.lastName, (await erase(id)).status]).toEqual(['Silva', 200]);
    for (const again of [await revise(), await revise()]) expectProblem(again, 410, 'user-erased');
  });

  it('under an Idempotency-Key is answered again as it was', async () => {
    const { id } = await createDoctor(server);
    const key = { 'Idempotency-Key': randomUUID() };
    const once = await erase(id, { reason: 'Asked for' }, key);
    expect((await erase(id, { reason: 'Asked for' }, key)).body).toEqual(once.body);
    expect(once.status).toBe(200);
  });
});
