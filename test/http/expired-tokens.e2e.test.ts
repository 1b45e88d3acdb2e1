// What expires for a web client: the access token, but not its refresh token. The test puts the clock of the service ahead.
// test/auth has the lifetimes of sessions and codes.
import { beforeAll, describe, expect, it } from 'vitest';
import { allRoutes, nameOf } from '../../scripts/routes-doc.js';
import { clockAhead, MINUTE_MS } from '../support/clock.js';
import { serverOfThisFile } from '../support/service-of-file.js';
import { decide, newAdministrator } from './support/callers.js';
import { expectProblem } from './support/refusals.js';
import { successful, UNKNOWN_ID } from './support/samples.js';
import { bearerHeader, claimsOf, refresh, type SignIn, signIn } from './support/signing-in.js';
import { signUp } from './support/signing-up.js';

const server = serverOfThisFile({ AUTH: 'required' });

describe('after 16 minutes', () => {
  let signedIn: SignIn;
  beforeAll(async () => {
    const administrator = await newAdministrator(server);
    const user = await signUp(server, { profiles: [{ type: 'NURSE' }] });
    signedIn = await signIn(server, user.email);
    await decide(server, administrator, user, 'approve');
    await server.restart(clockAhead(16 * MINUTE_MS));
  });

  const routes = allRoutes.filter(({ access }) => !['ignored', 'if-valid'].includes(access.who.token));
  it.each(routes.map((route) => [nameOf(route), route] as const))(
    'the access token is refused at %s',
    async (_, { method, path }) => {
      const address = path.replace('{id}', signedIn.user.id).replaceAll(/\{\w+\}/g, UNKNOWN_ID);
      const headers = bearerHeader(signedIn.token);
      expectProblem(await server.send(method.toUpperCase(), address, { headers }), 401, 'token-refused');
    },
  );

  it('the access token cannot be stored in cookies', async () => {
    const data = { token: signedIn.token, refresh_token: signedIn.refreshToken };
    expectProblem(await server.post('/api/update-token', { data }), 401, 'tokens-refused');
  });

  it('the refresh token still works and gives the current roles', async () => {
    const { token } = successful(await refresh(server, signedIn.refreshToken)).body;
    const { iat, roles } = claimsOf(token);
    expect([Number(iat) * 1_000 > Date.now() + 15 * MINUTE_MS, roles]).toEqual([true, ['NURSE']]);
    expect((await server.get('/protocols', bearerHeader(token))).status).toBe(200);
  });
});
