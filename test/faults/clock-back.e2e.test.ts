// A service whose clock is set back while it runs: nobody is locked out, and messages are sent.
import { setTimeout as pause } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { newUser, trySignIn } from '../http/support/signing-in.js';
import { DAY_MS, MINUTE_MS, movableClock } from '../support/clock.js';
import { temporaryDirectory } from '../support/directory.js';
import { eventually } from '../support/eventually.js';
import { mailServer } from '../support/mail-server.js';
import { Server } from '../support/server.js';

interface IssuedCode {
  readonly resendAfter: string;
}

it.each([
  ['ten minutes', 10 * MINUTE_MS],
  ['an hour', 60 * MINUTE_MS],
  ['400 days', 400 * DAY_MS],
])('lets the right password in and sends mail after a step of %s', async (_, ms) => {
  let isRefusing = true;
  const { port, mails } = await mailServer({
    onMailFrom: (_address, _session, done) =>
      done(isRefusing ? Object.assign(new Error('not now'), { responseCode: 451 }) : undefined),
  });
  const directory = temporaryDirectory();
  const clock = movableClock();
  clock.pass(ms);
  const mailing = { SMTP_URL: `smtp://127.0.0.1:${port}`, MAIL_FROM: 'no-reply@example.org' };
  const server = new Server(directory, { ...clock.environment, ...mailing });
  await server.start();
  onTestFinished(() => server.stop().then(() => undefined));
  const { user, email } = await newUser(server);
  for (let n = 0; n < 6; n += 1) await trySignIn(server, email, 'a wrong password');
  const path = `/auth-service/activation-code?ownerRef=${user.id}`;
  expect((await server.get(path)).status).toBe(200);
  await eventually(() =>
    expect(server.log.some(({ msg }) => `${msg}`.startsWith('failed to send a message'))).toBe(true),
  );

  clock.pass(-ms);
  isRefusing = false;
  const refused = await trySignIn(server, email);
  expect([200, 429]).toContain(refused.status);
  await pause(Number(refused.headers.get('retry-after') ?? 0) * 1_000);
  expect((await trySignIn(server, email)).status).toBe(200);
  const { body } = await server.get<IssuedCode>(path);
  expect(Date.parse(body.resendAfter) - Date.now()).toBeLessThanOrEqual(MINUTE_MS);
  await eventually(() => expect(mails.length).toBeGreaterThan(0));
});
