// An SMTP server for tests that send e-mail.
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
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
