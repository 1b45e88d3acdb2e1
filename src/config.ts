// The configuration: environment variables, each documented once, here.
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { parseServiceAccount, type ServiceAccount } from './auth/custom-tokens.js';
import { type MasterKey, parseMasterKey } from './infrastructure/sealing/master-key.js';
import { type WebSettings, webSettingsOf, webVariables } from './web-settings.js';

/** Tells what is wrong with the configuration, by variable, and a value that works. */
export class ConfigurationError extends Error {
  constructor(faults: readonly string[]) {
    super(faults.join('\n'));
    this.name = 'ConfigurationError';
  }
}

/** An address of these schemes that can be parsed, and what else it must be. Nothing of it is told: it may hold a password. */
const address = (schemes: string, isRight: (url: URL) => boolean, advice: string) =>
  z
    .string()
    .refine(
      (text) => new RegExp(`^(${schemes})://\\S+$`).test(text) && URL.canParse(text) && isRight(new URL(text)),
      advice,
    )
    .optional();

/** The address of an engine; without it the embedded one runs. */
const engineUrl = (schemes: string, example: string) =>
  z
    .string()
    .regex(new RegExp(`^(${schemes})://\\S+$`), `must be the address of the engine, for example ${example}`)
    .optional();

const A_MASTER_KEY = 'make one with: openssl rand -base64 32';

const masterKeys = z
  .string()
  .transform((keys) => keys.split(',').map((key) => parseMasterKey(key.trim())))
  // What is wrong is told without the value.
  .refine((keys) => !keys.includes(undefined), `must be 32 bytes in base64 or hexadecimal digits: ${A_MASTER_KEY}`)
  .transform((keys) => keys.filter((key) => key !== undefined));

const A_SERVICE_ACCOUNT = 'must be the JSON key of a service account, with client_email and an RSA private_key';

// What is wrong is told without the value.
const serviceAccount = z
  .string()
  .transform(parseServiceAccount)
  .refine((account) => account !== undefined, A_SERVICE_ACCOUNT);

const AN_ADDRESS = 'must be an address without a path, for example https://protocols.example.org';
// Values that work, for who has set another one or none.
const examples = {
  SMTP_URL: 'for example smtps://user:password@mail.example.org',
  MAIL_FROM: 'for example Clinical Protocols <no-reply@example.org>',
  SMS_WEBHOOK_URL: 'for example https://sms.example.org/messages',
  SMS_WEBHOOK_SECRET: '32 characters or more: make one with: openssl rand -hex 32',
} as const;
const MAILBOX = /^([^<>\p{Cc}]*<[^@<>\s]+@[^@<>\s]+>|[^@<>\s]+@[^@<>\s]+)$/u;

/** Whether an address is reached from this machine alone. */
export const isLoopback = (host: string) => /^(localhost|127(\.\d{1,3}){3}|::1)$/.test(host);
// The client of HTTP takes no password in an address.
const isPostable = ({ protocol, hostname, username }: URL) =>
  username === '' && (protocol === 'https:' || isLoopback(hostname.replace(/^\[(.*)\]$/, '$1')));
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

const Environment = z.object({
  /** Where HTTP listens. */
  HOST: z.string().min(1).default('127.0.0.1'),
  /** 0 picks a free port; the start line in the log says which. */
  PORT: z
    .string()
    .regex(/^\d{1,5}$/, 'must be a port, for example 3000')
    .transform(Number)
    .pipe(z.int().max(65_535, 'must be a port, for example 3000'))
    .default(3000),
  /** The directory of the embedded stores; made where it is not there, readable by its owner alone. */
  DATA_DIR: z.string().min(1).default('./data'),
  /** Which parts this process runs. */
  ROLES: z
    .string()
    .default('all')
    .transform((roles) => (roles === 'all' ? ['http', 'worker'] : roles.split(',').map((role) => role.trim())))
    .pipe(z.array(z.enum(['http', 'worker'], 'must be http, worker, or both: http,worker'))),
  /** Whether callers must sign in. By default they must, but on a loopback address. */
  AUTH: z.enum(['open', 'required'], 'must be open or required').optional(),
  /** How much is logged, a level of pino. */
  LOG_LEVEL: z
    .enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'], 'must be a level of pino, for example info')
    .default('info'),
  /** Facts in EventStoreDB. */
  EVENTSTORE_URL: engineUrl('esdb|esdb\\+discover', 'esdb://localhost:2113?tls=false'),
  /** Views and vault in MongoDB, in the databases `<name>_views` and `<name>_vault`. */
  MONGODB_URL: engineUrl('mongodb|mongodb\\+srv', 'mongodb://localhost:27017/clinical_protocols'),
  /** Work on BullMQ. */
  REDIS_URL: engineUrl('rediss?', 'redis://localhost:6379'),
  /**
   * Wraps the keys of personal data in the vault. Of several, with commas between them, the first is the current one
   * and the others still open what they wrapped. Without it, a vault in DATA_DIR has them in `master.key` there.
   */
  MASTER_KEY: masterKeys.optional(),
  /**
   * The address that clients know the service by: the issuer of its tokens, an origin of its own; with https its cookies
   * are for that alone.
   */
  PUBLIC_URL: z
    .string()
    .regex(/^https?:\/\/[^\s/?#]+$/, AN_ADDRESS)
    .refine((address) => URL.canParse(address), AN_ADDRESS)
    .optional(),
  /** Whether a user must have proved a contact, by the code of a sign-up, before signing in. */
  ACTIVATION: z.enum(['off', 'required'], 'must be off or required').default('off'),
  /** A service account of Google as JSON, which signs the custom tokens for Firebase. */
  FIREBASE_SERVICE_ACCOUNT: serviceAccount.optional(),
  /** The same in a file; not read where FIREBASE_SERVICE_ACCOUNT is set. */
  GOOGLE_APPLICATION_CREDENTIALS: z.string().optional(),
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
  /** What those posts are signed with, by HMAC-SHA256. */
  SMS_WEBHOOK_SECRET: z.string().min(32, `must have ${examples.SMS_WEBHOOK_SECRET}`).optional(),
  ...webVariables,
});

/** How there comes to be somebody who may do something. */
export const FIRST_ADMINISTRATOR =
  'the first administrator is made by: npm run cli -- admin create --email you@example.org';

/** The name of every variable that is read. */
export const variables: readonly string[] = Object.keys(Environment.shape);

export interface Config {
  readonly host: string;
  readonly port: number;
  readonly dataDirectory: string;
  readonly eventStoreUrl: string | undefined;
  readonly mongoDbUrl: string | undefined;
  readonly redisUrl: string | undefined;
  /** The current one first; undefined where the embedded vault's file has them. */
  readonly masterKeys: readonly MasterKey[] | undefined;
  readonly roles: readonly ('http' | 'worker')[];
  readonly logLevel: string;
  /** Whether callers must sign in. */
  readonly callers: 'open' | 'required';
  readonly publicUrl: string | undefined;
  readonly serviceAccount: ServiceAccount | undefined;
  readonly isActivationRequired: boolean;
  /** The mail server and whom mail is from; undefined: the outbox. */
  readonly smtp: { readonly url: string; readonly from: string } | undefined;
  /** What sends SMS, and the secret that it knows us by; undefined: the outbox. */
  readonly smsWebhook: { readonly url: string; readonly secret: string } | undefined;
  readonly web: WebSettings;
}

/** Reads the configuration. Throws a `ConfigurationError` that names every variable at fault. */
export const readConfig = (environment: Readonly<Record<string, string | undefined>>): Config => {
  const set = Object.fromEntries(
    Object.entries(environment).filter(([, value]) => value !== undefined && value !== ''),
  );
  const result = Environment.safeParse(set);
  if (!result.success) {
    const faults = result.error.issues.map(({ path, message }) => `${String(path[0])}: ${message}`);
    throw new ConfigurationError([...new Set(faults)]);
  }
  const { HOST, PORT, DATA_DIR, ROLES, AUTH, LOG_LEVEL, EVENTSTORE_URL, MONGODB_URL, REDIS_URL, MASTER_KEY } =
    result.data;
  const faults = [
    ...(AUTH === 'open' && !isLoopback(HOST)
      ? [`AUTH: open is for loopback addresses alone, and HOST is ${HOST}: use required; ${FIRST_ADMINISTRATOR}`]
      : []),
    ...(MONGODB_URL !== undefined && MASTER_KEY === undefined
      ? [`MASTER_KEY: is needed where MONGODB_URL is set, the same for every process: ${A_MASTER_KEY}`]
      : []),
    ...halvesOf(result.data),
  ];
  const account = accountOf(result.data, faults);
  if (faults.length > 0) throw new ConfigurationError(faults);
  const engines = {
    eventStoreUrl: EVENTSTORE_URL,
    mongoDbUrl: MONGODB_URL,
    redisUrl: REDIS_URL,
    masterKeys: MASTER_KEY,
  };
  const isActivationRequired = result.data.ACTIVATION === 'required';
  const callers = AUTH ?? (isLoopback(HOST) ? 'open' : 'required');
  const signIn = { callers, publicUrl: result.data.PUBLIC_URL, serviceAccount: account, isActivationRequired };
  const here = { host: HOST, port: PORT, dataDirectory: DATA_DIR, roles: ROLES, logLevel: LOG_LEVEL };
  return { ...here, ...engines, ...signIn, ...channelsOf(result.data), web: webSettingsOf(result.data) };
};

const accountOf = (
  { FIREBASE_SERVICE_ACCOUNT: account, GOOGLE_APPLICATION_CREDENTIALS: file }: z.output<typeof Environment>,
  faults: string[],
): ServiceAccount | undefined => {
  if (account !== undefined || file === undefined) return account;
  const read = parseServiceAccount(textOf(file));
  if (read === undefined) faults.push(`GOOGLE_APPLICATION_CREDENTIALS: the file ${A_SERVICE_ACCOUNT}`);
  return read;
};

// Neither says anything without the other.
const pairs = [
  ['SMTP_URL', 'MAIL_FROM'],
  ['MAIL_FROM', 'SMTP_URL'],
  ['SMS_WEBHOOK_URL', 'SMS_WEBHOOK_SECRET'],
  ['SMS_WEBHOOK_SECRET', 'SMS_WEBHOOK_URL'],
] as const;

const halvesOf = (set: z.output<typeof Environment>): readonly string[] =>
  pairs
    .filter(([given, other]) => set[given] !== undefined && set[other] === undefined)
    .map(([given, other]) => `${other}: is needed where ${given} is set, ${examples[other]}`);

const channelsOf = ({
  SMTP_URL: url,
  MAIL_FROM: from,
  SMS_WEBHOOK_URL: webhook,
  SMS_WEBHOOK_SECRET: secret,
}: z.output<typeof Environment>): Pick<Config, 'smtp' | 'smsWebhook'> => ({
  smtp: url === undefined || from === undefined ? undefined : { url, from },
  smsWebhook: webhook === undefined || secret === undefined ? undefined : { url: webhook, secret },
});

const textOf = (file: string): string => {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
};
