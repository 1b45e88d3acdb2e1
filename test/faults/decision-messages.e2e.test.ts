// The messages about decisions on profiles if their process is killed, if the mail server is down and slow, and if the
// operator has turned them off.
import { beforeAll, describe, expect, it } from 'vitest';
import { createDoctor, first, successful } from '../http/support/samples.js';
import { mailServer } from '../support/mail-server.js';
import { embeddedServiceOfThisFile } from '../support/service-of-file.js';

const MINUTES_2 = 120_000;
const SLOW = 60_000;
const killed = embeddedServiceOfThisFile();
const mailed = embeddedServiceOfThisFile();
const off = embeddedServiceOfThisFile({ DECISION_MESSAGES: 'off' });
type Service = typeof killed;

const approved = async (server: Service): Promise<string> => {
  const { id, auth, profiles } = await createDoctor(server);
  successful(await server.patch(`/users/${id}/profiles/${first(profiles).id}/approve`, { reason: 'Checked.' }));
  return `${first(auth).email}`;
};
const lettersTo = (server: Service, email: string) =>
  server.outbox().filter(({ to, subject }) => to === email && subject.includes(' / '));

/** Waits until a condition holds, or two minutes and a while have passed. */
const waited = async (condition: () => boolean): Promise<void> => {
  const until = performance.now() + MINUTES_2 + SLOW;
  while (!condition() && performance.now() < until) await new Promise((resolve) => setTimeout(resolve, 250));
};

describe('a service that is killed right after a decision', () => {
  it(
    'sends the message once, two minutes after the decision',
    async () => {
      const email = await approved(killed);
      await killed.kill();
      await killed.start();
      expect(lettersTo(killed, email)).toEqual([]);
      await waited(() => lettersTo(killed, email).length > 0);
      expect(lettersTo(killed, email)).toHaveLength(1);
    },
    MINUTES_2 + 2 * SLOW,
  );
});

describe('a mail server that is down, and then slow', () => {
  it(
    'gets the message once it is back, and no decision waits for it',
    async () => {
      let isDown = true;
      const server = await mailServer({
        onMailFrom: (_, __, done) => {
          if (isDown) return done(new Error('the mail server is being maintained'));
          setTimeout(done, 3_000);
        },
      });
      const environment = { SMTP_URL: `smtp://127.0.0.1:${server.port}`, MAIL_FROM: 'no-reply@example.org' };
      await mailed.restart(environment);
      const begun = performance.now();
      const email = await approved(mailed);
      expect(performance.now() - begun).toBeLessThan(10_000);
      const failures = () => mailed.log.filter(({ msg }) => `${msg}`.includes('about a decision; will retry'));
      await waited(() => failures().length > 0);
      expect(failures()).not.toEqual([]);
      isDown = false;
      // The client of the mail server writes the domain of an address in small letters.
      const isTo = (address: string) => address.toLowerCase() === email.toLowerCase();
      const letters = () => server.mails.filter(({ to, text }) => to.some(isTo) && text.includes('Hello,'));
      await waited(() => letters().length > 0);
      expect(letters().map(({ text }) => text)).toEqual([
        expect.stringContaining('Seu perfil de medicina generalista'),
      ]);
    },
    MINUTES_2 + 3 * SLOW,
  );
});

describe('a service with DECISION_MESSAGES=off', () => {
  let email: string;
  beforeAll(async () => {
    email = await approved(off);
  });

  it(
    'stores no message, and sends none of a decision from before',
    async () => {
      const pending = await approved(killed);
      await killed.restart({ DECISION_MESSAGES: 'off' });
      const begun = performance.now();
      await waited(() => performance.now() - begun > MINUTES_2 + 5_000);
      expect(lettersTo(killed, pending)).toEqual([]);
      expect(lettersTo(off, email)).toEqual([]);
    },
    MINUTES_2 + 2 * SLOW,
  );
});
