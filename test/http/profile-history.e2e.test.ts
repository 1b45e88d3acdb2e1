// GET /users/{id}/profiles/{profileId}/history: who decided what on a profile, when, from where and why.
import { beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.js';
import { first, nth } from '../support/items.js';
import { sharedService } from '../support/service-of-file.js';
import { expectProblem } from './support/refusals.js';
import { createDoctor, numbered, successful, UNKNOWN_ID, type UserProfile } from './support/samples.js';

interface Step {
  readonly type: string;
  readonly at: string;
  readonly actor: { readonly id: string; readonly roles: readonly string[] };
  readonly origin: string | null;
  readonly reason: string | null;
  readonly revision: number;
  readonly position: string;
  readonly before: UserProfile | null;
  readonly after: UserProfile | null;
}
interface History {
  readonly items: readonly Step[];
  readonly nextCursor: string | null;
}

const server = sharedService();
const ORIGIN = 'https://desk.example.org';

const newProfile = async () => {
  const { id, profiles } = await createDoctor(server, {
    profiles: [{ documentDoctor: 'CRM/SP 1' }, { type: 'NURSE' }],
  });
  const [profile, other] = [nth(profiles, 0), nth(profiles, 1)];
  return { userId: id, profile, other, path: `/users/${id}/profiles/${profile.id}` };
};
type Decision = 'approve' | 'reject';
const decide = async (path: string, decision: Decision, body: object = {}, headers = {}) =>
  successful(await server.patch<UserProfile>(`${path}/${decision}`, body, headers));
const historyOf = (path: string, query = '') => server.get<History>(`${path}/history${query}`);
const stepsOf = async (path: string, query = '') => successful(await historyOf(path, query)).body.items;
/** Resolves when the clock has passed a timestamp, so that the next event has a later one. */
const passed = (at: string) => eventually(() => expect(Date.now()).toBeGreaterThan(Date.parse(at)));

/** Creates a user with a profile that is rejected, resubmitted, approved and revoked, each at a different time. */
const decidedProfile = async () => {
  const made = await newProfile();
  const { path, userId, other } = made;
  await passed(made.profile.createdAt);
  const rejected = (await decide(path, 'reject', { reason: 'It has lapsed.' }, { Origin: ORIGIN })).body;
  await passed(rejected.updatedAt);
  const sent = { documentDoctor: 'CRM/SP 2', documentDoctorState: 'SP' };
  const resubmitted = successful(await server.post<UserProfile>(`${path}/resubmit`, sent)).body;
  await decide(`/users/${userId}/profiles/${other.id}`, 'approve');
  successful(await server.put(`/users/${userId}`, { gender: 'FEMININE' }));
  await passed(resubmitted.updatedAt);
  const approved = (await decide(path, 'approve')).body;
  await passed(approved.updatedAt);
  const revoked = (await decide(path, 'reject', { reason: 'Revoked.' })).body;
  return { ...made, states: [made.profile, rejected, resubmitted, approved, revoked] };
};

describe('the history of a profile', () => {
  let decided: Awaited<ReturnType<typeof decidedProfile>>;
  beforeAll(async () => {
    decided = await decidedProfile();
  });

  it('has every event of the profile, oldest first, with the profile before and after', async () => {
    const { status, headers, body } = await historyOf(decided.path);
    expect([status, body.nextCursor, headers.get('link')]).toEqual([200, null, null]);
    expect(headers.get('cache-control')).toBe('no-store');
    const anonymous = { id: 'anonymous', roles: [], name: null };
    const expected = [
      { type: 'UserProfileAdded', reason: null, origin: null, revision: 1 },
      { type: 'UserProfileRejected', reason: 'It has lapsed.', origin: ORIGIN, revision: 3 },
      { type: 'UserProfileResubmitted', reason: null, origin: null, revision: 4 },
      { type: 'UserProfileApproved', reason: null, origin: null, revision: 7 },
      { type: 'UserProfileRejected', reason: 'Revoked.', origin: null, revision: 8 },
    ];
    const { states } = decided;
    expect(body.items).toEqual(
      expected.map((step, index) => ({
        clock: null,
        ...step,
        at: states[index]?.updatedAt,
        actor: anonymous,
        sessionId: null,
        address: null,
        position: expect.stringMatching(/^[0-9a-z]{16,}$/),
        before: states[index - 1] ?? null,
        after: states[index],
      })),
    );
  });

  it('shows another reason for the same decision, with the same profile before and after', async () => {
    const { path } = await newProfile();
    const rejected = (await decide(path, 'reject', {}, { Origin: ORIGIN })).body;
    await decide(path, 'reject', { reason: 'It has lapsed.' });
    const [, decision, explanation] = await stepsOf(path);
    expect(decision).toMatchObject({ type: 'UserProfileRejected', reason: null, after: rejected });
    expect(explanation).toMatchObject({
      type: 'UserProfileDecisionExplained',
      reason: 'It has lapsed.',
      actor: { id: 'anonymous' },
      before: rejected,
      after: rejected,
    });
  });

  it('has the position of each event in the audit trail', async () => {
    const steps = await stepsOf(decided.path);
    const trail = await server.get<{ items: Step[] }>(`/audit/events?stream=user-${decided.userId}`);
    const byPosition = new Map(successful(trail).body.items.map((event) => [event.position, event]));
    for (const { type, at, actor: named, origin, revision, position } of steps) {
      const actor = { id: named.id, roles: named.roles };
      expect(byPosition.get(position)).toMatchObject({ type, at, actor, origin, revision });
    }
    expect(steps.map(({ position }) => position)).toEqual(steps.map(({ position }) => position).toSorted());
  });

  it('accepts asOf: 404 before the profile existed, and everything for a time in the future', async () => {
    const all = await stepsOf(decided.path);
    for (const [index, { at }] of all.entries()) {
      expect(await stepsOf(decided.path, `?asOf=${at}`)).toEqual(all.slice(0, index + 1));
    }
    const before = new Date(Date.parse(first(all).at) - 1).toISOString();
    expectProblem(await historyOf(decided.path, `?asOf=${before}`), 404, 'profile-not-found');
    expect(await stepsOf(decided.path, '?asOf=9999-12-31T23:59:59Z')).toEqual(all);
    expect(first(await stepsOf(decided.path, '?asOf=9999-12-31T23:59:59Z&limit=1'))).toEqual(first(all));
  });

  it('is an empty page, not 404, if a cursor is behind the last step as of the time', async () => {
    const [added] = await stepsOf(decided.path);
    const { nextCursor } = successful(await historyOf(decided.path, '?limit=2')).body;
    const at = (time: number) =>
      historyOf(decided.path, `?limit=2&cursor=${nextCursor}&asOf=${new Date(time).toISOString()}`);
    const created = Date.parse(String(added?.at));
    expect(successful(await at(created)).body).toEqual({ items: [], nextCursor: null });
    expectProblem(await at(created - 1), 404, 'profile-not-found');
  });

  it('records each reading with its filter', async () => {
    const { userId, profile } = await newProfile();
    const path = `/users/${userId}/profiles/${profile.id}`;
    const asOf = new Date().toISOString();
    await stepsOf(path);
    successful(await server.get(`${path}/history?asOf=${asOf}`, { Origin: ORIGIN }));
    await historyOf(`/users/${userId}/profiles/${UNKNOWN_ID}`);
    const readings = (await server.recorded())
      .filter(({ type, data }) => type === 'AuditTrailRead' && JSON.stringify(data).includes(userId))
      .map(({ data, metadata: { actor, origin } }) => ({ data, actor, origin }));
    const reading = (filter: object, origin?: string) => ({
      data: { what: 'profile-history', filter: { user: userId, profile: profile.id, ...filter } },
      actor: { id: 'anonymous', roles: [] },
      origin,
    });
    expect(readings).toEqual([reading({}), reading({ asOf }, ORIGIN)]);
  });
});

/** Asserts that the profile before each step is the profile after the previous step. */
const expectChained = (steps: readonly Step[]): void =>
  expect(steps.map(({ before }) => before)).toEqual([null, ...steps.slice(0, -1).map(({ after }) => after)]);

describe('two administrators who decide at the same time', () => {
  const both = (path: string, headers = {}) =>
    Promise.all(
      (['approve', 'reject'] as const).map((decision) =>
        server.patch<UserProfile>(`${path}/${decision}`, { reason: decision }, headers),
      ),
    );

  it('are both in the history, one after the other, and their responses agree with it', async () => {
    for (const { path } of await Promise.all(numbered(10, newProfile))) {
      const responses = await both(path);
      const steps = await stepsOf(path);
      expectChained(steps);
      expect(new Set(steps.map(({ reason }) => reason))).toEqual(new Set([null, 'approve', 'reject']));
      const byTag = new Map(steps.map(({ revision, after }) => [`"${revision}"`, after]));
      for (const { body, headers } of responses) expect(byTag.get(`${headers.get('etag')}`)).toEqual(body);
      expect((await server.get(path)).body).toEqual(nth(steps, -1).after);
    }
  });

  it('with If-Match leave only the first decision in the history', async () => {
    for (const { path } of await Promise.all(numbered(5, newProfile))) {
      const responses = await both(path, { 'If-Match': (await server.get(path)).headers.get('etag') ?? '' });
      expect(responses.map(({ status }) => status).toSorted()).toEqual([200, 412]);
      const first = responses[0]?.status === 200 ? 'approve' : 'reject';
      expect((await stepsOf(path)).map(({ reason }) => reason)).toEqual([null, first]);
    }
  });
});
