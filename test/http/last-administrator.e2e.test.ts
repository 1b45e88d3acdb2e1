// The last enabled administrator stays, so that somebody can always approve profiles.
import { describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { serverOfThisFile } from '../support/service-of-file.js';
import { type Caller, decide, newAdministrator, newCaller } from './support/callers.js';
import { expectProblem } from './support/refusals.js';
import {
  createDoctor,
  doctor,
  numbered,
  type Page,
  successful,
  type User,
  type UserProfile,
} from './support/samples.js';
import { bearerHeader, signIn } from './support/signing-in.js';

const server = serverOfThisFile({ AUTH: 'required' });

const rounds = numbered(5, (n) => n);

/** Signs a caller in again, whose sessions a decision has ended. */
const again = async (service: Client, { email, user: { id } }: Caller): Promise<Caller> => {
  const { token, refreshToken, user } = await signIn(service, email);
  expect(user.id).toBe(id);
  return { email, token, refreshToken, user, authorization: bearerHeader(token) };
};

const isAdministrator = async (service: Client, { authorization }: Caller): Promise<boolean> =>
  (await service.get('/users', authorization)).status === 200;

const rejections = (service: Client, by: Caller, { user: { id, profiles } }: Caller) =>
  profiles.map((profile) => service.patch(`/users/${id}/profiles/${profile.id}/reject`, {}, by.authorization));

/** Lets both reject the other. While both wait for each other, each may be 503, and then repeats its requests. */
const rejectEachOther = async (service: Client, ana: Caller, bea: Caller) => {
  for (let tries = 0; tries < 5; tries += 1) {
    const responses = await Promise.all([...rejections(service, ana, bea), ...rejections(service, bea, ana)]);
    if (responses.every(({ status }) => status !== 503)) return;
  }
};

const decideAll = async (service: Client, by: Caller, { user }: Caller, decision: 'approve' | 'reject') => {
  const { body } = successful(await service.get<User>(`/users/${user.id}`, by.authorization));
  for (const profile of body.profiles) await decide(service, by, { ...user, profiles: [profile] }, decision);
};

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

  it('is one of two administrators who reject all profiles of each other at the same time', async () => {
    let ana = await newAdministrator(server);
    let bea = await newCaller(server, ana, { type: 'ADMINISTRATOR' });
    const added = await server.post(`/users/${bea.user.id}/profiles`, { type: 'ADMINISTRATOR' }, ana.authorization);
    successful(added);
    await decideAll(server, ana, bea, 'approve');
    const others = await server.get<Page<UserProfile>>(
      '/profiles?type=ADMINISTRATOR&approvalStatus=APPROVED',
      ana.authorization,
    );
    for (const { id, userId } of others.body.items) {
      if (![ana.user.id, bea.user.id].includes(userId)) {
        successful(await server.patch(`/users/${userId}/profiles/${id}/reject`, {}, ana.authorization));
      }
    }
    bea = await again(server, bea);
    for (const _ of rounds) {
      await rejectEachOther(server, ana, bea);
      [ana, bea] = [await again(server, ana), await again(server, bea)];
      const keptByAna = await isAdministrator(server, ana);
      expect(await isAdministrator(server, bea)).toBe(!keptByAna);
      await decideAll(server, ...(keptByAna ? ([ana, bea] as const) : ([bea, ana] as const)), 'approve');
      [ana, bea] = [await again(server, ana), await again(server, bea)];
    }
  });
});

describe('the last enabled administrator of a service without sign-in', () => {
  const open = serverOfThisFile();

  it('stays if all of the profiles are rejected at the same time, and one rejection is recorded', async () => {
    const type = 'ADMINISTRATOR';
    const { id, profiles } = await createDoctor(open, doctor({ profiles: [{ type }, { type }] }));
    const decideOn = (decision: 'approve' | 'reject') =>
      Promise.all(profiles.map((profile) => open.patch(`/users/${id}/profiles/${profile.id}/${decision}`, {})));
    for (const _ of rounds) {
      for (const response of await decideOn('approve')) successful(response);
      const statuses = (await decideOn('reject')).map(({ status }) => status);
      expect(statuses.toSorted()).toEqual([200, 409]);
      const { body } = await open.get<User>(`/users/${id}`);
      expect(body.profiles.filter(({ enabled }) => enabled)).toHaveLength(1);
    }
  });
});
