// The last enabled administrator stays, so that somebody can always approve profiles.
import { describe, expect, it } from 'vitest';
import { serverOfThisFile } from '../support/service-of-file.js';
import { type Caller, decide, newAdministrator, newCaller } from './support/callers.js';
import { expectProblem } from './support/refusals.js';
import { first, type Page, successful, type User, type UserProfile } from './support/samples.js';
import { bearerHeader, signIn } from './support/signing-in.js';

const server = serverOfThisFile({ AUTH: 'required' });

describe('the last enabled administrator', () => {
  it('can be neither rejected, disabled nor erased', async () => {
    const ana = await newAdministrator(server);
    const bea = await newCaller(server, ana, { type: 'ADMINISTRATOR' });
    await decide(server, bea, ana.user, 'reject');
    const disable = await server.put(`/users/${bea.user.id}`, { enabled: false }, bea.authorization);
    expectProblem(disable, 409, 'last-administrator');
    const erase = await server.send('DELETE', `/users/${bea.user.id}/personal-data`, { headers: bea.authorization });
    expectProblem(erase, 409, 'last-administrator');
    await decide(server, bea, ana.user, 'approve');
    expect((await server.put(`/users/${bea.user.id}`, { enabled: false }, bea.authorization)).status).toBe(200);
  });

  it('stays if two administrators reject each other at the same time', async () => {
    const ana = await newAdministrator(server);
    const bea = await newCaller(server, ana, { type: 'ADMINISTRATOR' });
    const others = await server.get<Page<UserProfile>>(
      '/profiles?type=ADMINISTRATOR&approvalStatus=APPROVED',
      ana.authorization,
    );
    for (const { id, userId } of others.body.items) {
      if (![ana.user.id, bea.user.id].includes(userId)) {
        successful(await server.patch(`/users/${userId}/profiles/${id}/reject`, {}, ana.authorization));
      }
    }
    const reject = (by: Caller, { id, profiles }: User) =>
      server.patch(`/users/${id}/profiles/${first(profiles).id}/reject`, {}, by.authorization);
    const responses = await Promise.all([reject(ana, bea.user), reject(bea, ana.user)]);
    expect(responses.filter(({ status }) => status === 200).length).toBeLessThan(2);
    const mayRead = await Promise.all(
      [ana, bea].map(
        async ({ email }) => (await server.get('/users', bearerHeader((await signIn(server, email)).token))).status,
      ),
    );
    expect(mayRead).toContain(200);
  });
});
