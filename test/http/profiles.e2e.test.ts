// Endpoints 13 and 14: profiles in the approval queue, decisions on them, and their resubmission.
import { describe, expect, it } from 'vitest';
import { first } from '../support/items.js';
import { sharedService } from '../support/service-of-file.js';
import { expectProblem, expectRefused } from './support/refusals.js';
import { createDoctor, numbered, UNKNOWN_ID, type UserProfile } from './support/samples.js';

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
const EXPLAINED = 'UserProfileDecisionExplained';
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
      for (const body of [{ reason: 'a reason' }, { reason: null }, {}]) {
        const again = await decide(path, decision, body);
        expect([again.status, again.body, again.headers.get('etag')]).toEqual([200, once.body, '"2"']);
      }
      expect(await eventsOf(userId)).toEqual(before);
    },
  );

  it.each(['approve', 'reject'] as const)(
    'record another reason than the recorded one, and the profile stays the same: %s',
    async (decision) => {
      const { userId, path } = await newProfile();
      const once = await decide(path, decision);
      const explained = await decide(path, decision, { reason: 'It was forgotten.' });
      expect([explained.status, explained.body, explained.headers.get('etag')]).toEqual([200, once.body, '"3"']);
      const again = await decide(path, decision, { reason: 'It was forgotten.' });
      expect([again.status, again.body, again.headers.get('etag')]).toEqual([200, once.body, '"3"']);
      const read = await server.get(path);
      expect([read.body, read.headers.get('etag')]).toEqual([once.body, '"3"']);
      expect((await eventsOf(userId)).map(({ type }) => type).slice(2)).toEqual([EVENT[decision], EXPLAINED]);
    },
  );

  it('honour If-Match and Idempotency-Key for another reason', async () => {
    const { userId, path } = await newProfile();
    await decide(path, 'reject');
    const reason = { reason: 'It has lapsed.' };
    expectProblem(await decide(path, 'reject', reason, { 'If-Match': '"1"' }), 412, 'revision-mismatch');
    const headers = { 'If-Match': '"2"', 'Idempotency-Key': 'explained' };
    const [first, second] = [
      await decide(path, 'reject', reason, headers),
      await decide(path, 'reject', reason, headers),
    ];
    expect([first.status, second.status, second.headers.get('etag')]).toEqual([200, 200, '"3"']);
    expect((await eventsOf(userId)).filter(({ type }) => type === EXPLAINED)).toHaveLength(1);
  });

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
});

// Different decisions at the same time: profile-history.e2e.test.ts.
describe('administrators who decide at the same time', () => {
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

  it('with the same decision and another reason: one explanation is recorded', async () => {
    const { userId, path } = await newProfile();
    await decide(path, 'approve');
    const responses = await Promise.all(numbered(10, () => decide(path, 'approve', { reason: 'Checked.' })));
    expect(new Set(responses.map(({ status, headers }) => `${status} ${headers.get('etag')}`))).toEqual(
      new Set(['200 "3"']),
    );
    expect((await eventsOf(userId)).map(({ type }) => type).slice(2)).toEqual([EVENT.approve, EXPLAINED]);
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

  it('is 409 for a profile that is not rejected', async () => {
    const { path } = await newProfile();
    expectProblem(await resubmit(path, {}), 409, 'profile-not-rejected');
    await decide(path, 'approve');
    expectProblem(await resubmit(path, {}), 409, 'profile-not-rejected');
  });

  it('refuses unknown specialties', async () => {
    const { path } = await newProfile();
    await decide(path, 'reject');
    expectRefused(await resubmit(path, { specialties: [UNKNOWN_ID] }), '/specialties/0 not-found');
  });
});

describe('POST /users/{id}/profiles', () => {
  it('is 409 for the 21st profile, and 400 with the pointer of an unknown specialty', async () => {
    const { id } = await createDoctor(server, { profiles: numbered(20, () => ({})) });
    expectProblem(await server.post(`/users/${id}/profiles`, {}), 409, 'too-many-profiles');
    expectRefused(await server.post(`/users/${id}/profiles`, { specialties: ['x'] }), '/specialties/0 not-found');
  });
});
