// The messages about decisions on profiles if their process is killed, if the mail server is down and slow, and if the
// operator has turned them off.
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Database } from '../../src/infrastructure/sqlite/driver.js';
import { MINUTES_2 } from '../http/support/decision-messages.js';
import { createDoctor, successful } from '../http/support/samples.js';
import { MINUTE_MS, type MovableClock, movableClock } from '../support/clock.js';
import { temporaryDirectory } from '../support/directory.js';
import { eventually } from '../support/eventually.js';
import { first } from '../support/items.js';
import { mailServer } from '../support/mail-server.js';
import { recordedIn } from '../support/recorded.js';
import { Server } from '../support/server.js';

type Mails = Awaited<ReturnType<typeof mailServer>>;

/** Returns the environment of a service with a clock and a mail server. */
const mailing = (clock: MovableClock, { port }: Mails): Readonly<Record<string, string>> => ({
  ...clock.environment,
  ...{ SMTP_URL: `smtp://127.0.0.1:${port}`, MAIL_FROM: 'no-reply@example.org' },
});

/** Starts a service that ends with the test. */
const started = async (environment: Readonly<Record<string, string>>, form?: 'modules'): Promise<Server> => {
  const server = new Server(temporaryDirectory(), environment, [], form);
  onTestFinished(() => server.kill());
  await server.start();
  return server;
};

/** A doctor whose profile awaits a decision. */
const newDoctor = async (server: Server) => {
  const { id, auth, profiles } = await createDoctor(server);
  return { id, email: `${first(auth).email}`, approval: `/users/${id}/profiles/${first(profiles).id}/approve` };
};
type Doctor = Awaited<ReturnType<typeof newDoctor>>;

const approved = async (server: Server): Promise<Doctor> => {
  const doctor = await newDoctor(server);
  successful(await server.patch(doctor.approval, { reason: 'Checked.' }));
  return doctor;
};

/** Returns the messages about decisions that a doctor got. Only they have both languages. */
const mailsTo = ({ mails }: Mails, { email }: Doctor) =>
  mails.filter(
    // The client of the mail server writes the domain of an address in small letters.
    ({ to, text }) => to.some((each) => each.toLowerCase() === email.toLowerCase()) && text.includes('Hello,'),
  );

interface Outcome {
  /** Absent if it is a matter of time: the relay may store the job before the decision is recorded. */
  readonly isRecorded?: boolean;
  /** How often the message about a recorded decision is sent. */
  readonly times: number;
}

/** The points at which a service is killed. */
const points: readonly (readonly [string, Outcome])[] = [
  ['before the message is stored', { isRecorded: false, times: 0 }],
  ['after the message is stored', { isRecorded: false, times: 0 }],
  ['after the decision is recorded', { isRecorded: true, times: 1 }],
  ['before the job is stored', { times: 1 }],
  ['after the job is stored', { times: 1 }],
  ['before the message is sent', { isRecorded: true, times: 1 }],
  // The worker could not record that it had sent the message. The receiver recognizes the repetition by its Message-ID.
  ['after the message is sent', { isRecorded: true, times: 2 }],
];

describe('a service that is killed', () => {
  it.each(points)('%s sends one message if the decision is recorded', async (point, { isRecorded, times }) => {
    const clock = movableClock();
    const server = await mailServer();
    const environment = mailing(clock, server);
    const options = `${environment['NODE_OPTIONS']} --import=${new URL('support/dies-at.mjs', import.meta.url).href}`;
    const service = await started({ ...environment, NODE_OPTIONS: options, DIES_AT: point }, 'modules');
    const doctor = await newDoctor(service);
    // The service may be killed before it responds.
    await service.patch(doctor.approval, { reason: 'Checked.' }).catch(() => undefined);
    clock.pass(MINUTES_2);
    await eventually(() => expect(service.get('/readyz')).rejects.toThrow());

    await service.restart({ DIES_AT: '' });
    const types = recordedIn(service.directory, `user-${doctor.id}`).map(({ type }) => type);
    const recorded = types.includes('UserProfileApproved');
    expect(recorded).toBe(isRecorded ?? recorded);
    // The queue sends the message about a later decision last.
    const last = await approved(service);
    clock.pass(MINUTES_2);
    await eventually(() => expect(mailsTo(server, last)).toHaveLength(1));
    const mails = mailsTo(server, doctor);
    expect(mails).toHaveLength(recorded ? times : 0);
    expect(new Set(mails.map(({ headers }) => headers['message-id'])).size).toBe(Number(recorded));
  });
});

describe('a mail server that is down, and then slow', () => {
  it('gets the message once it is back, and no decision waits for it', async () => {
    let isDown = true;
    const server = await mailServer({
      onMailFrom: (_, __, done) => {
        if (isDown) return done(Object.assign(new Error('being maintained'), { responseCode: 451 }));
        setTimeout(done, 3_000);
      },
    });
    const clock = movableClock();
    const service = await started(mailing(clock, server));
    const begun = performance.now();
    const doctor = await approved(service);
    expect(performance.now() - begun).toBeLessThan(10_000);
    const failures = () => service.log.filter(({ msg }) => `${msg}`.includes('about a decision; will retry'));
    expect(failures()).toEqual([]);
    clock.pass(MINUTES_2);
    await eventually(() => expect(failures()).not.toEqual([]));
    isDown = false;
    // A retry is due after a few seconds.
    clock.pass(MINUTE_MS);
    const texts = () => mailsTo(server, doctor).map(({ text }) => text);
    await eventually(() => expect(texts()).toEqual([expect.stringContaining('Seu perfil de medicina generalista')]));
  });
});

const counts = {
  'vault.sqlite': "SELECT count(*) FROM records WHERE kind = 'decision-message'",
  'work.sqlite': "SELECT count(*) FROM jobs WHERE queue = 'decision-messages'",
};

/** Returns the number of messages about decisions that wait, in the vault or in their queue. */
const planned = ({ directory }: Server): number =>
  Object.entries(counts).reduce((sum, [file, sql]) => {
    const db = new Database(join(directory, file), { readOnly: true });
    const count = db.prepareValue<[], number>(sql).get() ?? 0;
    db.close();
    return sum + count;
  }, 0);

describe('a service with DECISION_MESSAGES=off', () => {
  it('stores no message, and sends none of a decision from before', async () => {
    const clock = movableClock();
    const server = await mailServer();
    const service = await started(mailing(clock, server));
    const doctor = await approved(service);
    await eventually(() => expect(planned(service)).toBe(1));
    await service.restart({ DECISION_MESSAGES: 'off' });
    const later = await approved(service);
    expect(planned(service)).toBe(1);
    clock.pass(MINUTES_2);
    await eventually(() => expect(planned(service)).toBe(0));
    await service.restart({ DECISION_MESSAGES: 'on' });
    const last = await approved(service);
    clock.pass(MINUTES_2);
    await eventually(() => expect(mailsTo(server, last)).toHaveLength(1));
    expect([doctor, later].flatMap((each) => mailsTo(server, each))).toEqual([]);
  });
});
