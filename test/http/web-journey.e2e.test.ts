// What a web client meets over time, and the messages to its user. test/workshop runs docs/web-client.md. The tests put
// the clock of the service ahead.
import { beforeAll, describe, expect, it } from 'vitest';
import { allRoutes, nameOf } from '../../scripts/routes-doc.js';
import { clockAhead, DAY_MS, MINUTE_MS } from '../support/clock.js';
import { serverOfThisFile } from '../support/service-of-file.js';
import { Browser } from './browser.js';
import { type Caller, decide, newAdministrator } from './callers.js';
import { expectProblem } from './refusals.js';
import { nth, successful, UNKNOWN_ID, type User } from './samples.js';
import { bearerHeader, claimsOf, type SignIn, sessionsOf, signIn } from './signing-in.js';
import type { PhoneChange } from './signing-up.js';
import {
  activate,
  askForCode,
  codeFor,
  codeIn,
  messagesTo,
  newcomer,
  newPhone,
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
    await server.restart(clockAhead(8 * DAY_MS));
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
