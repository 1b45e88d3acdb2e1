// Sends e-mail through a mail server (RFC 5321), over TLS unless the server is on this machine or the operator disables
// it.
import { createTransport } from 'nodemailer';
import { abortable } from '../async.js';
import { isLoopback } from '../loopback.js';
import { Final } from '../work/work.js';
import { AllRefused, type Notifier, NotSent } from './notifier.js';

const TIMEOUT_MS = 10_000;
// A server may examine a message before it responds. A queue ends an attempt after 30 s.
const RESPONSE_MS = 25_000;
const ABORTED = 'it was aborted before the mail server accepted it';
// How long to wait before a message is sent again that the mail server may have accepted.
const RESEND_MS = 60_000;
// A 5xx before says nothing about the message (RFC 5321, 3.1).
const AFTER_EHLO = / at (AUTH|MAIL FROM|RCPT TO|DATA)\b/;

interface SmtpSettings {
  /** `smtps://` uses TLS from the first byte, `smtp://` STARTTLS, and neither with `?tls=false` or on loopback. */
  readonly url: string;
  /** The domain of the address is ASCII. */
  readonly from: Readonly<Record<'name' | 'address', string>>;
}

/** Sends e-mail with one connection per message. */
export const smtpNotifier = ({ url, from }: SmtpSettings): Notifier => {
  const options = optionsOf(new URL(url));
  const domain = from.address.slice(from.address.indexOf('@') + 1);
  return {
    send: async ({ id, to, subject, text, writtenAt }, signal) => {
      if (signal.aborted) throw new NotSent(ABORTED);
      // Only the log of the client says that it has sent the whole message.
      const steps: unknown[] = [];
      const info = (step: { readonly tnx?: unknown }) => steps.push(step.tnx);
      const transport = createTransport({ ...options, logger: { info } });
      // The id is in the Message-ID (RFC 5322, 3.6.4), so that a repeated delivery can be recognized.
      const messageId = `<${id}@${domain}>`;
      // Suppresses automatic replies (RFC 3834).
      const headers = { 'Auto-Submitted': 'auto-generated' };
      const mail = { from, to: { name: '', address: to }, subject, text, messageId, headers };
      // The client cannot be stopped while it sends. Its connection ends on its own.
      await abortable(transport.sendMail({ ...mail, date: new Date(writtenAt) }), signal).catch((error: unknown) => {
        throw signal.aborted ? new NotSent(ABORTED) : failureOf(error, steps.includes('message'));
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
    socketTimeout: RESPONSE_MS,
    dnsTimeout: TIMEOUT_MS,
    // A message is plain text: nothing in it may be fetched or read from a file.
    disableFileAccess: true,
    disableUrlAccess: true,
  };
};

/** Returns the failure without the error's message, which may contain the address. */
const failureOf = (error: unknown, isWhole: boolean): Error => {
  const { code, originalCode = code, responseCode, command } = (error ?? {}) as Readonly<Record<string, unknown>>;
  const at = typeof command === 'string' && /^[A-Z0-9 -]{1,20}$/.test(command) ? ` at ${command}` : '';
  if (typeof responseCode === 'number') return refusalOf(responseCode, at);
  if (isWhole) return new NotSent('the mail server did not respond to the message', RESEND_MS);
  // Elsewhere, an odd reply of the server has this code.
  if (code === 'EENVELOPE' && command === 'API') return new Final('the address of the message is malformed');
  return new NotSent(`the mail server is unreachable or unusable: ${originalCode ?? 'an error'}${at}`);
};

const refusalOf = (code: number, at: string): Error => {
  const reason = `the mail server refused the message with ${code}${at}`;
  // These refuse the user and password of this service (RFC 4954, 6).
  if (code === 530 || code === 535) return new AllRefused(reason);
  return code >= 500 && AFTER_EHLO.test(at) ? new Final(reason) : new NotSent(reason);
};
