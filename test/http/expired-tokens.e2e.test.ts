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
  /** Signed in as often as a test signs out. */
  const others: SignIn[] = [];
  beforeAll(async () => {
    const administrator = await newAdministrator(server);
    const user = await signUp(server, { profiles: [{ type: 'NURSE' }] });
    signedIn = await signIn(server, user.email);
    for (const _ of [1, 2, 3, 4, 5, 6, 7]) others.push(await signIn(server, (await signUp(server)).email));
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

  const other = () => others.pop() ?? signedIn;
  const signOut = (headers: Readonly<Record<string, string>>) => server.post('/api/sign-out', undefined, headers);
  const isEnded = async ({ refreshToken }: SignIn) => (await refresh(server, refreshToken)).status === 401;

  it.each<[string, (token: string) => Readonly<Record<string, string>>]>([
    ['in the header', bearerHeader],
    ['alone in the header', (token) => ({ Authorization: token })],
    ['in the cookie', (token) => ({ Cookie: `TOKEN=${token}` })],
    [
      'in the cookie, in quotes and beside a spoilt header',
      (token) => ({ Authorization: 'Bearer x', Cookie: `a=b; TOKEN="${token}"` }),
    ],
  ])('the access token still ends its session at a sign-out: %s', async (_, headersOf) => {
    const mine = other();
    expect((await signOut(headersOf(mine.token))).status).toBe(301);
    expect(await isEnded(mine)).toBe(true);
  });

  it('a sign-out ends the sessions of two access tokens', async () => {
    const [mine, theirs] = [other(), other()];
    expect((await signOut({ ...bearerHeader(mine.token), Cookie: `TOKEN=${theirs.token}` })).status).toBe(301);
    expect([await isEnded(mine), await isEnded(theirs)]).toEqual([true, true]);
  });

  it('an altered access token ends no session', async () => {
    const mine = other();
    const [header = '', claims = '', signature = ''] = mine.token.split('.');
    const altered = [
      `${header}.${claims}.${signature.slice(1)}`,
      `${header}.${claims}.`,
      `${header}.${claims}x.${signature}`,
    ];
    for (const token of altered) {
      expect((await signOut({ ...bearerHeader(token), Cookie: `TOKEN=${token}` })).status).toBe(301);
    }
    expect(await isEnded(mine)).toBe(false);
  });
});
