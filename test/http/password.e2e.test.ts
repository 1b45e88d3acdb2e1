// Changing and resetting the password.
import { describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.js';
import { nth } from '../support/items.js';
import { sharedService } from '../support/service-of-file.js';
import { expectNothingStored, expectProblem, expectRefused } from './support/refusals.js';
import { newEmail, successful } from './support/samples.js';
import { bearerHeader, PASSWORD, refresh, signedInUser, signIn, trySignIn } from './support/signing-in.js';
import { codeFor, messagesTo } from './support/signing-up.js';

const server = sharedService();
const NEW = 'another horse, another staple';
const change = (token: string, newPassword: unknown = NEW, currentPassword: unknown = PASSWORD) =>
  server.put('/auth-service/password', { currentPassword, newPassword }, bearerHeader(token));
const askForReset = (email: string, headers: Record<string, string> = {}) =>
  server.post<object>('/auth-service/password/reset-code', { email }, headers);
const reset = (email: string, code: string, newPassword: unknown = NEW) =>
  server.post('/auth-service/password/reset', { email, code, newPassword });
const typesOf = async (userId: string) => (await server.recorded(`user-${userId}`)).map(({ type }) => type);
const lastOf = async (userId: string) => nth(await server.recorded(`user-${userId}`), -1);

/** Creates a signed-in user with a code that resets the password. */
const withResetCode = async () => {
  const user = await signedInUser(server);
  successful(await askForReset(user.email));
  return { ...user, code: await codeFor(server, user.email) };
};

const expectSessionEnded = async ({ token, refreshToken }: { token: string; refreshToken: string }) => {
  expectProblem(await refresh(server, refreshToken), 401, 'refresh-refused');
  await eventually(async () =>
    expectProblem(await server.get('/auth-service/sessions', bearerHeader(token)), 401, 'token-refused'),
  );
};

describe('PUT /auth-service/password', () => {
  it('changes the password, ends every session and records the change', async () => {
    const { user, email, ...first } = await signedInUser(server);
    const second = await signIn(server, email);
    const { status, headers, body } = await change(first.token);
    expect([status, body, headers.get('cache-control')]).toEqual([204, '', 'no-store']);
    expectProblem(await trySignIn(server, email), 401, 'sign-in-refused');
    expect((await trySignIn(server, email, NEW)).status).toBe(200);
    for (const session of [first, second]) await expectSessionEnded(session);
    const { type, data, metadata } = await lastOf(user.id);
    expect([type, data, metadata.actor.id]).toEqual(['UserPasswordChanged', { by: 'change' }, user.id]);
  });

  it.each(['Übergänge süß', 'ｗｉｄｅ ｌｅｔｔｅｒｓ', '각설탕 두 개요 가나다'])(
    'takes both passwords in any Unicode form, as sign-in, activation and reset do: %s',
    async (text) => {
      const [one, other] = [text.normalize('NFKC'), text.normalize('NFKD')];
      const { user, email, token } = await signedInUser(server);
      expect((await change(token, other)).status).toBe(204);
      const { token: next } = successful(await trySignIn(server, email, one)).body;
      expect((await change(next, PASSWORD, text)).status).toBe(204);
      successful(await askForReset(email));
      expect((await reset(email, await codeFor(server, email), other)).status).toBe(204);
      const { token: last } = successful(await trySignIn(server, email, text)).body;
      successful(await server.put(`/users/${user.id}`, { email: `new.${email}` }, bearerHeader(last)));
      const confirmed = { ownerRef: user.id, code: await codeFor(server, `new.${email}`), password: one };
      expect((await server.post('/auth-service/activate', confirmed)).status).toBe(200);
      expect((await trySignIn(server, `new.${email}`, other)).status).toBe(200);
    },
  );

  it('refuses a wrong current password and changes nothing', async () => {
    const { email, token } = await signedInUser(server);
    const response = await expectNothingStored(server, () => change(token, NEW, 'wrong'));
    expectProblem(response, 403, 'current-password-refused');
    expect((await server.get('/auth-service/sessions', bearerHeader(token))).status).toBe(200);
    expect((await trySignIn(server, email)).status).toBe(200);
  });

  it('slows down guesses, as a sign-in does', async () => {
    const { token } = await signedInUser(server);
    for (const _ of [1, 2, 3, 4, 5]) expectProblem(await change(token, NEW, 'x'), 403, 'current-password-refused');
    const refused = await eventually(async () => {
      const response = await change(token, NEW, 'x');
      expectProblem(response, 429, 'too-many-failures');
      return response;
    });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  });

  it('refuses a common password', async () => {
    const { email, token } = await signedInUser(server);
    for (const password of ['Password1', email.toUpperCase(), email.split('@')[0]]) {
      expectRefused(await change(token, password), '/newPassword common');
    }
    expect((await trySignIn(server, email)).status).toBe(200);
  });
});

describe('the reset of a password', () => {
  it('accepts a code that the service sends by e-mail, regardless of the case of the address', async () => {
    const { user, email, token, refreshToken } = await signedInUser(server);
    const asked = await askForReset(email.toUpperCase(), { 'Accept-Language': 'en' });
    expect([asked.status, asked.headers.get('cache-control')]).toEqual([200, 'no-store']);
    const [message] = await messagesTo(server, email);
    expect(message).toMatchObject({ channel: 'EMAIL', subject: 'Reset your password' });
    expect((await reset(email.toLowerCase(), await codeFor(server, email))).status).toBe(204);
    expectProblem(await trySignIn(server, email), 401, 'sign-in-refused');
    expect((await trySignIn(server, email, NEW)).status).toBe(200);
    await expectSessionEnded({ token, refreshToken });
    // The code also confirmed the e-mail.
    expect((await typesOf(user.id)).slice(-2)).toEqual(['UserPasswordChanged', 'UserActivated']);
    const [changed] = (await server.recorded(`user-${user.id}`)).slice(-2);
    expect([changed?.data, changed?.metadata.actor.id]).toEqual([{ by: 'reset' }, user.id]);
  });

  it('gives the same response if the e-mail is unknown or its user is disabled, and then sends nothing', async () => {
    const disabled = await signedInUser(server);
    successful(await server.put(`/users/${disabled.user.id}`, { enabled: false }));
    const { email } = await signedInUser(server);
    const responses = [];
    for (const each of [newEmail(), disabled.email, email, 'no address at all'])
      responses.push(await askForReset(each));
    for (const { status, body } of responses) {
      expect([status, body]).toEqual([
        200,
        { channel: 'EMAIL', expiresAt: expect.stringMatching(/Z$/), resendAfter: expect.stringMatching(/Z$/) },
      ]);
    }
    await messagesTo(server, email);
    await messagesTo(server, disabled.email, 0);
  });

  it('accepts a code with blanks, also after any number of codes of another form', async () => {
    const { email, code } = await withResetCode();
    for (const other of [code.slice(1), `${code}9`, 'nonsense', `${code.slice(0, 4)}/${code.slice(4)}`, '-'])
      expectRefused(await reset(email, other), '/code invalid-format');
    expect((await reset(email, `${code.slice(0, 4)} ${code.slice(4)}`)).status).toBe(204);
  });

  it('lets the user sign in immediately, no matter how many sign-ins failed before', async () => {
    const { email, code } = await withResetCode();
    for (const _ of [1, 2, 3, 4, 5, 6]) await trySignIn(server, email, 'wrong');
    expect((await reset(email, code)).status).toBe(204);
    expect((await trySignIn(server, email, NEW)).status).toBe(200);
  });

  it('is refused after the user is disabled or erased', async () => {
    const [disabled, erased] = [await withResetCode(), await withResetCode()];
    successful(await server.put(`/users/${disabled.user.id}`, { enabled: false }));
    successful(await server.send('DELETE', `/users/${erased.user.id}/personal-data`));
    for (const { email, code } of [disabled, erased]) {
      expectProblem(await expectNothingStored(server, () => reset(email, code)), 400, 'code-refused');
    }
  });

  it('refuses a common password, and the code stays valid', async () => {
    const { email, code } = await withResetCode();
    for (const password of ['Password1', email.toUpperCase(), email.split('@')[0]]) {
      expectRefused(await reset(email, code, password), '/newPassword common');
    }
    expect((await reset(email, code)).status).toBe(204);
  });
});
