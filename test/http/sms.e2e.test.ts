// The SMS of a service that posts them to the webhook of the operator, and only to some countries.
import { expect, it, onTestFinished } from 'vitest';
import { endpoint, secret, signatureOf } from '../infrastructure/notifier/support/webhook-endpoint.js';
import { temporaryDirectory } from '../support/directory.js';
import { eventually } from '../support/eventually.js';
import { first } from '../support/items.js';
import { messagesIn } from '../support/outbox.js';
import { Server } from '../support/server.js';
import { expectRefused } from './support/refusals.js';
import { successful } from './support/samples.js';
import { bearerHeader, signedInUser } from './support/signing-in.js';
import { activate, newPhone, signUp } from './support/signing-up.js';

it('a code goes to the webhook, for the countries of SMS_CALLING_CODES alone', async () => {
  const { url, posts } = await endpoint();
  const environment = { SMS_WEBHOOK_URL: url, SMS_WEBHOOK_SECRET: secret, SMS_CALLING_CODES: '351, 55' };
  const server = new Server(temporaryDirectory(), environment);
  await server.start();
  onTestFinished(async () => void (await server.stop()));
  const { user, token } = await signedInUser(server);
  const changePhone = (dialingCode: string, phone: string) =>
    server.post('/auth-service/change-phone', { dialingCode, phone }, bearerHeader(token));
  for (const [code, phone] of [
    ['1', '212 555 0100'],
    ['881', '6 1234 5678'],
    ['34', '612 345 678'],
  ] as const) {
    expectRefused(await changePhone(code, phone), '/dialingCode not-allowed');
  }
  // Sign-up then sends the code by e-mail.
  const abroad = await signUp(server, { dialingCode: '1', phone: '212 555 0100', notificationProviderType: 'SMS' });
  await eventually(() => expect(messagesIn(server.directory).map(({ to }) => to)).toContain(abroad.email));
  const { phone, number } = newPhone();
  successful(await changePhone('55', phone));
  await eventually(() => expect(posts).toHaveLength(1));
  const post = first(posts);
  const { to, text } = JSON.parse(post.body) as { readonly to: string; readonly text: string };
  expect([to, post.headers['x-webhook-signature']]).toEqual([number, signatureOf(post)]);
  const [code = ''] = /\b\d{6}\b/.exec(text) ?? [];
  expect(successful(await activate(server, user.id, code)).body).toMatchObject({ dialingCode: '55', phone });
  expect(messagesIn(server.directory).filter(({ channel }) => channel === 'SMS')).toEqual([]);
});
