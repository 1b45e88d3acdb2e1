// Detaching users from institutions and unities.
import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { ClientResponse } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { first, nth } from '../support/items.js';
import { sharedService } from '../support/service-of-file.js';
import { expectNothingStored, expectProblem } from './support/refusals.js';
import {
  createDoctor,
  createInstitution,
  numbered,
  type Page,
  successful,
  UNKNOWN_ID,
  type User,
} from './support/samples.js';

const server = sharedService();
const FROM_INSTITUTION = 'UserDetachedFromInstitution';
const FROM_UNITY = 'UserDetachedFromUnity';

const newPlace = async () => {
  const { id, unities } = await createInstitution(server, { unities: [{ name: 'Ward' }, { name: 'Emergency' }] });
  const institution = `/institutions/${id}`;
  const unityIds = unities.map((unity) => unity.id);
  return { id, unityIds, institution, unity: `${institution}/unities/${first(unities).id}` };
};

const attach = async (to: string, userId: string) => successful(await server.post<User>(`${to}/users`, { userId }));
const detach = (from: string, userId: string, headers: Record<string, string> = {}) =>
  server.send<User>('DELETE', `/admin-service${from}/users/${userId}`, { headers });
const detachments = async (userId: string) =>
  (await server.recorded(`user-${userId}`)).filter(({ type }) => type.startsWith('UserDetached'));
const tokenOf = ({ headers }: ClientResponse) => ({ 'Consistency-Token': headers.get('consistency-token') ?? '' });
/** Resolves when the clock has passed the timestamp, so that the next event has a later one. */
const passed = (timestamp: string) => eventually(() => expect(new Date().toISOString() > timestamp).toBe(true));
const idsOf = (items: readonly { readonly id: string }[]) => items.map(({ id }) => id);

/** A doctor at both unities of `here`, and at a unity of `there`. */
const newCase = async () => {
  const [here, there] = [await newPlace(), await newPlace()];
  const userId = (await createDoctor(server)).id;
  for (const unityId of here.unityIds) await attach(`${here.institution}/unities/${unityId}`, userId);
  await attach(there.unity, userId);
  return { here, there, userId };
};

describe('DELETE /institutions/{id}/users/{userId}', () => {
  it('detaches from the institution and its unities in one append, and from no other place', async () => {
    const { here, there, userId } = await newCase();
    const { status, headers, body } = await detach(here.institution, userId);
    expect([status, headers.get('etag')]).toEqual([200, '"9"']);
    expect([idsOf(body.institutions), idsOf(body.unities)]).toEqual([[there.id], [there.unityIds[0]]]);
    expect((await server.get(`/users/${userId}`)).body).toEqual(body);
    const recorded = await detachments(userId);
    expect(recorded.map(({ type }) => type)).toEqual([FROM_UNITY, FROM_UNITY, FROM_INSTITUTION]);
    expect(recorded.map(({ data }) => data)).toEqual([
      ...here.unityIds.map((unityId) => ({ institutionId: here.id, unityId })),
      { institutionId: here.id },
    ]);
    expect(new Set(recorded.map(({ metadata }) => metadata.causationId)).size).toBe(1);
  });

  it('records nothing the second time, and for a user who was never there', async () => {
    const { here, userId } = await newCase();
    const once = await detach(here.institution, userId);
    const twice = await expectNothingStored(server, () => detach(here.institution, userId));
    expect([twice.status, twice.body, twice.headers.get('etag')]).toEqual([200, once.body, once.headers.get('etag')]);
    const other = await createDoctor(server);
    const never = await expectNothingStored(server, () => detach(here.institution, other.id));
    expect([never.status, never.body]).toEqual([200, other]);
  });

  it('is followed by the lists of users, the list of decisions, and asOf', async () => {
    const { here, there, userId } = await newCase();
    const profile = first((await server.get<User>(`/users/${userId}`)).body.profiles);
    const approval = await server.patch(`/users/${userId}/profiles/${profile.id}/approve`, { reason: 'Checked.' });
    const before = successful(await server.get<User>(`/users/${userId}`, tokenOf(successful(approval)))).body;
    await passed(before.updatedAt);
    const detached = successful(await detach(here.institution, userId));
    const found = async (path: string) =>
      successful(await server.get<Page<{ readonly id?: string }>>(path, tokenOf(detached))).body.items;
    const [ward] = here.unityIds;
    for (const gone of [`/users?institutionId=${here.id}`, `/users?unityId=${ward}`]) {
      expect(await found(gone)).toEqual([]);
    }
    expect(await found(`/users?institutionId=${there.id}`)).toMatchObject([{ id: userId }]);
    expect(await found(`/audit/decisions?institutionId=${here.id}`)).toEqual([]);
    expect(await found(`/audit/decisions?institutionId=${there.id}`)).toMatchObject([{ user: { id: userId } }]);
    const past = await server.get<User>(`/users/${userId}?asOf=${before.updatedAt}`);
    expect(past.body).toEqual(before);
  });

  it('compares If-Match with the ETag of the user', async () => {
    const { here, userId } = await newCase();
    const stale = await expectNothingStored(server, () => detach(here.institution, userId, { 'If-Match': '"5"' }));
    expectProblem(stale, 412, 'revision-mismatch');
    expect((await detach(here.institution, userId, { 'If-Match': '"6"' })).headers.get('etag')).toBe('"9"');
    expect((await detach(here.institution, userId, { 'If-Match': '*' })).status).toBe(200);
  });

  it('repeats its response for the same Idempotency-Key, even after the user was attached again', async () => {
    const { here, userId } = await newCase();
    const headers = { 'Idempotency-Key': randomUUID() };
    const responses = await Promise.all(numbered(5, () => detach(here.institution, userId, headers)));
    const [{ body }] = [nth(responses, 0)];
    await attach(here.unity, userId);
    responses.push(await detach(here.institution, userId, headers));
    for (const response of responses) expect([response.status, response.body]).toEqual([200, body]);
    expect(await detachments(userId)).toHaveLength(3);
    expect(idsOf((await server.get<User>(`/users/${userId}`)).body.institutions)).toContain(here.id);
  });

  it('leaves the user at all or none of the places, whatever happens at the same time', async () => {
    const { here, userId } = await newCase();
    await Promise.all(
      numbered(6, (n) => (n % 2 === 0 ? detach(here.institution, userId) : attach(here.unity, userId))),
    );
    const { institutions, unities } = (await server.get<User>(`/users/${userId}`)).body;
    const isThere = idsOf(institutions).includes(here.id);
    expect(unities.some(({ id }) => here.unityIds.includes(id))).toBe(isThere);
  });

  it('is 404 for an unknown institution or user, and 410 for an erased user', async () => {
    const { here, userId } = await newCase();
    expectProblem(await detach(`/institutions/${UNKNOWN_ID}`, userId), 404, 'institution-not-found');
    expectProblem(await detach(here.institution, UNKNOWN_ID), 404, 'user-not-found');
    successful(await server.send('DELETE', `/users/${userId}/personal-data`));
    const erased = await expectNothingStored(server, () => detach(here.institution, userId));
    expect(expectProblem(erased, 410, 'user-erased')).toMatchObject({ userId });
  });
});

describe('DELETE /institutions/{id}/unities/{unityId}/users/{userId}', () => {
  it('detaches from the unity, but not from its institution', async () => {
    const { here, there, userId } = await newCase();
    const { status, headers, body } = await detach(here.unity, userId);
    expect([status, headers.get('etag')]).toEqual([200, '"7"']);
    expect(idsOf(body.institutions)).toEqual([here.id, there.id]);
    expect(idsOf(body.unities)).toEqual([here.unityIds[1], there.unityIds[0]]);
    const twice = await expectNothingStored(server, () => detach(here.unity, userId));
    expect([twice.status, twice.body]).toEqual([200, body]);
    expect((await detachments(userId)).map(({ type }) => type)).toEqual([FROM_UNITY]);
  });

  it('is 404 for a unity of another institution, 412 for another ETag, and 410 for an erased user', async () => {
    const { here, there, userId } = await newCase();
    const foreign = `${there.institution}/unities/${here.unityIds[0]}`;
    expectProblem(await detach(foreign, userId), 404, 'unity-not-found');
    expectProblem(await detach(here.unity, UNKNOWN_ID), 404, 'user-not-found');
    expectProblem(await detach(here.unity, userId, { 'If-Match': '"5"' }), 412, 'revision-mismatch');
    successful(await server.send('DELETE', `/users/${userId}/personal-data`));
    expectProblem(await detach(here.unity, userId), 410, 'user-erased');
  });
});
