// A web client of a service with AUTH=required (docs/web-client.md), from the sign-up to the sign-out, and what expires
// over time. The tests put the clock of the service ahead.
import { beforeAll, describe, expect, it } from 'vitest';
import { allRoutes, nameOf } from '../../scripts/routes-doc.js';
import { clockAhead, DAY_MS, MINUTE_MS } from '../support/clock.js';
import { eventually } from '../support/eventually.js';
import { serverOfThisFile } from '../support/service-of-file.js';
import { Browser } from './browser.js';
import { type Caller, decide, newAdministrator } from './callers.js';
import { expectProblem } from './refusals.js';
import { newEmail, nth, successful, UNKNOWN_ID, type User } from './samples.js';
import { bearerHeader, claimsOf, PASSWORD, refresh, type SignIn, sessionsOf, signIn, trySignIn } from './signing-in.js';
import {
  activate,
  askForCode,
  codeFor,
  codeIn,
  messagesTo,
  newcomer,
  newPhone,
  type PhoneChange,
  signUp,
  trySignUp,
} from './signing-up.js';

const server = serverOfThisFile({ AUTH: 'required' });
let administrator: Caller;
beforeAll(async () => {
  administrator = await newAdministrator(server);
});

const statusOf = async (path: string, token: string) => (await server.get(path, bearerHeader(token))).status;
const changePhone = (token: string, phone: string, language = 'pt') =>
  server.post<PhoneChange>(
    '/auth-service/change-phone',
    { dialingCode: '55', phone },
    { ...bearerHeader(token), 'Accept-Language': language },
  );

describe('a web client', () => {
  const browser = new Browser(server);
  const { email, password } = { email: newEmail(), password: PASSWORD };
  let user: User;
  let signedIn: SignIn;

  it('signs a user up and confirms the contact with the code that the service sends', async () => {
    const profiles = [{ type: 'NURSE' as const, documentDoctor: 'COREN/SP 98765' }];
    const response = await trySignUp(server, newcomer({ auth: { email, password }, profiles }));
    expect([response.status, response.body.profiles]).toMatchObject([201, [{ approvalStatus: 'ANALYSING' }]]);
    user = response.body;
    const activated = await activate(server, user.id, await codeFor(server, email));
    expect([activated.status, activated.body]).toEqual([200, user]);
  });

  it('signs in and stores the tokens in cookies', async () => {
    const response = successful(await trySignIn(server, email, PASSWORD, { 'app-name': 'web-client' }));
    signedIn = response.body;
    expect(signedIn).toMatchObject({ token: expect.any(String), authToken: expect.any(String), user });
    const { token, refreshToken } = signedIn;
    const stored = await browser.store(signedIn);
    expect([stored.status, stored.body]).toEqual([200, { token, refreshToken }]);
    expect(stored.headers.get('authorization')).toBe(`Bearer ${token}`);
    expect(browser.cookies).toEqual({ TOKEN: token, REFRESH_TOKEN: refreshToken, USER_ID: user.id });
  });

  it('reads the own user and institutions with the token, but no protocols before an approval', async () => {
    const authorization = bearerHeader(signedIn.token);
    expect((await server.get(`/admin-service/users/${user.id}`, authorization)).body).toEqual(user);
    expect(await statusOf('/institutions', signedIn.token)).toBe(200);
    const refused = await server.get('/protocols', authorization);
    expectProblem(refused, 403, 'not-allowed');
    expect(refused.body).toMatchObject({ allowed: ['approved'] });
    // Administration routes ignore cookies.
    const cookie = `TOKEN=${signedIn.token}`;
    expectProblem(await server.get(`/users/${user.id}`, { cookie }), 401, 'sign-in-required');
  });

  it('gets the role of an approved profile with the next renewal', async () => {
    await decide(server, administrator, user, 'approve');
    expect(await statusOf('/protocols', signedIn.token)).toBe(403);
    const renewed = successful(await browser.renew());
    const { token, refreshToken } = renewed.body;
    expect(claimsOf(token)).toMatchObject({ sub: user.id, roles: ['NURSE'], sid: claimsOf(signedIn.token)['sid'] });
    expect(browser.cookies).toEqual({ TOKEN: token, REFRESH_TOKEN: refreshToken, USER_ID: user.id });
    expect(await statusOf('/protocols', token)).toBe(200);
  });

  it('changes the phone with a code that the new phone gets, and lists its session', async () => {
    const token = browser.cookies['TOKEN'] ?? '';
    const { phone, number } = newPhone();
    successful(await changePhone(token, phone));
    const { body } = successful(await activate(server, user.id, await codeFor(server, number)));
    expect([body.dialingCode, body.phone]).toEqual(['55', phone]);
    const { items } = successful(await sessionsOf(server, token)).body;
    expect(items).toMatchObject([{ platform: 'WEB', appName: 'web-client', current: true }]);
  });

  it('signs out, which removes the cookies and ends the tokens', async () => {
    const { TOKEN: token = '', REFRESH_TOKEN: refreshToken = '' } = browser.cookies;
    const { status, headers } = await browser.signOut();
    expect([status, headers.get('location'), browser.cookies]).toEqual([301, '/', {}]);
    expectProblem(await refresh(server, refreshToken), 401, 'refresh-refused');
    await eventually(async () => {
      expectProblem(await server.get(`/users/${user.id}`, bearerHeader(token)), 401, 'token-refused');
    });
    const log = await server.recorded(`securityLog-${user.id}`);
    expect(log.map(({ type }) => type)).toEqual(['SignedIn', 'SignedOut']);
  });
});

describe('the messages to a user', () => {
  it.each([
    ['pt', /ativa o seu acesso/, /confirma o seu novo telefone/, /redefine a sua senha/],
    ['en', /activates your access/, /confirms your new phone/, /resets your password/],
  ])('are written in the language of the reader: %s', async (language, ofActivation, ofPhone, ofPassword) => {
    const headers = { 'Accept-Language': language === 'pt' ? 'pt-BR,pt;q=0.9,en;q=0.8' : 'en-GB,en;q=0.9' };
    const sent = newcomer();
    const { id } = successful(await trySignUp(server, sent, headers)).body;
    const activation = nth(await messagesTo(server, sent.auth.email), 0);
    await server.post('/auth-service/password/reset-code', { email: sent.auth.email }, headers);
    const both = await messagesTo(server, sent.auth.email, 2);
    const { phone, number } = newPhone();
    const { token } = await signIn(server, sent.auth.email);
    successful(await changePhone(token, phone, headers['Accept-Language']));
    const ofChange = nth(await messagesTo(server, number), 0);
    const ofReset = both.find((message) => message.id !== activation.id);
    expect([activation, ofChange, ofReset].map((message) => message?.text)).toEqual(
      [ofActivation, ofPhone, ofPassword].map((text) => expect.stringMatching(text)),
    );
    expect((await activate(server, id, codeIn(activation))).status).toBe(200);
  });
});

// The order of these tests matters, because each restart puts the clock further ahead.
describe('over time', () => {
  const [busy, idle] = [new Browser(server), new Browser(server)];
  let user: User & { email: string };
  let first: SignIn;
  let code: string;

  beforeAll(async () => {
    user = await signUp(server, { profiles: [{ type: 'NURSE' }] });
    first = await signIn(server, user.email);
    for (const browser of [busy, idle]) await browser.store(await signIn(server, user.email));
    code = await codeFor(server, user.email);
    await decide(server, administrator, user, 'approve');
    await server.restart(clockAhead(16 * MINUTE_MS));
  });

  const routes = allRoutes.filter(({ access }) => !['ignored', 'if-valid'].includes(access.who.token)).map(nameOf);
  it('after 16 minutes the access token is refused at every route that reads it', async () => {
    for (const route of routes) {
      const [method = '', path = ''] = route.split(' ');
      const filledPath = path.replace('{id}', user.id).replaceAll(/\{\w+\}/g, UNKNOWN_ID);
      expectProblem(
        await server.send(method, filledPath, { headers: bearerHeader(first.token) }),
        401,
        'token-refused',
      );
    }
    expectProblem(await new Browser(server).store(first), 401, 'tokens-refused');
  });

  it('after 16 minutes the refresh token still works and gives the current roles', async () => {
    expect(await statusOf('/institutions', busy.cookies['TOKEN'] ?? '')).toBe(401);
    const { token } = successful(await busy.renew()).body;
    const { iat, roles } = claimsOf(token);
    expect([Number(iat) * 1_000 > Date.now() + 15 * MINUTE_MS, roles]).toEqual([true, ['NURSE']]);
    expect(await statusOf('/protocols', token)).toBe(200);
  });

  it('after 16 minutes a code has expired, and the user can request and redeem a new one', async () => {
    expectProblem(await activate(server, user.id, code), 400, 'code-refused');
    const { expiresAt } = successful(await askForCode(server, user.id)).body;
    expect(Date.parse(expiresAt)).toBeGreaterThan(Date.now() + 25 * MINUTE_MS);
    const codes = (await messagesTo(server, user.email, 2)).map(codeIn);
    expect((await activate(server, user.id, codes.find((sent) => sent !== code) ?? code)).status).toBe(200);
  });

  it('after 8 days an unused session has ended, and a used session continues', async () => {
    await server.restart(clockAhead(6 * DAY_MS));
    successful(await busy.renew());
    await server.restart({ ...clockAhead(8 * DAY_MS), ACTIVATION: 'required' });
    expect(idle.cookies['USER_ID']).toBe(user.id);
    expectProblem(await idle.renew(), 401, 'tokens-refused');
    expect(idle.cookies).toEqual({});
    const { token } = successful(await busy.renew()).body;
    expect(await statusOf('/protocols', token)).toBe(200);
    expect(Object.keys(busy.cookies).toSorted()).toEqual(['REFRESH_TOKEN', 'TOKEN', 'USER_ID']);
    const again = await signIn(server, user.email);
    expect((await sessionsOf(server, again.token)).body.items).toHaveLength(2);
  });
});

// The last restart set the variable.
describe('with ACTIVATION=required', () => {
  it('a new user can sign in after redeeming a code, which the refusal helps to request', async () => {
    const { id, email } = await signUp(server);
    const refused = await trySignIn(server, email);
    expectProblem(refused, 403, 'activation-required');
    const { ownerRef } = refused.body as unknown as { ownerRef: string };
    expect(ownerRef).toBe(id);
    expectProblem(await trySignIn(server, email, 'another password'), 401, 'sign-in-refused');
    successful(await askForCode(server, ownerRef));
    successful(await activate(server, ownerRef, await codeFor(server, email)));
    const { token } = await signIn(server, email);
    expect(await statusOf(`/users/${id}`, token)).toBe(200);
  });
});
