// Sends e-mail through a mail server (RFC 5321), over TLS unless the server is on this machine or the operator disables
// it.
import { createTransport } from 'nodemailer';
import { abortable } from '../async.js';
import { isLoopback } from '../loopback.js';
import { type Notifier, NotSent } from './notifier.js';

const TIMEOUT_MS = 10_000;
const ABORTED = 'it was aborted before the mail server accepted it';

interface SmtpSettings {
  /** `smtps://` uses TLS from the first byte, `smtp://` STARTTLS, and neither with `?tls=false` or on loopback. */
  readonly url: string;
  /** An address, or `Name <address>`. */
  readonly from: string;
}

/** Sends e-mail with one connection per message. */
export const smtpNotifier = ({ url, from }: SmtpSettings): Notifier => {
  const transport = createTransport(optionsOf(new URL(url)));
  const domain = /@([^@>\s]+)>?$/.exec(from)?.[1] ?? 'localhost';
  return {
    send: async ({ id, to, subject, text }, signal) => {
      if (signal.aborted) throw new NotSent(ABORTED);
      // The id is in the Message-ID (RFC 5322, 3.6.4), so that a repeated delivery can be recognized.
      const messageId = `<${id}@${domain}>`;
      // Suppresses automatic replies (RFC 3834).
      const headers = { 'Auto-Submitted': 'auto-generated' };
      const mail = { from, to: { name: '', address: to }, subject, text, messageId, headers };
      // The client cannot be stopped while it sends. Its connection ends on its own.
      await abortable(transport.sendMail(mail), signal).catch((error: unknown) => {
        throw new NotSent(signal.aborted ? ABORTED : reasonOf(error));
      });
    },
  };
};

const optionsOf = ({ protocol, hostname, port, username, password, searchParams }: URL) => {
  const secure = protocol === 'smtps:';
  const tls = searchParams.get('tls');
  const isPlain = !secure && (tls === null ? isLoopback(hostname) : tls === 'false');
  return {
    host: hostname.replace(/^\[(.*)\]$/, '$1'),
    port: port === '' ? (secure ? 465 : 587) : Number(port),
    secure,
    requireTLS: !secure && !isPlain,
    ignoreTLS: isPlain,
    ...(username !== '' && { auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) } }),
    connectionTimeout: TIMEOUT_MS,
    greetingTimeout: TIMEOUT_MS,
    socketTimeout: TIMEOUT_MS,
    dnsTimeout: TIMEOUT_MS,
    // A message is plain text: nothing in it may be fetched or read from a file.
    disableFileAccess: true,
    disableUrlAccess: true,
  };
};

/** Returns the reason of a failure, without the error's message, which may contain the address. */
const reasonOf = (error: unknown): string => {
  const { code, originalCode = code, responseCode, command } = (error ?? {}) as Readonly<Record<string, unknown>>;
  const at = typeof command === 'string' && /^[A-Z ]{1,20}$/.test(command) ? ` at ${command}` : '';
  if (typeof responseCode === 'number') return `the mail server refused the message with ${responseCode}${at}`;
  return `the mail server is unreachable or unusable: ${typeof originalCode === 'string' ? originalCode : 'an error'}${at}`;
};
