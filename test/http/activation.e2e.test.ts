// Endpoints 25 and 26, and how users redeem codes.
import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { ClientResponse } from '../support/client.js';
import { nth } from '../support/items.js';
import { sharedService } from '../support/service-of-file.js';
import { expectNothingStored, expectProblem, expectRefused } from './support/refusals.js';
import { numbered, successful, UNKNOWN_ID } from './support/samples.js';
import { bearerHeader, signedInUser } from './support/signing-in.js';
import type { ActivationCode, PhoneChange } from './support/signing-up.js';
import { activate, askForCode, codeFor, messagesTo, newPhone, signUp, wrongCodeFor } from './support/signing-up.js';

const server = sharedService();
const LIFE_MS = 10 * 60_000;
const RESEND_MS = 60_000;
const typesOf = async (userId: string) => (await server.recorded(`user-${userId}`)).map(({ type }) => type);
const changePhone = (token: string, body: unknown) =>
  server.post<PhoneChange>('/auth-service/change-phone', body, bearerHeader(token));
const signUpWithCode = async () => {
  const user = await signUp(server);
  return { user, code: await codeFor(server, user.email) };
};

describe('POST /auth-service/activate', () => {
  it("activates the user with the user's code, once, and responds with the user", async () => {
    const { user, code } = await signUpWithCode();
    const { status, headers, body } = await activate(server, user.id.toUpperCase(), code);
    expect([status, body, headers.get('cache-control')]).toEqual([200, user, 'no-store']);
    expect((await server.get(`/users/${user.id}`)).headers.get('etag')).toBe(headers.get('etag'));
    expect(await typesOf(user.id)).toEqual(['UserRegistered', 'UserActivated']);
    const activated = nth(await server.recorded(`user-${user.id}`), 1);
    expect([activated.data, activated.metadata.actor]).toEqual([{}, { id: user.id, roles: [] }]);
    expectProblem(await expectNothingStored(server, () => activate(server, user.id, code)), 400, 'code-refused');
  });

  it('repeats the response to the same Idempotency-Key', async () => {
    const { user, code } = await signUpWithCode();
    const headers = { 'Idempotency-Key': randomUUID() };
    const [one, other] = [
      await activate(server, user.id, code, headers),
      await activate(server, user.id, code, headers),
    ];
    expect([one.status, other.status, other.body]).toEqual([200, 200, one.body]);
    expect(other.headers.get('idempotency-replayed')).toBe('true');
  });

  it('refuses the right code after five wrong codes, with the same response to each', async () => {
    const { user, code } = await signUpWithCode();
    const wrong = wrongCodeFor(code);
    const responses: ClientResponse[] = [];
    for (const sent of [wrong, wrong, wrong, `${wrong}00`, wrong, code])
      responses.push(await activate(server, user.id, sent));
    responses.push(await activate(server, UNKNOWN_ID, code));
    const problems = responses.map((response) => expectProblem(response, 400, 'code-refused'));
    expect(new Set(problems.map(({ instance: _, ...document }) => JSON.stringify(document))).size).toBe(1);
    expect(await typesOf(user.id)).toEqual(['UserRegistered']);
  });

  it.each<[string, (code: string) => string]>([
    ['a blank and a dash', (code) => ` ${code.slice(0, 3)}\u00A0- ${code.slice(3)}`],
    ['Arabic digits', (code) => code.replaceAll(/\d/g, (digit) => String.fromCodePoint(0x660 + Number(digit)))],
    ['an invisible character and a full stop', (code) => `\u200B${code}.`],
  ])('accepts a code with %s, also after any number of codes of another form', async (_, sent) => {
    const { user, code } = await signUpWithCode();
    for (const other of [`${code}x`, code.slice(1), `${code}0`, 'nonsense', ' ', `+${code}`])
      expectRefused(await activate(server, user.id, other), '/code invalid-format');
    expect((await activate(server, user.id, sent(code))).status).toBe(200);
  });

  it('accepts the code of the user after wrong codes from another address, but not from there', async () => {
    const { user, code } = await signUpWithCode();
    const elsewhere = { 'X-Forwarded-For': '198.18.254.1' };
    const tried = (sent: string) => server.post('/auth-service/activate', { ownerRef: user.id, code: sent }, elsewhere);
    for (const _ of numbered(5, (n) => n)) expectProblem(await tried(wrongCodeFor(code)), 400, 'code-refused');
    expectProblem(await tried(code), 400, 'code-refused');
    expect((await activate(server, user.id, code)).status).toBe(200);
  });

  it('refuses the code of a user who has since been disabled or erased', async () => {
    const [disabled, erased] = [await signUpWithCode(), await signUpWithCode()];
    successful(await server.put(`/users/${disabled.user.id}`, { enabled: false }));
    successful(await server.send('DELETE', `/users/${erased.user.id}/personal-data`));
    for (const { user, code } of [disabled, erased]) {
      expectProblem(await expectNothingStored(server, () => activate(server, user.id, code)), 400, 'code-refused');
    }
  });
});

describe('GET /auth-service/activation-code', () => {
  const expectCode = ({ status, headers, body }: ClientResponse<ActivationCode>, ownerRef: string, channel: string) => {
    expect([status, headers.get('cache-control')]).toEqual([200, 'no-store']);
    const { expiresAt, resendAfter, ...rest } = body;
    expect(rest).toEqual({ ownerRef, channel });
    expect(Date.parse(expiresAt) - Date.parse(resendAfter)).toBe(LIFE_MS - RESEND_MS);
    expect(new Date(expiresAt).toISOString()).toBe(expiresAt);
  };

  it('gives the same response for users who are unknown, erased, disabled or unreachable, and sends them nothing', async () => {
    const [erased, disabled, phoneless] = [
      await signUpWithCode(),
      await signUpWithCode(),
      (await signedInUser(server)).user,
    ];
    successful(await server.put(`/users/${disabled.user.id}`, { enabled: false }));
    successful(await server.send('DELETE', `/users/${erased.user.id}/personal-data`));
    const { user: known, email } = await signedInUser(server);
    for (const id of [UNKNOWN_ID, randomUUID(), erased.user.id, disabled.user.id, known.id]) {
      expectCode(await askForCode(server, id), id, 'EMAIL');
    }
    expectCode(await askForCode(server, phoneless.id, '&channel=SMS'), phoneless.id, 'SMS');
    await messagesTo(server, email);
    expect(server.outbox().filter(({ to }) => to === disabled.user.email)).toHaveLength(1);
  });

  it('sends the code by SMS to the phone of the user, in the language of the request', async () => {
    const { user, token } = await signedInUser(server);
    const { phone, number } = newPhone();
    successful(await server.put(`/users/${user.id}`, { phone, dialingCode: '+55' }, bearerHeader(token)));
    expectCode(await askForCode(server, user.id, '&channel=SMS', { 'Accept-Language': 'en' }), user.id, 'SMS');
    const [message] = await messagesTo(server, number);
    expect(message?.text).toContain('activates');
    expect((await activate(server, user.id, await codeFor(server, number))).status).toBe(200);
  });

  it('requires an id and a known channel', async () => {
    expectRefused(await server.get('/auth-service/activation-code'), 'ownerRef required');
    expectRefused(
      await askForCode(server, 'me', '&channel=PIGEON'),
      'ownerRef invalid-format',
      'channel invalid-value',
    );
  });
});

describe('POST /auth-service/change-phone', () => {
  it('sends a code to the new phone, which becomes the phone of the user when the code is redeemed', async () => {
    const { user, token } = await signedInUser(server);
    const { phone, number } = newPhone();
    const sent = { userId: user.id, dialingCode: '55', phone };
    const response = await expectNothingStored(server, () => changePhone(token, sent));
    expect([response.status, response.headers.get('cache-control')]).toEqual([200, 'no-store']);
    expect(response.body).toEqual({ userId: user.id, channel: 'SMS', expiresAt: expect.stringMatching(/Z$/) });
    const code = await codeFor(server, number);
    const { body } = successful(await activate(server, user.id, code));
    expect(body).toEqual({ ...user, dialingCode: '55', phone, updatedAt: body.updatedAt });
    expect((await server.get(`/users/${user.id}`)).body).toEqual(body);
    const changed = nth(await server.recorded(`user-${user.id}`), -1);
    expect([changed.type, changed.metadata.actor.id]).toEqual(['UserPhoneChanged', user.id]);
    expect((await server.get('/auth-service/sessions', bearerHeader(token))).status).toBe(200);
    // The event holds personal values only in sealed form.
    expect(changed.data).toMatchObject({ dialingCode: null, phone: null });
  });

  it('changes only the phone of the caller, who must be signed in', async () => {
    const { token } = await signedInUser(server);
    const { user: other } = await signedInUser(server);
    const { phone } = newPhone();
    const sent = { dialingCode: '55', phone };
    expectProblem(await server.post('/auth-service/change-phone', sent), 401, 'sign-in-required');
    expectProblem(await changePhone(`${token}x`, sent), 401, 'token-refused');
    expectProblem(await changePhone(token, { ...sent, userId: other.id }), 403, 'other-user');
  });

  it('refuses a phone that cannot exist', async () => {
    const { token } = await signedInUser(server);
    for (const phone of ['123', 'ask at the desk', '+351 912 345 678']) {
      expectRefused(await changePhone(token, { dialingCode: '55', phone }), '/phone impossible');
    }
  });
});
