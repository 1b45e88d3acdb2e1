// GET /profiles?asOf=…: the lists of profiles as of a time, regardless of later decisions.
import { describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.js';
import { first } from '../support/items.js';
import { sharedService } from '../support/service-of-file.js';
import { createDoctor, type Page, successful, type User, type UserProfile } from './support/samples.js';

const server = sharedService();

type Listed = UserProfile & { readonly user: { id: string; firstName: string | null; lastName: string | null } };
type Decision = 'approve' | 'reject';

/** Resolves to the timestamp when the clock has passed it. */
const passed = async (timestamp: string): Promise<string> => {
  await eventually(() => expect(new Date().toISOString() > timestamp).toBe(true));
  return timestamp;
};

const decide = async ({ id, profiles }: User, decision: Decision): Promise<string> => {
  const path = `/users/${id}/profiles/${first(profiles).id}/${decision}`;
  return passed(successful(await server.patch<UserProfile>(path)).body.updatedAt);
};

/** Reads all pages of a list. Resolves to the profiles of these users. */
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
  it('lists the profiles that had the status then, oldest first, as they were then', async () => {
    const [one, other] = [await createDoctor(server), await createDoctor(server)];
    const users = [one, other];
    const created = await passed(other.createdAt);
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

  it('lists all profiles of that time without a status, and accepts the other filters', async () => {
    const user = await createDoctor(server, { profiles: [{ type: 'NURSE' }, { type: 'AUDITOR' }] });
    const created = await passed(user.createdAt);
    const before = new Date(Date.parse(created) - 1).toISOString();
    const later = await createDoctor(server);
    expect(await listed(`asOf=${before}`, [user, later])).toEqual([]);
    expect((await listed(`asOf=${created}`, [user, later])).map(({ type }) => type)).toEqual(['NURSE', 'AUDITOR']);
    expect(await listed(`asOf=${created}&type=AUDITOR&approvalStatus=ANALYSING`, [user])).toHaveLength(1);
    expect(await listed(`asOf=${created}&type=AUDITOR&approvalStatus=APPROVED`, [user])).toEqual([]);
  });

  it('lists the people who had changed since their approval at that time', async () => {
    const user = await createDoctor(server);
    const approved = await decide(user, 'approve');
    const revised = successful(await server.put<User>(`/users/${user.id}`, { lastName: 'Lima' })).body;
    const changed = await passed(revised.updatedAt);
    const again = await decide(user, 'approve');
    const at = (asOf: string) => listed(`approvalStatus=APPROVED&changedSinceApproval=true&asOf=${asOf}`, [user]);
    expect(await at(approved)).toEqual([]);
    expect((await at(changed)).map((item) => item.user.lastName)).toEqual(['Lima']);
    expect(await at(again)).toEqual([]);
  });

  it('shows the names of that time, but no name of a person who has since been erased', async () => {
    const user = await createDoctor(server, { firstName: 'Berta' });
    const created = await passed(user.createdAt);
    successful(await server.put(`/users/${user.id}`, { firstName: 'Carla' }));
    const at = async () => first(await listed(`approvalStatus=ANALYSING&asOf=${created}`, [user]));
    expect((await at()).user.firstName).toBe('Berta');
    successful(await server.send('DELETE', `/users/${user.id}/personal-data`, { json: { reason: 'asked for' } }));
    expect(await at()).toMatchObject({
      documentDoctor: null,
      user: { id: user.id, firstName: null, lastName: null },
    });
  });

  it('is the current list for a time in the future, and empty for a time before the first event', async () => {
    const user = await createDoctor(server);
    for (const timestamp of ['2999-01-01T00:00:00Z', '9999-12-31T23:59:59.999-23:59']) {
      const query = `approvalStatus=ANALYSING&asOf=${encodeURIComponent(timestamp)}`;
      expect(idsOf(await listed(query, [user]))).toEqual([user.id]);
    }
    const { body } = await server.get<Page<Listed>>('/profiles?asOf=0001-01-01T00:00:00Z');
    expect(body).toEqual({ items: [], nextCursor: null });
  });

  it('has each profile on exactly one page', async () => {
    const users = [await createDoctor(server), await createDoctor(server), await createDoctor(server)];
    const asOf = await passed(first(users.slice(-1)).createdAt);
    for (const user of users) await decide(user, 'reject');
    expect(idsOf(await listed(`approvalStatus=ANALYSING&asOf=${asOf}`, users, 2))).toEqual(users.map(({ id }) => id));
    const current = await listed('approvalStatus=REJECTED', users);
    expect(idsOf(current)).toEqual(users.map(({ id }) => id));
  });
});

describe('GET /profiles', () => {
  it('shows the current name of the user of each profile', async () => {
    const user = await createDoctor(server, { firstName: 'Dora', lastName: 'Reis' });
    const namesIn = async (query: string) => {
      const found = await listed(query, [user]);
      return found.map((item) => item.user);
    };
    await eventually(async () =>
      expect(await namesIn('approvalStatus=ANALYSING')).toEqual([{ id: user.id, firstName: 'Dora', lastName: 'Reis' }]),
    );
    successful(await server.send('DELETE', `/users/${user.id}/personal-data`, { json: { reason: 'asked for' } }));
    expect(await namesIn('type=DOCTOR_GENERALIST')).toEqual([{ id: user.id, firstName: null, lastName: null }]);
  });
});
