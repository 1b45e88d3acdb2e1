// Endpoints 25 and 26, and the redemption of codes.
import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { ClientResponse } from '../support/client.js';
import { sharedService } from '../support/service-of-file.js';
import { expectProblem, expectRefused, leavingAllAsItWas } from './refusals.js';
import { first, NOWHERE, nth, numbered, successful } from './samples.js';
import { bearing, signedInUser, signIn } from './signing-in.js';
import {
  type ActivationCode,
  activate,
  askForCode,
  codeFor,
  codeIn,
  messagesTo,
  newPhone,
  type PhoneChange,
  signUp,
  wrongFor,
} from './signing-up.js';

const server = sharedService();
const LIFE_MS = 10 * 60_000;
const RESEND_MS = 60_000;
const typesOf = async (userId: string) => (await server.recorded(`user-${userId}`)).map(({ type }) => type);
const changePhone = (token: string, body: unknown) =>
  server.post<PhoneChange>('/auth-service/change-phone', body, bearing(token));
const newcomerWithCode = async () => {
  const user = await signUp(server);
  return { user, code: await codeFor(server, user.email) };
};

describe('POST /auth-service/activate', () => {
  it('activates the user whose code it is, once, and answers the user', async () => {
    const { user, code } = await newcomerWithCode();
    const { status, headers, body } = await activate(server, user.id.toUpperCase(), code);
    expect([status, body, headers.get('cache-control')]).toEqual([200, user, 'no-store']);
    expect((await server.get(`/users/${user.id}`)).headers.get('etag')).toBe(headers.get('etag'));
    expect(await typesOf(user.id)).toEqual(['UserRegistered', 'UserActivated']);
    const activated = nth(await server.recorded(`user-${user.id}`), 1);
    expect([activated.data, activated.metadata.actor]).toEqual([{}, { id: user.id, roles: [] }]);
    expectProblem(await leavingAllAsItWas(server, () => activate(server, user.id, code)), 400, 'code-refused');
  });

  it('answers the same again to the same Idempotency-Key', async () => {
    const { user, code } = await newcomerWithCode();
    const headers = { 'Idempotency-Key': randomUUID() };
    const [one, other] = [
      await activate(server, user.id, code, headers),
      await activate(server, user.id, code, headers),
    ];
    expect([one.status, other.status, other.body]).toEqual([200, 200, one.body]);
    expect(other.headers.get('idempotency-replayed')).toBe('true');
  });

  it('is done by one of many at once', async () => {
    const { user, code } = await newcomerWithCode();
    const answers = await Promise.all(numbered(4, () => activate(server, user.id, code)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 400, 400, 400]);
    expect(await typesOf(user.id)).toEqual(['UserRegistered', 'UserActivated']);
  });

  it('refuses the right code after five wrong codes, with the same response to each', async () => {
    const { user, code } = await newcomerWithCode();
    const wrong = wrongFor(code);
    const answers: ClientResponse[] = [];
    for (const sent of [wrong, wrong, wrong, 'nonsense', wrong, code])
      answers.push(await activate(server, user.id, sent));
    answers.push(await activate(server, NOWHERE, code));
    const said = answers.map((answer) => expectProblem(answer, 400, 'code-refused'));
    expect(new Set(said.map(({ instance: _, ...document }) => JSON.stringify(document))).size).toBe(1);
    expect(await typesOf(user.id)).toEqual(['UserRegistered']);
  });

  it('takes the code of another for none of this user', async () => {
    const [one, other] = [await newcomerWithCode(), await newcomerWithCode()];
    if (one.code === other.code) return;
    expectProblem(await activate(server, one.user.id, other.code), 400, 'code-refused');
    expect((await activate(server, other.user.id, other.code)).status).toBe(200);
  });

  it('refuses the code of who was disabled or erased since', async () => {
    const [disabled, erased] = [await newcomerWithCode(), await newcomerWithCode()];
    successful(await server.put(`/users/${disabled.user.id}`, { enabled: false }));
    successful(await server.send('DELETE', `/users/${erased.user.id}/personal-data`));
    for (const { user, code } of [disabled, erased]) {
      expectProblem(await leavingAllAsItWas(server, () => activate(server, user.id, code)), 400, 'code-refused');
    }
  });

  it('names every field at fault', async () => {
    expectRefused(
      await server.post('/auth-service/activate', { ownerRef: 'me', code: 123456 }),
      '/ownerRef invalid-format',
      '/code invalid-type',
    );
    expectRefused(await server.post('/auth-service/activate', { code: '' }), '/ownerRef required', '/code too-small');
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

  it('answers the same for who is unknown, erased, disabled, or not reached, and sends those nothing', async () => {
    const [erased, disabled, phoneless] = [
      await newcomerWithCode(),
      await newcomerWithCode(),
      (await signedInUser(server)).user,
    ];
    successful(await server.put(`/users/${disabled.user.id}`, { enabled: false }));
    successful(await server.send('DELETE', `/users/${erased.user.id}/personal-data`));
    const { user: known, email } = await signedInUser(server);
    for (const id of [NOWHERE, randomUUID(), erased.user.id, disabled.user.id, known.id]) {
      expectCode(await askForCode(server, id), id, 'EMAIL');
    }
    expectCode(await askForCode(server, phoneless.id, '&channel=SMS'), phoneless.id, 'SMS');
    await messagesTo(server, email);
    expect(server.outbox().filter(({ to }) => to === disabled.user.email)).toHaveLength(1);
  });

  it('sends another one once a minute at most, whatever is asked', async () => {
    const { phone, number } = newPhone();
    const { id, email } = await signUp(server, { phone, dialingCode: '55' });
    const { id: other } = await signUp(server, { phone, dialingCode: '55', notificationProviderType: 'SMS' });
    await messagesTo(server, email);
    const [first, second] = [await askForCode(server, id), await askForCode(server, id)];
    expect([second.status, second.body]).toEqual([200, first.body]);
    await messagesTo(server, number);
    expectCode(await askForCode(server, other, '&channel=SMS'), other, 'SMS');
    await messagesTo(server, number);
    await messagesTo(server, email);
  });

  it('goes by SMS to the phone of the user, whatever the language of its digits', async () => {
    const { user, token } = await signedInUser(server);
    const { phone, number } = newPhone();
    successful(await server.put(`/users/${user.id}`, { phone, dialingCode: '+55' }, bearing(token)));
    expectCode(await askForCode(server, user.id, '&channel=SMS', { 'Accept-Language': 'en' }), user.id, 'SMS');
    const [message] = await messagesTo(server, number);
    expect(message?.text).toContain('activates');
    expect((await activate(server, user.id, await codeFor(server, number))).status).toBe(200);
  });

  it('needs an id, and a channel that there is', async () => {
    expectRefused(await server.get('/auth-service/activation-code'), 'ownerRef required');
    expectRefused(
      await askForCode(server, 'me', '&channel=PIGEON'),
      'ownerRef invalid-format',
      'channel invalid-value',
    );
  });
});

describe('POST /auth-service/change-phone', () => {
  it('sends a code to the new phone, which belongs to the user once the code is redeemed', async () => {
    const { user, token } = await signedInUser(server);
    const { phone, number } = newPhone();
    const sent = { userId: user.id, dialingCode: '55', phone };
    const answer = await leavingAllAsItWas(server, () => changePhone(token, sent));
    expect([answer.status, answer.headers.get('cache-control')]).toEqual([200, 'no-store']);
    expect(answer.body).toEqual({ userId: user.id, channel: 'SMS', expiresAt: expect.stringMatching(/Z$/) });
    const code = await codeFor(server, number);
    const { body } = successful(await activate(server, user.id, code));
    expect(body).toEqual({ ...user, dialingCode: '55', phone, updatedAt: body.updatedAt });
    expect((await server.get(`/users/${user.id}`)).body).toEqual(body);
    const changed = nth(await server.recorded(`user-${user.id}`), -1);
    expect([changed.type, changed.metadata.actor.id]).toEqual(['UserPhoneChanged', user.id]);
    // The session goes on, and the facts hold no phone.
    expect((await server.get('/auth-service/sessions', bearing(token))).status).toBe(200);
    expect(changed.data).toMatchObject({ dialingCode: null, phone: null });
  });

  it('sends another code at once where the phone was mistyped, and the first one is void', async () => {
    const { user, token } = await signedInUser(server);
    const [mistyped, meant] = [newPhone(), newPhone()];
    successful(await changePhone(token, { dialingCode: '55', phone: mistyped.phone }));
    const old = await codeFor(server, mistyped.number);
    successful(await changePhone(token, { dialingCode: '55', phone: meant.phone }));
    const code = codeIn(first(await messagesTo(server, meant.number)));
    if (old !== code) expectProblem(await activate(server, user.id, old), 400, 'code-refused');
    expect(successful(await activate(server, user.id, code)).body.phone).toBe(meant.phone);
  });

  it('is for who is signed in, and for nobody else', async () => {
    const { token } = await signedInUser(server);
    const { user: other } = await signedInUser(server);
    const { phone } = newPhone();
    const sent = { dialingCode: '55', phone };
    expectProblem(await server.post('/auth-service/change-phone', sent), 401, 'sign-in-required');
    expectProblem(await changePhone(`${token}x`, sent), 401, 'token-refused');
    expectProblem(await changePhone(token, { ...sent, userId: other.id }), 403, 'other-user');
  });

  it('takes a phone that can exist', async () => {
    const { token } = await signedInUser(server);
    for (const phone of ['123', 'ask at the desk', '+351 912 345 678']) {
      expectRefused(await changePhone(token, { dialingCode: '55', phone }), '/phone impossible');
    }
    expectRefused(await changePhone(token, { dialingCode: 'BR' }), '/dialingCode invalid-format', '/phone required');
    expectRefused(
      await changePhone(token, { dialingCode: null, phone: null }),
      ...['/dialingCode', '/phone'].map((at) => `${at} invalid-type`),
    );
    expectRefused(await changePhone(token, { dialingCode: '55', phone: ' ' }), '/phone blank');
  });

  it('lets a new phone be changed again, by a sign-up that had none', async () => {
    const user = await signUp(server);
    const { token } = await signIn(server, user.email);
    const { phone, number } = newPhone();
    successful(await changePhone(token, { dialingCode: '55', phone }));
    await activate(server, user.id, await codeFor(server, user.email));
    expect(successful(await activate(server, user.id, await codeFor(server, number))).body.phone).toBe(phone);
    expect(await typesOf(user.id)).toEqual(['UserRegistered', 'UserActivated', 'UserPhoneChanged']);
  });
});
