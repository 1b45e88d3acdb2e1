// Step-up authentication (RFC 9470): an irreversible request requires a recent sign-in. A refresh does not count as
// one.
import { beforeAll, describe, expect, it } from 'vitest';
import { allRoutes, nameOf } from '../../scripts/routes-doc.js';
import { clockAhead, MINUTE_MS } from '../support/clock.js';
import { serverOfThisFile } from '../support/service-of-file.js';
import { type Caller, decide, newAdministrator, newCaller } from './support/callers.js';
import { expectProblem } from './support/refusals.js';
import type { User } from './support/samples.js';
import { bearerHeader, claimsOf, refresh, signIn } from './support/signing-in.js';

const server = serverOfThisFile({ AUTH: 'required' });
const ERASURE = 'DELETE /users/{id}/personal-data';

it('only an erasure requires a recent sign-in', () => {
  const limited = allRoutes.filter(({ access }) => access.maxAuthAgeS !== undefined);
  expect(limited.map((route) => [nameOf(route), route.access.maxAuthAgeS])).toEqual([[ERASURE, 300]]);
});

describe('a caller who signed in six minutes ago', () => {
  let administrator: Caller;
  let nurse: Caller;
  let refreshed: string;
  beforeAll(async () => {
    administrator = await newAdministrator(server);
    nurse = await newCaller(server, administrator, { type: 'NURSE' });
    await server.restart(clockAhead(6 * MINUTE_MS));
    refreshed = (await refresh(server, administrator.refreshToken)).body.token;
  });

  const erase = (authorization: Caller['authorization']) =>
    server.send<User>('DELETE', `/users/${nurse.user.id}/personal-data`, { headers: authorization });

  it('needs the role first', async () => {
    expectProblem(await erase(nurse.authorization), 403, 'not-allowed');
  });

  it('cannot erase, not even with a refreshed token, and learns how recent the sign-in must be', async () => {
    expect(claimsOf(refreshed)['auth_time']).toBe(claimsOf(administrator.token)['auth_time']);
    for (const authorization of [administrator.authorization, bearerHeader(refreshed)]) {
      const response = await erase(authorization);
      expectProblem(response, 401, 'insufficient_user_authentication');
      const challenge = 'Bearer error="insufficient_user_authentication", max_age=300';
      expect(response.headers.get('www-authenticate')).toBe(challenge);
    }
    expect((await server.recorded(`user-${nurse.user.id}`)).map(({ type }) => type)).not.toContain('UserErased');
  });

  it('can do everything else', async () => {
    await decide(server, { authorization: bearerHeader(refreshed) }, nurse.user, 'reject');
    await decide(server, { authorization: bearerHeader(refreshed) }, nurse.user, 'approve');
  });

  it('can erase after signing in again', async () => {
    const { token } = await signIn(server, administrator.email);
    const { status, body } = await erase(bearerHeader(token));
    expect([status, body.firstName]).toEqual([200, null]);
  });
});
