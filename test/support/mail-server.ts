// An SMTP server for tests that send e-mail.
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { onTestFinished } from 'vitest';

/** An e-mail that the server accepted. */
export interface Mail {
  readonly to: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/**
 * Starts a server that keeps all e-mails. It stops at the end of the test and has no TLS unless `options` enable it.
 */
export const mailServer = async (options: Partial<SMTPServerOptions> = {}) => {
  const mails: Mail[] = [];
  const users: string[] = [];
  const server = new SMTPServer({
    ...{ authOptional: true, hideSTARTTLS: true, closeTimeout: 1, logger: false },
    onAuth: ({ username = '', password }, _, done) => {
      users.push(`${username} ${password}`);
      done(null, { user: username });
    },
    onData: (stream, { envelope }, done) => {
      const accept = async () => {
        const bytes = Buffer.concat(await stream.toArray()).toString();
        mails.push({ to: envelope.rcptTo.map(({ address }) => address), ...parsed(bytes) });
      };
      accept().then(() => done(), done);
    },
    ...options,
  });
  // A client that does not trust the certificate hangs up.
  server.on('error', () => {});
  const listening = server.listen(0, '127.0.0.1');
  await once(listening, 'listening');
  let closing: Promise<void> | undefined;
  const close = () => {
    closing ??= new Promise((resolve) => server.close(resolve));
    return closing;
  };
  onTestFinished(close);
  return { port: (listening.address() as AddressInfo).port, mails, users, close };
};

/** The steps of a delivery. The server ends each of them with a reply. `end` is the end of the message. */
export type Step = 'greeting' | 'EHLO' | 'AUTH' | 'MAIL FROM' | 'RCPT TO' | 'DATA' | 'end';

/** What the server does instead of its usual reply: it sends a text, or closes the connection after a text. */
export type Reply = string | { readonly closing: string };

const USUAL: Readonly<Record<Step, string>> = {
  greeting: '220 ready',
  EHLO: '250 AUTH PLAIN',
  AUTH: '235 welcome',
  'MAIL FROM': '250 fine',
  'RCPT TO': '250 fine',
  DATA: '354 go on',
  end: '250 accepted',
};

/** Serves one connection. `reply` returns undefined for the usual reply. `take` gets the bytes of each message. */
const converse = (socket: Socket, reply: (step: Step) => Reply | undefined, take: (bytes: string) => void): void => {
  let message: string[] | undefined;
  const end = (step: Step) => {
    const text = reply(step) ?? USUAL[step];
    if (typeof text === 'string') socket.write(`${text}\r\n`);
    else socket.end(text.closing);
    return text;
  };
  const stepOf = (line: string): Step =>
    line.startsWith('HELO') ? 'EHLO' : (steps.find((step) => line.startsWith(step)) ?? 'EHLO');
  const onLine = (line: string) => {
    if (message === undefined) {
      const step = stepOf(line);
      if (`${end(step)}`.startsWith('354')) message = [];
    } else if (line === '.') {
      take(message.join('\r\n'));
      message = undefined;
      end('end');
    } else message.push(line);
  };
  end('greeting');
  const lines = createInterface({ input: socket, crlfDelay: Number.POSITIVE_INFINITY });
  // A client may close its connection at any time.
  for (const each of [socket, lines]) each.on('error', () => {});
  lines.on('line', onLine);
};

const steps = Object.keys(USUAL) as Step[];

/** Starts a server that replies to each step of a delivery as the test says. It keeps the bytes of all messages. */
export const scriptedMailServer = async () => {
  const messages: string[] = [];
  let reply: (step: Step) => Reply | undefined = () => undefined;
  const server = createServer((socket) =>
    converse(
      socket,
      (step) => reply(step),
      (bytes) => messages.push(bytes),
    ),
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return {
    ...{ port: (server.address() as AddressInfo).port, messages },
    /** Sets the replies from now on. */
    reply: (next: Readonly<Partial<Record<Step, Reply>>>) => {
      reply = (step) => next[step];
    },
  };
};

/** Splits a message into headers and text. */
export const parsed = (bytes: string): Omit<Mail, 'to'> => {
  const end = bytes.indexOf('\r\n\r\n');
  const lines = bytes
    .slice(0, end)
    .replaceAll(/\r\n[ \t]+/g, ' ')
    .split('\r\n');
  const headers = Object.fromEntries(
    lines.map((line) => [line.split(':')[0]?.toLowerCase(), line.replace(/^[^:]*: */, '')]),
  );
  return {
    headers,
    text: decoded(bytes.slice(end + 4), headers['content-transfer-encoding'] ?? '').replaceAll('\r\n', '\n'),
  };
};

const decoded = (body: string, encoding: string): string => {
  if (encoding === 'base64') return Buffer.from(body, 'base64').toString();
  if (encoding !== 'quoted-printable') return body;
  const unfolded = body.replaceAll('=\r\n', '');
  return decodeURIComponent(unfolded.replaceAll('%', '%25').replaceAll(/=([0-9A-F]{2})/g, '%$1'));
};
