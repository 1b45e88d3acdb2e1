// The faults and dead letters of a service whose messages a mail server or a webhook refuses.
import { expect, it, onTestFinished } from 'vitest';
import { NOTIFICATION_QUEUE } from '../../src/auth/codes/deliveries.js';
import { successful } from '../http/support/samples.js';
import { askForCode, newPhone, signUp } from '../http/support/signing-up.js';
import { endpoint, secret } from '../infrastructure/notifier/support/webhook-endpoint.js';
import { MINUTE_MS, movableClock } from '../support/clock.js';
import { temporaryDirectory } from '../support/directory.js';
import { eventually } from '../support/eventually.js';
import { scriptedMailServer } from '../support/mail-server.js';
import { Server } from '../support/server.js';

interface Readiness {
  readonly status: string;
  readonly faults?: readonly { readonly code: string }[];
}

const setUp = async (more: Readonly<Record<string, string>> = {}) => {
  const clock = movableClock();
  const mail = await scriptedMailServer();
  const url = `smtp://user:secret@127.0.0.1:${mail.port}`;
  const environment = { ...clock.environment, SMTP_URL: url, MAIL_FROM: 'Clinic: North; South <no-reply@exämple.org>' };
  const server = new Server(temporaryDirectory(), { ...environment, ...more });
  onTestFinished(() => server.kill());
  await server.start();
  return {
    ...{ clock, mail, server },
    /** Returns the log lines about failed deliveries, without their ids and times. */
    failures: () =>
      server.log
        .filter(({ msg }) => /^(failed to send a message|a message cannot be sent)/.test(`${msg}`))
        .map(({ err, attempt, msg }) => ({ err, attempt, retries: `${msg}`.includes('will retry') })),
    readiness: async () => {
      const { body } = await server.get<Readiness>('/readyz');
      return [body.status, ...(body.faults ?? []).map(({ code }) => code)];
    },
    /** Returns the number of messages that were given up. */
    deadLetters: async () => {
      const { body } = await server.get<string>('/metrics');
      return new RegExp(`^queue_dead_letters\\{queue="${NOTIFICATION_QUEUE.name}"\\} (.*)$`, 'm').exec(body)?.[1];
    },
  };
};

it('a message that is refused permanently is a dead letter at once', async () => {
  const { mail, server, failures, readiness, deadLetters } = await setUp();
  mail.reply({ 'RCPT TO': '550 5.1.1 <ana@example.org> is unknown' });
  const { email } = await signUp(server);
  await eventually(async () => expect(await deadLetters()).toBe('1'));
  const message = 'the mail server refused the message with 550 at RCPT TO';
  expect(failures()).toEqual([{ err: { type: 'Final', message }, attempt: 1, retries: false }]);
  expect(JSON.stringify(server.log)).not.toMatch(new RegExp(`${email}|ana@example`));
  expect(await readiness()).toEqual(['ready']);
});

it('a mail server that refuses this service is a fault until it accepts', async () => {
  const { clock, mail, server, failures, readiness, deadLetters } = await setUp();
  mail.reply({ AUTH: '535 5.7.8 no' });
  await signUp(server);
  await eventually(async () => expect(await readiness()).toEqual(['degraded', 'mail-refused']));
  await eventually(() => expect(failures()).toMatchObject([{ attempt: 1, retries: true }]));
  mail.reply({});
  clock.pass(MINUTE_MS);
  await eventually(() => expect(mail.messages).toHaveLength(1));
  await eventually(async () => expect(await readiness()).toEqual(['ready']));
  expect(await deadLetters()).toBe('0');
});

it('a message without a response to its end is sent again a minute later, with the same bytes', async () => {
  const { clock, mail, server, failures } = await setUp();
  mail.reply({ end: { closing: '' } });
  await signUp(server);
  await eventually(() => expect(failures()).toMatchObject([{ attempt: 1, retries: true }]));
  mail.reply({});
  // Any other message would be due again.
  clock.pass(20_000);
  await signUp(server);
  await eventually(() => expect(mail.messages).toHaveLength(2));
  clock.pass(MINUTE_MS);
  await eventually(() => expect(mail.messages).toHaveLength(3));
  const [message, between, copy] = mail.messages;
  expect(copy).toBe(message);
  expect(between).not.toBe(message);
  expect(message).toMatch(/^From: "Clinic: North; South" <no-reply@xn--exmple-cua\.org>\r$/m);
  expect(message).toMatch(/^Message-ID: <[0-9a-f-]{36}@xn--exmple-cua\.org>\r$/m);
});

it('a webhook that refuses this service is a fault until it accepts', async () => {
  const { url, posts, respondWith } = await endpoint();
  respondWith((response) => response.writeHead(401).end());
  const { clock, server, readiness } = await setUp({ SMS_WEBHOOK_URL: url, SMS_WEBHOOK_SECRET: secret });
  const { phone, number } = newPhone();
  const { id } = await signUp(server, { dialingCode: '+55', phone });
  // A user gets one code a minute.
  clock.pass(MINUTE_MS);
  successful(await askForCode(server, id, '&channel=SMS'));
  await eventually(async () => expect(await readiness()).toEqual(['degraded', 'sms-refused']));
  respondWith((response) => response.writeHead(202).end());
  clock.pass(MINUTE_MS);
  await eventually(async () => expect(await readiness()).toEqual(['ready']));
  expect(posts.map(({ body }) => JSON.parse(body).to)).toEqual([number, number]);
  expect(JSON.stringify(server.log)).not.toContain(number);
});
