import { describe, expect, it, vi } from 'vitest';
import { AllRefused, NotSent } from '../../../src/infrastructure/notifier/notifier.js';
import { smtpNotifier } from '../../../src/infrastructure/notifier/smtp.js';
import { Final } from '../../../src/infrastructure/work/work.js';
import { type Mail, mailServer, parsed, type Reply, type Step, scriptedMailServer } from '../../support/mail-server.js';
import { type Arrived, remoteNotifierSuite } from './notifier.suite.js';

const from = { name: 'Protocolos Clínicos', address: 'no-reply@clinic.example' };
const never = new AbortController().signal;
const message = {
  id: 'one',
  person: 'ana',
  channel: 'EMAIL',
  to: 'ana@example.org',
  subject: 'Olá',
  text: 'código 123456',
  writtenAt: Date.UTC(2026, 10, 5, 12, 30),
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
        (error: unknown) => (error instanceof Final ? 'refused' : error),
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

describe('the sender of an e-mail', () => {
  it.each([
    ['Clinic: North; South', '"Clinic: North; South" <no-reply@clinic.example>'],
    ['North, South', '"North, South" <no-reply@clinic.example>'],
    ['Dr. "X" <y@z.example>', String.raw`"Dr. \"X\" <y@z.example>" <no-reply@clinic.example>`],
    ['Undisclosed:', '"Undisclosed:" <no-reply@clinic.example>'],
    ['', 'no-reply@clinic.example'],
  ])('is one mailbox, whatever its name: %s', async (name, expected) => {
    const { port, mails } = await mailServer();
    await smtpNotifier({ url: `smtp://127.0.0.1:${port}`, from: { ...from, name } }).send(message, never);
    expect(mails.map(({ headers }) => headers['from'])).toEqual([expected]);
  });
});

/** Sends a message to a server with these replies. Returns the failure, after it was checked for personal data. */
const failureWith = async (replies: Readonly<Partial<Record<Step, Reply>>>, more: object = {}): Promise<Error> => {
  const { port, reply } = await scriptedMailServer();
  reply(replies);
  const notifier = smtpNotifier({ url: `smtp://ana:secret@127.0.0.1:${port}`, from });
  const failure: unknown = await notifier.send({ ...message, ...more }, never).catch((error: unknown) => error);
  if (!(failure instanceof Error)) throw new Error('the message was accepted');
  expect(`${failure.message} ${failure.stack}`).not.toMatch(/ana|example|123456|secret/);
  return failure;
};

describe('a mail server that refuses', () => {
  const [again, final, all] = ['tried again', 'given up', 'every message is refused'];
  const verdictOf = (failure: Error) =>
    failure instanceof AllRefused
      ? all
      : failure instanceof NotSent
        ? again
        : failure instanceof Final
          ? final
          : failure;
  const codes = [421, 450, 451, 454, 499, 500, 503, 521, 530, 534, 535, 550, 552, 554, 599];
  const before = [...Array(8).fill(again), all, again, all, ...Array(4).fill(again)];
  const after = [...Array(5).fill(again), final, final, final, all, final, all, ...Array(4).fill(final)];

  it.each<[Step, readonly string[]]>([
    ['greeting', before],
    ['EHLO', before],
    ['AUTH', after],
    ['MAIL FROM', after],
    ['RCPT TO', after],
    ['DATA', after],
    ['end', after],
  ])('at %s decides by its code whether the message is sent again', async (step, verdicts) => {
    for (const [n, code] of codes.entries()) {
      const failure = await failureWith({ [step]: `${code}-5.1.1 <ana@example.org>\r\n${code} 123456` });
      expect([step, code, verdictOf(failure)]).toEqual([step, code, verdicts[n]]);
      expect(failure.message).toContain(`${code}`);
      expect(failure).not.toMatchObject({ ms: expect.anything() });
    }
  });

  it.each<[Step, string]>([
    ['MAIL FROM', '550 5.1.7 no'],
    ['RCPT TO', '550 5.1.1 no'],
    ['RCPT TO', '451 4.7.1 later'],
    ['MAIL FROM', '530 5.7.0 sign in'],
  ])('at %s with %s decides so if the client sends several commands at once', async (step, text) => {
    const EHLO = '250-PIPELINING\r\n250 AUTH PLAIN';
    const failure = await failureWith({ EHLO, [step]: text, DATA: '554 no valid recipients' });
    expect(verdictOf(failure)).toBe(text.startsWith('530') ? all : text.startsWith('4') ? again : final);
    expect(failure.message).toContain(text.slice(0, 3));
  });

  it.each<[Step, string]>([
    ['MAIL FROM', 'welcome'],
    ['RCPT TO', 'no'],
    ['DATA', 'go on'],
  ])('is asked again after an odd reply at %s: %j', async (step, reply) => {
    expect(verdictOf(await failureWith({ [step]: reply }))).toBe(again);
  });

  it('is not asked about an address that cannot be written in SMTP', async () => {
    for (const to of ['', '>', '<>']) expect(verdictOf(await failureWith({}, { to }))).toBe(final);
  });
});

describe('a mail server that closes the connection', () => {
  it.each<Step>(['greeting', 'EHLO', 'AUTH', 'MAIL FROM', 'RCPT TO', 'DATA'])(
    'at %s gets the message again after the usual pause',
    async (step) => {
      const failure = await failureWith({ [step]: { closing: '' } });
      expect(failure).toBeInstanceOf(NotSent);
      expect(failure).not.toMatchObject({ ms: expect.anything() });
    },
  );

  it.each(['', '2', '250 acc', '550 5.'])('after the message and %j gets it again after a minute', async (closing) => {
    const failure = await failureWith({ end: { closing } });
    expect(failure).toBeInstanceOf(NotSent);
    expect(failure).toMatchObject({ ms: closing.startsWith('5') ? undefined : 60_000 });
  });

  it.each([
    ['a short text', { text: 'The code is 123456.' }],
    ['a text in another script', { subject: 'Ваш код', text: 'Код 123456 🩺\n.\n..\n' }],
    ['a long text', { subject: 'Olá '.repeat(60), text: `${'código '.repeat(400)}\n`.repeat(20) }],
  ])('gets the same bytes each time: %s', async (_, more) => {
    const { port, messages, reply } = await scriptedMailServer();
    const url = `smtp://127.0.0.1:${port}`;
    vi.useFakeTimers({ toFake: ['Date'] });
    try {
      for (const step of [1, 2, 3]) {
        vi.setSystemTime(Date.UTC(2027, 1, step));
        reply({ end: step < 3 ? { closing: '' } : '250 accepted' });
        const sending = smtpNotifier({ url, from }).send({ ...message, ...more }, never);
        await (step < 3 ? expect(sending).rejects.toThrow(NotSent) : sending);
      }
    } finally {
      vi.useRealTimers();
    }
    expect(messages).toHaveLength(3);
    expect(new Set(messages).size).toBe(1);
    expect(parsed(`${messages[0]}\r\n`).headers['date']).toBe('Thu, 05 Nov 2026 12:30:00 +0000');
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
