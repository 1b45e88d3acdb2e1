// How messages are sent: the environment variables, each documented once, here.
import { z } from 'zod';
import { isLoopback } from '../infrastructure/loopback.js';

/** An address of these schemes that can be parsed, and what else it must be. Nothing of it is told: it may hold a password. */
const address = (schemes: string, isRight: (url: URL) => boolean, advice: string) =>
  z
    .string()
    .refine(
      (text) => new RegExp(`^(${schemes})://\\S+$`).test(text) && URL.canParse(text) && isRight(new URL(text)),
      advice,
    )
    .optional();

// Values that work, for who has set another one or none.
const examples = {
  SMTP_URL: 'for example smtps://user:password@mail.example.org',
  MAIL_FROM: 'for example Clinical Protocols <no-reply@example.org>',
  SMS_WEBHOOK_URL: 'for example https://sms.example.org/messages',
  SMS_WEBHOOK_SECRET: '32 characters or more: make one with: openssl rand -hex 32',
} as const;
const MAILBOX = /^([^<>\p{Cc}]*<[^@<>\s]+@[^@<>\s]+>|[^@<>\s]+@[^@<>\s]+)$/u;

/** Returns whether an address is one of https, or on this machine. It has no password, which the client of HTTP would reject. */
export const isPostable = ({ protocol, hostname, username, password }: URL) =>
  `${username}${password}` === '' && (protocol === 'https:' || isLoopback(hostname));
const isMailServer = ({ username, password, searchParams }: URL) =>
  ['true', 'false', null].includes(searchParams.get('tls')) && isEncoded(username) && isEncoded(password);
const isEncoded = (text: string) => {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
};

/** The variables. */
export const messageVariables = {
  /**
   * The mail server that e-mail is handed to; without it e-mail goes to files in DATA_DIR/outbox. `smtps://` is TLS from
   * the first byte, `smtp://` STARTTLS; neither with `?tls=false` and on a loopback address.
   */
  SMTP_URL: address('smtps?', isMailServer, `must be the address of a mail server, ${examples.SMTP_URL}`),
  /** Whom e-mail is from. */
  MAIL_FROM: z.string().regex(MAILBOX, `must be an e-mail address, ${examples.MAIL_FROM}`).optional(),
  /** Where SMS are posted to be sent; without it they go to files in DATA_DIR/outbox. */
  SMS_WEBHOOK_URL: address(
    'https?',
    isPostable,
    `must be an address of https, or of http on this machine, ${examples.SMS_WEBHOOK_URL}`,
  ),
  /** The country calling codes that SMS go to, with commas between them; without it, every country. */
  SMS_CALLING_CODES: z
    .string()
    .regex(/^\d{1,3}( *, *\d{1,3})*$/, 'must be country calling codes, for example 55,351')
    .transform((codes) => codes.split(',').map((code) => code.trim()))
    .optional(),
  /** What those posts are signed with, by HMAC-SHA256. */
  SMS_WEBHOOK_SECRET: z.string().min(32, `must have ${examples.SMS_WEBHOOK_SECRET}`).optional(),
};

type Environment = z.output<z.ZodObject<typeof messageVariables>>;

/** What the variables come to. */
export interface MessageSettings {
  /** The mail server and whom mail is from; undefined: the outbox. */
  readonly smtp: { readonly url: string; readonly from: string } | undefined;
  /** What sends SMS, and the secret that it knows us by; undefined: the outbox. */
  readonly smsWebhook: { readonly url: string; readonly secret: string } | undefined;
  /** The country calling codes that SMS go to; undefined: every country. */
  readonly smsCallingCodes: readonly string[] | undefined;
}

/** Takes the settings from the parsed environment. */
export const messageSettingsOf = ({
  SMTP_URL: url,
  MAIL_FROM: from,
  SMS_WEBHOOK_URL: webhook,
  SMS_WEBHOOK_SECRET: secret,
  SMS_CALLING_CODES: smsCallingCodes,
}: Environment): MessageSettings => ({
  smtp: url === undefined || from === undefined ? undefined : { url, from },
  smsWebhook: webhook === undefined || secret === undefined ? undefined : { url: webhook, secret },
  smsCallingCodes,
});

// Neither says anything without the other.
const pairs = [
  ['SMTP_URL', 'MAIL_FROM'],
  ['MAIL_FROM', 'SMTP_URL'],
  ['SMS_WEBHOOK_URL', 'SMS_WEBHOOK_SECRET'],
  ['SMS_WEBHOOK_SECRET', 'SMS_WEBHOOK_URL'],
] as const;

/** What is wrong with them taken together. */
export const messageFaultsOf = (environment: Environment): readonly string[] =>
  pairs
    .filter(([given, other]) => environment[given] !== undefined && environment[other] === undefined)
    .map(([given, other]) => `${other}: is needed where ${given} is set, ${examples[other]}`);
