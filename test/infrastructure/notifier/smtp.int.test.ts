import { describe, expect, it } from 'vitest';
import { NotSent } from '../../../src/infrastructure/notifier/notifier.js';
import { smtpNotifier } from '../../../src/infrastructure/notifier/smtp.js';
import { type Mail, mailServer, parsed } from '../../support/mail-server.js';
import { type Arrived, remoteNotifierSuite } from './notifier.suite.js';

const from = 'Protocolos Clínicos <no-reply@clinic.example>';
const never = new AbortController().signal;
const message = {
  id: 'one',
  person: 'ana',
  channel: 'EMAIL',
  to: 'ana@example.org',
  subject: 'Olá',
  text: 'código 123456',
} as const;

/** Returns a refusal whose text repeats what it refuses, as mail servers do. */
const refusal = (responseCode: number, text: string): Error => Object.assign(new Error(text), { responseCode });

remoteNotifierSuite('SMTP', async () => {
  let refused: 'permanently' | 'temporarily' | undefined;
  let isSilent = false;
  const { port, mails, close } = await mailServer({
    onConnect: (_, done) => {
      if (!isSilent) done();
    },
    onRcptTo: ({ address }, _, done) =>
      done(refused === 'permanently' ? refusal(550, `<${address}> is unknown`) : null),
    onData: (stream, { envelope }, done) => {
      const accept = async () => {
        const bytes = Buffer.concat(await stream.toArray()).toString();
        const mail = { to: envelope.rcptTo.map(({ address }) => address), ...parsed(bytes) };
        if (refused !== undefined) throw refusal(451, `not now: ${mail.to} ${mail.text.replaceAll('\n', ' ')}`);
        mails.push(mail);
      };
      accept().then(() => done(), done);
    },
  });
  const arrived = async (): Promise<readonly Arrived[]> => {
    const byId = new Map(mails.map((mail) => [idOf(mail), mail]));
    return [...byId].map(([id, { to, text }]) => ({ id, to: to.join(), text }));
  };
  return {
    ...{ notifier: smtpNotifier({ url: `smtp://127.0.0.1:${port}`, from }), arrived, close },
    refuse: (how: 'permanently' | 'temporarily') => {
      refused = how;
    },
    silence: () => {
      isSilent = true;
    },
  };
});

const idOf = ({ headers }: Mail): string => /^<(.*)@clinic\.example>$/.exec(headers['message-id'] ?? '')?.[1] ?? 'none';

describe('an e-mail', () => {
  it.each(['r&d', "!#$%&'*+/=?^_`{|}~-", '=?utf-8?q?b?=', 'host!user%other', "'quoted'"])(
    'reaches an address that begins with %s',
    async (local) => {
      const { port, mails } = await mailServer();
      const to = `${local}@example.org`;
      await smtpNotifier({ url: `smtp://127.0.0.1:${port}`, from }).send({ ...message, to }, never);
      expect(mails).toMatchObject([{ to: [to], headers: { to } }]);
    },
  );

  it('names its sender, is marked as generated, and is plain text', async () => {
    const { port, mails, users } = await mailServer({ authMethods: ['PLAIN'] });
    await smtpNotifier({ url: `smtp://ana%40clinic:p%3Ass@127.0.0.1:${port}`, from }).send(message, never);
    expect(users).toEqual(['ana@clinic p:ss']);
    const [{ headers } = { headers: {} as Mail['headers'] }] = mails;
    expect(headers).toMatchObject({
      'message-id': '<one@clinic.example>',
      'auto-submitted': 'auto-generated',
      to: 'ana@example.org',
      from: expect.stringContaining('<no-reply@clinic.example>'),
      'content-type': expect.stringContaining('text/plain'),
    });
  });

  it('goes to only one address, whatever the address contains', async () => {
    const { port, mails } = await mailServer();
    const notifier = smtpNotifier({ url: `smtp://127.0.0.1:${port}`, from });
    const hostile = [
      'ana@example.org, eva@example.org',
      'ana@example.org>\r\nBcc: eva@example.org',
      '"x" <eva@example.org>',
    ];
    for (const to of hostile) {
      const outcome = await notifier.send({ ...message, to }, never).then(
        () => 'sent',
        (error: unknown) => (error instanceof NotSent ? 'refused' : error),
      );
      expect(['sent', 'refused']).toContain(outcome);
    }
    for (const { to, headers } of mails) {
      expect(to).toHaveLength(1);
      expect(to).not.toEqual(['eva@example.org']);
      expect(headers['bcc']).toBeUndefined();
    }
  });
});

describe('the connection to a mail server', () => {
  const tries = [
    { server: 'without TLS', url: (port: number) => `smtp://127.0.0.1:${port}?tls=true`, outcome: 'refused' },
    { server: 'without TLS', url: (port: number) => `smtps://127.0.0.1:${port}`, outcome: 'refused' },
    { server: 'without TLS', url: (port: number) => `smtp://127.0.0.1:${port}?tls=false`, outcome: 'sent' },
    { server: 'without TLS', url: (port: number) => `smtp://localhost:${port}`, outcome: 'sent' },
    {
      server: 'with an untrusted certificate',
      url: (port: number) => `smtp://127.0.0.1:${port}?tls=true`,
      outcome: 'refused',
    },
  ] as const;
  it.each(tries)('uses verified TLS, or what the URL says: $server, $outcome', async ({ server, url, outcome }) => {
    const { port, mails, users } = await mailServer({
      hideSTARTTLS: server === 'without TLS',
      authMethods: ['PLAIN'],
    });
    const address = new URL(url(port));
    Object.assign(address, { username: 'ana', password: 'secret' });
    const sent = await smtpNotifier({ url: address.href, from })
      .send(message, never)
      .then(
        () => 'sent',
        (error: unknown) => (error instanceof NotSent ? 'refused' : error),
      );
    expect(sent).toBe(outcome);
    expect([mails.length, users.length]).toEqual(outcome === 'sent' ? [1, 1] : [0, 0]);
  });
});
