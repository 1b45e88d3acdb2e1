// The environment variables for sending messages. Each is documented here, once.
import { domainToASCII } from 'node:url';
import { z } from 'zod';
import { isLoopback } from '../infrastructure/loopback.js';

/**
 * A URL with one of these schemes that passes a check. The message does not quote it, because it may contain a
 * password.
 */
const address = (schemes: string, isRight: (url: URL) => boolean, advice: string) =>
  z
    .string()
    .refine(
      (text) => new RegExp(`^(${schemes})://\\S+$`).test(text) && URL.canParse(text) && isRight(new URL(text)),
      advice,
    )
    .optional();

// Valid values, for error messages.
const examples = {
  SMTP_URL: 'for example smtps://user:password@mail.example.org',
  MAIL_FROM: 'for example Clinical Protocols <no-reply@example.org>',
  SMS_WEBHOOK_URL: 'for example https://sms.example.org/messages',
  SMS_WEBHOOK_SECRET: '32 characters or more; create one with: openssl rand -hex 32',
} as const;
const MAILBOX_ADVICE = `must be an e-mail address, ${examples.MAIL_FROM}`;
const NAMED = /^(?:"([^"\\\p{Cc}]*)"\s*|([^<>@\p{Cc}]*))<([^<>]*)>$/u;
const ADDRESS = /^(?!\.|.*(?:\.[.@]|@\.|\.$|[\p{C}\p{DI}]))([^\s@<>()[\]\\,;:"]+)@([\p{L}\p{M}\p{N}_.-]+)$/u;

/** Returns the mailbox of an address, or of `Name <address>`; undefined if the text is neither. */
const mailboxOf = (text: string) => {
  const [, quoted, name = quoted ?? '', address = text] = NAMED.exec(text) ?? [];
  const [, local, host = ''] = ADDRESS.exec(address) ?? [];
  const domain = domainToASCII(host);
  return domain === '' ? undefined : { name: name.trim(), address: `${local}@${domain}` };
};

/** Returns whether a URL uses https or is on this machine, and has no password, which the HTTP client would reject. */
export const isPostable = ({ protocol, hostname, username, password }: URL) =>
  `${username}${password}` === '' && (protocol === 'https:' || isLoopback(hostname));
// The mail client signs in only with both, and looks a name up as it is written.
const isMailServer = ({ hostname, username, password, searchParams }: URL) =>
  ['true', 'false', null].includes(searchParams.get('tls')) &&
  (username === '') === (password === '') &&
  /^([\w.-]+|\[[\da-f:.]+\])$/i.test(hostname) &&
  [username, password].every(isEncoded);
const isEncoded = (text: string) => {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
};

// Each variable requires its counterpart.
const pairs = [
  ['SMTP_URL', 'MAIL_FROM'],
  ['MAIL_FROM', 'SMTP_URL'],
  ['SMS_WEBHOOK_URL', 'SMS_WEBHOOK_SECRET'],
  ['SMS_WEBHOOK_SECRET', 'SMS_WEBHOOK_URL'],
] as const;

export const messages = z
  .object({
    /**
     * The mail server. Without it, e-mails are written to files in DATA_DIR/outbox. `smtps://` uses TLS from the first
     * byte, `smtp://` uses STARTTLS. With `?tls=false`, and on a loopback address, the connection is not encrypted.
     */
    SMTP_URL: address('smtps?', isMailServer, `must be the URL of a mail server, ${examples.SMTP_URL}`),
    /** The sender of e-mails. */
    MAIL_FROM: z.string().refine(mailboxOf, MAILBOX_ADVICE).transform(mailboxOf).optional(),
    /** The URL to which SMS are posted. Without it, SMS are written to files in DATA_DIR/outbox. */
    SMS_WEBHOOK_URL: address(
      'https?',
      isPostable,
      `must be an https URL, or an http URL on this machine, ${examples.SMS_WEBHOOK_URL}`,
    ),
    /** The country calling codes to which SMS may be sent, separated by commas. Default: every country. */
    SMS_CALLING_CODES: z
      .string()
      .regex(/^\d{1,3}( *, *\d{1,3})*$/, 'must be country calling codes, for example 55,351')
      .transform((codes) => codes.split(',').map((code) => code.trim()))
      .optional(),
    /** Whether a person gets an e-mail after a decision on one of their profiles. */
    DECISION_MESSAGES: z.enum(['on', 'off'], 'must be on or off').default('on'),
    /** The secret that signs the posts with HMAC-SHA256. */
    SMS_WEBHOOK_SECRET: z.string().min(32, `must have ${examples.SMS_WEBHOOK_SECRET}`).optional(),
  })
  .superRefine((environment, { addIssue }) => {
    for (const [given, other] of pairs) {
      if (environment[given] === undefined || environment[other] !== undefined) continue;
      addIssue({ code: 'custom', path: [other], message: `is required if ${given} is set, ${examples[other]}` });
    }
  })
  .transform(({ SMTP_URL, MAIL_FROM, SMS_WEBHOOK_URL, SMS_WEBHOOK_SECRET, SMS_CALLING_CODES, ...others }) => ({
    smtp: SMTP_URL && MAIL_FROM ? { url: SMTP_URL, from: MAIL_FROM } : undefined,
    smsWebhook:
      SMS_WEBHOOK_URL && SMS_WEBHOOK_SECRET ? { url: SMS_WEBHOOK_URL, secret: SMS_WEBHOOK_SECRET } : undefined,
    smsCallingCodes: SMS_CALLING_CODES,
    sendsDecisions: others.DECISION_MESSAGES === 'on',
  }));
