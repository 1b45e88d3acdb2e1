// Changes of an approved person's name and document.
import { beforeAll, describe, expect, it } from 'vitest';
import { first } from '../support/items.js';
import { serverOfThisFile } from '../support/service-of-file.js';
import { type Caller, decide, newAdministrator, newCaller } from './support/callers.js';
import { type Page, successful, type User } from './support/samples.js';

interface Profile {
  readonly id: string;
  readonly approvalStatus: string;
  readonly changedSinceApproval: boolean;
}
interface Step {
  readonly type: string;
  readonly actor: { readonly id: string };
}

describe.each([
  ['off', 'APPROVED'],
  ['on', 'ANALYSING'],
] as const)('with REAPPROVAL=%s, an approved person who changes name', (setting, status) => {
  const server = serverOfThisFile({ AUTH: 'required', REAPPROVAL: setting });
  let administrator: Caller;
  beforeAll(async () => {
    administrator = await newAdministrator(server);
  });
  const rename = (caller: Caller, { id }: User) =>
    server.put<User>(`/users/${id}`, { lastName: 'Another' }, caller.authorization);
  const listed = async (token: string | null) => {
    const headers = { ...administrator.authorization, 'Consistency-Token': `${token}` };
    const { body } = await server.get<Page<Profile>>('/profiles?changedSinceApproval=true', headers);
    return body.items.map(({ id }) => id);
  };

  it(`has a profile that is ${status}, and the change is in the history`, async () => {
    const bea = await newCaller(server, administrator, { type: 'NURSE' });
    const { body, headers } = successful(await rename(bea, bea.user));
    const { id } = first(body.profiles);
    expect(first(body.profiles)).toMatchObject({ approvalStatus: status });
    expect((await listed(headers.get('consistency-token'))).includes(id)).toBe(setting === 'off');
    const history = await server.get<Page<Step>>(
      `/users/${bea.user.id}/profiles/${id}/history`,
      administrator.authorization,
    );
    expect(history.body.items.map(({ type }) => type)).toContain('UserProfileChangedSinceApproval');
    expect((await server.get(`/users/${bea.user.id}`, bea.authorization)).status).toBe(setting === 'off' ? 200 : 401);
  });

  it('leaves the list of changed profiles when an administrator approves the profile again', async () => {
    const bea = await newCaller(server, administrator, { type: 'NURSE' });
    successful(await rename(bea, bea.user));
    await decide(server, administrator, bea.user, 'approve');
    const { body } = await server.get<User>(`/users/${bea.user.id}`, administrator.authorization);
    expect(first(body.profiles)).toMatchObject({ approvalStatus: 'APPROVED', changedSinceApproval: false });
    const { headers } = successful(
      await server.put(`/users/${bea.user.id}`, { phone: null }, administrator.authorization),
    );
    expect(await listed(headers.get('consistency-token'))).not.toContain(first(body.profiles).id);
  });
});
