// GET /profiles?asOf=…: the lists of profiles as they were, true to the past whatever was decided since.
import { describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.js';
import { sharedService } from '../support/service-of-file.js';
import { expectRefused } from './refusals.js';
import { createDoctor, first, type Page, successful, type User, type UserProfile } from './samples.js';

const server = sharedService();

type Listed = UserProfile & { readonly user: { id: string; firstName: string | null; lastName: string | null } };
type Decision = 'approve' | 'reject';

/** The instant at which something was recorded, once the clock has left its millisecond. */
const past = async (instant: string): Promise<string> => {
  await eventually(() => expect(new Date().toISOString() > instant).toBe(true));
  return instant;
};

const decide = async ({ id, profiles }: User, decision: Decision): Promise<string> => {
  const path = `/users/${id}/profiles/${first(profiles).id}/${decision}`;
  return past(successful(await server.patch<UserProfile>(path)).body.updatedAt);
};

/** Every profile of a list, page by page, of these users. */
const listed = async (query: string, users: readonly User[], limit = 200): Promise<Listed[]> => {
  const found: Listed[] = [];
  for (let path = `/profiles?limit=${limit}&${query}`; ; ) {
    const { body } = successful(await server.get<Page<Listed>>(path));
    found.push(...body.items.filter(({ userId }) => users.some(({ id }) => id === userId)));
    if (body.nextCursor === null) return found;
    path = `/profiles?limit=${limit}&${query}&cursor=${body.nextCursor}`;
  }
};
const idsOf = (profiles: readonly { readonly userId: string }[]) => profiles.map(({ userId }) => userId);

describe('GET /profiles?approvalStatus=…&asOf=…', () => {
  it('lists who had the status then, oldest first, as they were then', async () => {
    const [one, other] = [await createDoctor(server), await createDoctor(server)];
    const users = [one, other];
    const created = await past(other.createdAt);
    const approved = await decide(other, 'approve');
    const both = await decide(one, 'approve');
    const rejected = await decide(other, 'reject');
    const at = (status: string, asOf: string) => listed(`approvalStatus=${status}&asOf=${asOf}`, users);
    expect(idsOf(await at('ANALYSING', created))).toEqual([one.id, other.id]);
    expect(idsOf(await at('APPROVED', created))).toEqual([]);
    expect(idsOf(await at('APPROVED', approved))).toEqual([other.id]);
    expect(idsOf(await at('ANALYSING', approved))).toEqual([one.id]);
    expect(idsOf(await at('APPROVED', both))).toEqual([one.id, other.id]);
    expect(idsOf(await at('APPROVED', rejected))).toEqual([one.id]);
    expect(idsOf(await at('REJECTED', rejected))).toEqual([other.id]);
    const [item] = await at('APPROVED', approved);
    const path = `/users/${other.id}/profiles/${first(other.profiles).id}?asOf=${approved}`;
    const { id, firstName, lastName } = other;
    expect(item).toEqual({ ...(await server.get<object>(path)).body, user: { id, firstName, lastName } });
  });

  it('lists all profiles of then, where no status is asked for, and filters as today', async () => {
    const user = await createDoctor(server, { profiles: [{ type: 'NURSE' }, { type: 'AUDITOR' }] });
    const created = await past(user.createdAt);
    const before = new Date(Date.parse(created) - 1).toISOString();
    const later = await createDoctor(server);
    expect(await listed(`asOf=${before}`, [user, later])).toEqual([]);
    expect((await listed(`asOf=${created}`, [user, later])).map(({ type }) => type)).toEqual(['NURSE', 'AUDITOR']);
    expect(await listed(`asOf=${created}&type=AUDITOR&approvalStatus=ANALYSING`, [user])).toHaveLength(1);
    expect(await listed(`asOf=${created}&type=AUDITOR&approvalStatus=APPROVED`, [user])).toEqual([]);
  });

  it('knows who had changed since the approval then', async () => {
    const user = await createDoctor(server);
    const approved = await decide(user, 'approve');
    const revised = successful(await server.put<User>(`/users/${user.id}`, { lastName: 'Lima' })).body;
    const changed = await past(revised.updatedAt);
    const again = await decide(user, 'approve');
    const at = (asOf: string) => listed(`approvalStatus=APPROVED&changedSinceApproval=true&asOf=${asOf}`, [user]);
    expect(await at(approved)).toEqual([]);
    expect((await at(changed)).map((item) => item.user.lastName)).toEqual(['Lima']);
    expect(await at(again)).toEqual([]);
  });

  it('shows the names of then, and none of a person who was erased since', async () => {
    const user = await createDoctor(server, { firstName: 'Berta' });
    const created = await past(user.createdAt);
    successful(await server.put(`/users/${user.id}`, { firstName: 'Carla' }));
    const at = async () => first(await listed(`approvalStatus=ANALYSING&asOf=${created}`, [user]));
    expect((await at()).user.firstName).toBe('Berta');
    successful(await server.send('DELETE', `/users/${user.id}/personal-data`, { json: { reason: 'asked for' } }));
    expect(await at()).toMatchObject({
      documentDoctor: null,
      user: { id: user.id, firstName: null, lastName: null },
    });
  });

  it('is the list of today for an instant in the future, and empty before all time', async () => {
    const user = await createDoctor(server);
    for (const instant of ['2999-01-01T00:00:00Z', '9999-12-31T23:59:59.999-23:59']) {
      const query = `approvalStatus=ANALYSING&asOf=${encodeURIComponent(instant)}`;
      expect(idsOf(await listed(query, [user]))).toEqual([user.id]);
    }
    const { body } = await server.get<Page<Listed>>('/profiles?asOf=0001-01-01T00:00:00Z');
    expect(body).toEqual({ items: [], nextCursor: null });
  });

  it('comes in pages, each profile once', async () => {
    const users = [await createDoctor(server), await createDoctor(server), await createDoctor(server)];
    const asOf = await past(first(users.slice(-1)).createdAt);
    for (const user of users) await decide(user, 'reject');
    expect(idsOf(await listed(`approvalStatus=ANALYSING&asOf=${asOf}`, users, 2))).toEqual(users.map(({ id }) => id));
    const today = await listed('approvalStatus=REJECTED', users);
    expect(idsOf(today)).toEqual(users.map(({ id }) => id));
  });

  it('refuses an instant that is none', async () => {
    expectRefused(await server.get('/profiles?asOf=2026-11-22'), 'asOf invalid-format');
  });

  it.each(['/users', '/protocols', '/institutions', '/specialties'])('is refused by %s', async (list) => {
    expectRefused(await server.get(`${list}?asOf=2026-01-01T00:00:00Z`), 'asOf unknown-parameter');
  });
});

describe('GET /profiles', () => {
  it('shows whose profile each item is, by the name of today', async () => {
    const user = await createDoctor(server, { firstName: 'Dora', lastName: 'Reis' });
    const named = async (query: string) => {
      const found = await listed(query, [user]);
      return found.map((item) => item.user);
    };
    await eventually(async () =>
      expect(await named('approvalStatus=ANALYSING')).toEqual([{ id: user.id, firstName: 'Dora', lastName: 'Reis' }]),
    );
    successful(await server.send('DELETE', `/users/${user.id}/personal-data`, { json: { reason: 'asked for' } }));
    expect(await named('approvalStatus=ANALYSING')).toEqual([{ id: user.id, firstName: null, lastName: null }]);
  });
});
