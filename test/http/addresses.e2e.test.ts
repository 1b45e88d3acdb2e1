// E-mail addresses: the same ones are valid on every route, and no route takes one with characters that nobody sees.
import { describe, expect, it } from 'vitest';
import { sharedService } from '../support/service-of-file.js';
import { expectNothingStored, expectRefused } from './support/refusals.js';
import { createInstitution, type Institution, newEmail, type Page, successful, type User } from './support/samples.js';
import { PASSWORD, signedInUser, trySignIn } from './support/signing-in.js';
import { activate, codeFor, newcomer, signUp, trySignUp } from './support/signing-up.js';

const server = sharedService();
const found = async (email: string) => {
  const { body } = successful(await server.get<Page<User>>(`/users?email=${encodeURIComponent(email)}`));
  return body.items.map(({ id }) => id);
};

describe('an address that browsers accept', () => {
  it.each([
    ...[
      'clinica.xn--h2brj9c',
      'hospital.XN--FIQS8S',
      'xn--mgba3a4f.xn--mgbaam7a8h',
      'a.b.xn--vermgensberatung-pwb',
    ].map((domain) => newEmail().replace(/@.*/, () => `@${domain}`)),
    ...['r&d', '=?utf-8?q?a?=', "%2B{a}|'b'", '`#!$*/^~', '$&.$1'].map((local) => `${local}.${newEmail()}`),
  ])('signs up, signs in, is found and receives codes: %s', async (email) => {
    const { id } = await signUp(server, { auth: { email, password: PASSWORD, type: 'USERPASS' } });
    expect((await trySignIn(server, email)).body.user.id).toBe(id);
    expect(await found(email)).toEqual([id]);
    expect((await activate(server, id, await codeFor(server, email))).status).toBe(200);
    const institution = await createInstitution(server, { email });
    expect(institution.email).toBe(email);
    const { user } = await signedInUser(server);
    expect((await server.put<User>(`/users/${user.id}`, { email: `x${email}` })).body.email).toBe(`x${email}`);
  });
});

describe('an address with characters that nobody sees', () => {
  const spoilt: readonly (readonly [string, (email: string) => string])[] = [
    ['a tab', (email) => `${email}\t`],
    ['a line end', (email) => `\n${email}`],
    ['an ideographic space', (email) => `${email}\u3000`],
    ['a zero-width joiner', (email) => email.replace('@', '\u200d@')],
    ['a bidirectional isolate', (email) => `\u2068${email}\u2069`],
    ['a variation selector', (email) => `${email}\ufe0f`],
    ['a Hangul filler', (email) => `\u3164${email}`],
    ['a Braille blank', (email) => `${email}\u2800`],
    ['a tag', (email) => `${email}\u{e0061}`],
  ];

  it.each(spoilt)('is 400 on every route: %s', async (_, spoil) => {
    const { user, email } = await signedInUser(server);
    const sent = spoil(email);
    const refused = (at: string, send: () => ReturnType<typeof server.get>) =>
      expectNothingStored(server, send).then((response) => expectRefused(response, `${at} invalid-format`));
    await refused('/email', () => trySignIn(server, sent));
    await refused('/email', () => server.post('/auth-service/password/reset-code', { email: sent }));
    const reset = { email: sent, code: '123456', newPassword: `new ${PASSWORD}` };
    await refused('/email', () => server.post('/auth-service/password/reset', reset));
    const auth = { email: sent, password: PASSWORD, type: 'USERPASS' } as const;
    await refused('/auth/email', () => trySignUp(server, newcomer({ auth })));
    await refused('/email', () => server.put(`/users/${user.id}`, { email: sent }));
    await refused('email', () => server.get(`/users?email=${encodeURIComponent(sent)}`));
    await refused('/email', () => server.post<Institution>('/institutions', { name: 'A clinic', email: sent }));
  });

  it('is no other address: the one without them still signs in', async () => {
    const { email, user } = await signedInUser(server);
    expect((await trySignIn(server, email.toUpperCase())).body.user.id).toBe(user.id);
  });
});
