// Endpoints 13 and 14: profiles in the approval queue, decisions on them, and their resubmission.
import { describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.js';
import { sharedService } from '../support/service-of-file.js';
import { expectNothingStored, expectProblem, expectRefused } from './refusals.js';
import { createDoctor, first, nth, numbered, type Page, successful, UNKNOWN_ID, type UserProfile } from './samples.js';

const server = sharedService();

/** Creates a doctor. Resolves to the profile and its path. */
const newProfile = async () => {
  const { id, profiles } = await createDoctor(server);
  const profile = first(profiles);
  return { userId: id, profile, path: `/users/${id}/profiles/${profile.id}` };
};
type Decision = 'approve' | 'reject';
const decide = (path: string, decision: Decision, body: object | undefined = {}, headers = {}) =>
  server.patch<UserProfile>(`${path}/${decision}`, body, headers);
const eventsOf = (userId: string) => server.recorded(`user-${userId}`);
const STATUS = { approve: 'APPROVED', reject: 'REJECTED' } as const;
const EVENT = { approve: 'UserProfileApproved', reject: 'UserProfileRejected' } as const;

describe('PATCH /users/{id}/profiles/{profileId}/approve and /reject', () => {
  it('respond with 200 and the profile, which is enabled while it is approved', async () => {
    const { profile, path } = await newProfile();
    const approved = await decide(`/admin-service${path}`, 'approve');
    expect([approved.status, approved.headers.get('etag')]).toEqual([200, '"2"']);
    const { updatedAt } = approved.body;
    expect(approved.body).toEqual({ ...profile, approvalStatus: 'APPROVED', enabled: true, updatedAt });
    expect((await server.get(path)).body).toEqual(approved.body);
    const revoked = await decide(path, 'reject', { reason: 'The registration has ended.' });
    expect(revoked.body).toMatchObject({ approvalStatus: 'REJECTED', enabled: false });
    expect((await decide(path, 'approve')).body).toMatchObject({ approvalStatus: 'APPROVED', enabled: true });
  });

  it.each(['approve', 'reject'] as const)(
    'record nothing the second time and give the same response: %s',
    async (decision) => {
      const { userId, path } = await newProfile();
      const once = await decide(path, decision, { reason: 'a reason' });
      const before = await eventsOf(userId);
      const twice = await decide(path, decision, { reason: 'another reason' });
      expect([twice.status, twice.body, twice.headers.get('etag')]).toEqual([200, once.body, once.headers.get('etag')]);
      expect(await eventsOf(userId)).toEqual(before);
    },
  );

  it('accept an empty object, a reason, or no body', async () => {
    const { userId, path } = await newProfile();
    expect((await decide(path, 'reject', {})).status).toBe(200);
    expect((await server.send('PATCH', `${path}/approve`)).status).toBe(200);
    expect((await decide(path, 'reject', { reason: null, unknown: 1 })).status).toBe(200);
    expect((await decide(path, 'approve', { reason: 'a reason' })).status).toBe(200);
    expect((await eventsOf(userId)).map(({ type }) => type)).toEqual([
      'UserRegistered',
      'UserProfileAdded',
      EVENT.reject,
      EVENT.approve,
      EVENT.reject,
      EVENT.approve,
    ]);
  });

  it('refuse an invalid body and a blank or too long reason', async () => {
    const { path } = await newProfile();
    expectRefused(await decide(path, 'approve', []), ' invalid-type');
    expectRefused(await decide(path, 'approve', { reason: ' ' }), '/reason blank');
    expectRefused(await decide(path, 'reject', { reason: 'x'.repeat(2_001) }), '/reason too-big');
  });

  it('are 404 for a profile of another user and for an unknown user', async () => {
    const [one, other] = [await newProfile(), await newProfile()];
    for (const decision of ['approve', 'reject'] as const) {
      const foreign = `/users/${one.userId}/profiles/${other.profile.id}`;
      const response = await expectNothingStored(server, () => decide(foreign, decision));
      expectProblem(response, 404, 'profile-not-found');
      expectProblem(await decide(`/users/${UNKNOWN_ID}/profiles/${other.profile.id}`, decision), 404, 'user-not-found');
      expectProblem(await server.get(foreign), 404, 'profile-not-found');
    }
  });

  it('record the origin of the request in the event', async () => {
    const { userId, path } = await newProfile();
    await decide(path, 'approve', {}, { origin: 'https://admin.example.org' });
    expect(nth(await eventsOf(userId), -1)).toMatchObject({
      type: 'UserProfileApproved',
      metadata: { origin: 'https://admin.example.org', actor: { id: 'anonymous' } },
    });
  });
});

describe('two administrators who decide at the same time', () => {
  const both = (path: string, headers = {}) =>
    Promise.all((['approve', 'reject'] as const).map((decision) => decide(path, decision, {}, headers)));

  it('with If-Match: one decision is recorded, the other is 412', async () => {
    for (const { userId, path } of await Promise.all(numbered(10, newProfile))) {
      const responses = await both(path, { 'If-Match': '"1"' });
      expect(responses.map(({ status }) => status).toSorted()).toEqual([200, 412]);
      const first = responses[0]?.status === 200 ? 'approve' : 'reject';
      expect((await eventsOf(userId)).slice(2)).toMatchObject([{ type: EVENT[first] }]);
      expect((await server.get(path)).body).toMatchObject({ approvalStatus: STATUS[first] });
    }
  });

  it('without If-Match: both are recorded, each response shows its own decision, and the last one counts', async () => {
    for (const { userId, path } of await Promise.all(numbered(10, newProfile))) {
      const responses = (await both(path)).map(({ status, headers, body }) => ({
        status,
        etag: headers.get('etag'),
        approvalStatus: body.approvalStatus,
      }));
      const decided = (await eventsOf(userId)).slice(2);
      const expected = decided.map(({ type, revision }) => ({
        status: 200,
        etag: `"${revision}"`,
        approvalStatus: type === EVENT.approve ? 'APPROVED' : 'REJECTED',
      }));
      expect(responses.toSorted((a, b) => `${a.etag}`.localeCompare(`${b.etag}`))).toEqual(expected);
      expect((await server.get(path)).body).toMatchObject({ approvalStatus: nth(expected, -1).approvalStatus });
    }
  });

  it('with the same decision: one event is recorded, and all responses are the same', async () => {
    const { userId, path } = await newProfile();
    const responses = await Promise.all(numbered(20, () => decide(path, 'approve')));
    for (const { status, body } of responses) expect([status, body]).toEqual([200, responses[0]?.body]);
    expect((await eventsOf(userId)).map(({ type }) => type)).toEqual([
      'UserRegistered',
      'UserProfileAdded',
      EVENT.approve,
    ]);
  });
});

describe('POST /users/{id}/profiles/{profileId}/resubmit', () => {
  const resubmit = (path: string, body?: object) => server.post<UserProfile>(`${path}/resubmit`, body);

  it('returns a rejected profile to ANALYSING; omitted fields stay', async () => {
    const { path } = await newProfile();
    const rejected = (await decide(path, 'reject')).body;
    const { status, body } = await resubmit(path, { documentDoctor: 'CRM/RJ 9' });
    const now = { approvalStatus: 'ANALYSING', documentDoctor: 'CRM/RJ 9', updatedAt: body.updatedAt };
    expect([status, body]).toEqual([200, { ...rejected, ...now }]);
    await decide(path, 'reject');
    expect((await resubmit(path)).body).toMatchObject({ approvalStatus: 'ANALYSING', documentDoctor: 'CRM/RJ 9' });
    expect((await decide(path, 'approve')).body).toMatchObject({ approvalStatus: 'APPROVED' });
  });

  it('is 409 for a profile that is not rejected, and 404 for a profile of another user', async () => {
    const [one, other] = [await newProfile(), await newProfile()];
    expectProblem(await resubmit(one.path, {}), 409, 'profile-not-rejected');
    await decide(one.path, 'approve');
    expectProblem(await resubmit(one.path, {}), 409, 'profile-not-rejected');
    expectProblem(await resubmit(`/users/${one.userId}/profiles/${other.profile.id}`), 404, 'profile-not-found');
  });

  it('lists every invalid field and unknown specialties', async () => {
    const { path } = await newProfile();
    await decide(path, 'reject');
    expectRefused(
      await resubmit(path, { documentDoctor: '', documentDoctorUpdatedAt: 'today', specialties: 'all' }),
      '/documentDoctor blank',
      '/documentDoctorUpdatedAt invalid-format',
      '/specialties invalid-type',
    );
    expectRefused(await resubmit(path, { specialties: [UNKNOWN_ID] }), '/specialties/0 not-found');
  });
});

describe('POST /users/{id}/profiles', () => {
  it('responds with 201, the ANALYSING profile and its Location', async () => {
    const { userId, profile } = await newProfile();
    const sent = { type: 'NURSE', documentDoctor: 'COREN 1', documentDoctorState: 'SP' };
    const { status, headers, body } = await server.post<UserProfile>(`/users/${userId}/profiles`, sent);
    expect([status, headers.get('location')]).toEqual([201, `/users/${userId}/profiles/${body.id}`]);
    expect(body).toMatchObject({ ...sent, userId, approvalStatus: 'ANALYSING', enabled: false, specialties: [] });
    expect((await server.get(`${headers.get('location')}`)).body).toEqual(body);
    expect((await server.get<{ profiles: unknown }>(`/users/${userId}`)).body.profiles).toEqual([profile, body]);
  });

  it('is 409 for the 21st profile, 404 for an unknown user, and 400 with the pointer of an unknown specialty', async () => {
    const { id } = await createDoctor(server, { profiles: numbered(20, () => ({})) });
    expectProblem(await server.post(`/users/${id}/profiles`, {}), 409, 'too-many-profiles');
    expectProblem(await server.post(`/users/${UNKNOWN_ID}/profiles`, {}), 404, 'user-not-found');
    expectRefused(await server.post(`/users/${id}/profiles`, { specialties: ['x'] }), '/specialties/0 not-found');
  });
});

describe('GET /profiles', () => {
  const queue = async (query: string, written: { headers: Headers }) =>
    successful(
      await server.get<Page<UserProfile>>(`/profiles?${query}`, {
        'Consistency-Token': `${written.headers.get('consistency-token')}`,
      }),
    ).body;

  it('is the approval queue: the profiles with a status, oldest first, until somebody decides on them', async () => {
    const made = [await newProfile(), await newProfile(), await newProfile()];
    await decide(nth(made, 1).path, 'reject');
    await decide(nth(made, 0).path, 'approve');
    const again = await server.post(`${nth(made, 1).path}/resubmit`, {});
    const ids = (page: Page<UserProfile>) => page.items.map(({ id }) => id);
    const all = ids(await queue('approvalStatus=ANALYSING&limit=200', again));
    expect(all.slice(-2)).toEqual([nth(made, 1).profile.id, nth(made, 2).profile.id]);
    expect(all).not.toContain(nth(made, 0).profile.id);
    const approved = await queue('approvalStatus=APPROVED&limit=200', again);
    expect(nth(approved.items, -1)).toMatchObject({ id: nth(made, 0).profile.id, enabled: true });
  });

  it('filters by type, in pages', async () => {
    const { id } = await createDoctor(server, { profiles: numbered(3, () => ({ type: 'AUDITOR' })) });
    const written = await server.post(`/users/${id}/profiles`, { type: 'AUDITOR' });
    const auditors = (rest: string) => queue(`type=AUDITOR&approvalStatus=ANALYSING&${rest}`, written);
    const all = (await auditors('limit=200')).items;
    expect(new Set(all.map(({ type }) => type))).toEqual(new Set(['AUDITOR']));
    expect(all.slice(-4).map(({ userId }) => userId)).toEqual(numbered(4, () => id));
    const limit = all.length - 1;
    const page = await auditors(`limit=${limit}`);
    const rest = await auditors(`limit=${limit}&cursor=${page.nextCursor}`);
    expect([...page.items, ...rest.items]).toEqual(all);
    expect([rest.items.length, rest.nextCursor]).toEqual([1, null]);
  });

  it('refuses an unknown status and an unknown type', async () =>
    expectRefused(
      await server.get('/profiles?approvalStatus=DONE&type=BAKER'),
      'approvalStatus invalid-value',
      'type invalid-value',
    ));
});

describe('GET /users/{id}/profiles/{profileId}?asOf=', () => {
  it('returns the profile as of that time', async () => {
    const { profile, path } = await newProfile();
    await eventually(() => expect(Date.now()).toBeGreaterThan(Date.parse(profile.createdAt)));
    await decide(path, 'approve');
    expect((await server.get(`${path}?asOf=${profile.createdAt}`)).body).toEqual(profile);
    expectProblem(await server.get(`${path}?asOf=2020-01-01T00:00:00Z`), 404, 'user-not-found');
  });
});
