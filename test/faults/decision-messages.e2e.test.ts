// The messages about decisions on profiles if their process is killed, if the mail server is down and slow, and if the
// operator has turned them off.
import { beforeAll, describe, expect, it } from 'vitest';
import { afterCorrections, MINUTES_2, messagesTo, SLOW } from '../http/support/decision-messages.js';
import { createDoctor, first, successful } from '../http/support/samples.js';
import { mailServer } from '../support/mail-server.js';
import { embeddedServiceOfThisFile } from '../support/service-of-file.js';

const killed = embeddedServiceOfThisFile();
const mailed = embeddedServiceOfThisFile();
const sending = embeddedServiceOfThisFile();
const off = embeddedServiceOfThisFile({ DECISION_MESSAGES: 'off' });
type Service = typeof killed;

const approved = async (server: Service): Promise<string> => {
  const { id, auth, profiles } = await createDoctor(server);
  successful(await server.patch(`/users/${id}/profiles/${first(profiles).id}/approve`, { reason: 'Checked.' }));
  return `${first(auth).email}`;
};
describe('a service that is killed right after a decision', () => {
  it(
    'sends the message once, two minutes after the decision',
    async () => {
      const email = await approved(killed);
      await killed.kill();
      await killed.start();
      expect(messagesTo(killed, email)).toEqual([]);
      await afterCorrections(() => expect(messagesTo(killed, email)).toHaveLength(1));
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
      await afterCorrections(() => expect(failures()).not.toEqual([]));
      isDown = false;
      // The client of the mail server writes the domain of an address in small letters.
      const isTo = (address: string) => address.toLowerCase() === email.toLowerCase();
      const texts = () =>
        server.mails.filter(({ to, text }) => to.some(isTo) && text.includes('Hello,')).map(({ text }) => text);
      await afterCorrections(() =>
        expect(texts()).toEqual([expect.stringContaining('Seu perfil de medicina generalista')]),
      );
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
      // A later message of a service that sends messages shows that the two minutes are over.
      const last = await approved(sending);
      await afterCorrections(() => expect(messagesTo(sending, last)).toHaveLength(1));
      expect(messagesTo(killed, pending)).toEqual([]);
      expect(messagesTo(off, email)).toEqual([]);
    },
    MINUTES_2 + 2 * SLOW,
  );
});
