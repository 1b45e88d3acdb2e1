// The environment variables of the engines and of the roles that use them. Each is documented here, once.
import { accessSync, constants } from 'node:fs';
import querystring from 'node:querystring';
import { z } from 'zod';
import { fileFault } from '../infrastructure/errors.js';
import { parseMasterKey } from '../infrastructure/keys/master-key.js';

// Valid values, for error messages.
const examples = {
  EVENTSTORE_URL: 'esdb://localhost:2113?tls=false',
  MONGODB_URL: 'mongodb://localhost:27017/clinical_protocols',
  REDIS_URL: 'redis://localhost:6379',
} as const;

export type EngineVariable = keyof typeof examples;

/** Returns the fault of an unusable URL. The message does not quote the URL, because it may contain a password. */
export const addressFault = (variable: EngineVariable): string =>
  `must be the URL of the engine, with user and password percent-encoded, for example ${examples[variable]}`;

// The parameters that name files, percent-encoded, in the URLs of EventStoreDB and MongoDB.
const FILES = /[?&](?:tlsCAFile|tlsCertificateKeyFile|tlsCRLFile|userCertFile|userKeyFile)=([^&]+)/gi;

/** The URL of an engine. Without it, the embedded engine runs. */
const engineUrl = (variable: EngineVariable, schemes: string) =>
  z
    .string()
    .regex(new RegExp(`^(${schemes})://\\S+$`), addressFault(variable))
    .superRefine((url, { addIssue }) => {
      for (const [, sent = ''] of url.matchAll(FILES)) {
        const file = querystring.unescape(sent);
        try {
          accessSync(file, constants.R_OK);
        } catch (error) {
          addIssue(fileFault(error, file));
        }
      }
    })
    .optional();

const MASTER_KEY_ADVICE = 'create one with: openssl rand -base64 32';

// The message does not quote the value, which is a secret.
const masterKeys = z.string().transform((text, { addIssue }) =>
  text.split(',').flatMap((sent, index, { length }) => {
    const key = parseMasterKey(sent.trim());
    if (key !== undefined) return [key];
    const place = length > 1 ? `key ${index + 1} ` : '';
    const fault = `must be 32 bytes in base64 (44 characters) or hexadecimal digits (64), not ${sent.trim().length} characters`;
    addIssue(`${place}${fault}: ${MASTER_KEY_ADVICE}`);
    return [];
  }),
);

export const engines = z
  .object({
    /** The directory of the embedded stores. If it does not exist, it is created and readable only by its owner. */
    DATA_DIR: z.string().min(1).default('./data'),
    /** The EventStoreDB that stores the facts. Its client knows KurrentDB, the new name, only by the old schemes. */
    EVENTSTORE_URL: engineUrl('EVENTSTORE_URL', '(esdb|kurrentdb)(\\+discover)?').transform((url) =>
      url?.replace(/^kurrentdb/, 'esdb'),
    ),
    /** The MongoDB that stores views and vault, in the databases `<name>_views` and `<name>_vault`. */
    MONGODB_URL: engineUrl('MONGODB_URL', 'mongodb|mongodb\\+srv'),
    /** The Redis that stores the job queues (BullMQ). */
    REDIS_URL: engineUrl('REDIS_URL', 'rediss?'),
    /**
     * The master keys that wrap the keys of personal data, separated by commas. The first key is current; the others
     * still open the keys that they wrapped. Without this variable, an embedded vault uses the file `master.key` in
     * DATA_DIR.
     */
    MASTER_KEY: masterKeys.optional(),
    /**
     * The file that lists erased users, for restores. Default: `erased.txt` in DATA_DIR if facts or vault are embedded.
     */
    ERASURE_LIST: z.string().min(1).optional(),
    /** The roles of this process. If a store is embedded, one process has both roles. */
    ROLES: z
      .string()
      .default('all')
      .transform((roles) => (roles === 'all' ? ['http', 'worker'] : roles.split(',').map((role) => role.trim())))
      .pipe(z.array(z.enum(['http', 'worker'], 'must be http, worker, or both: http,worker'))),
  })
  .refine(({ MONGODB_URL, MASTER_KEY }) => MONGODB_URL === undefined || MASTER_KEY !== undefined, {
    path: ['MASTER_KEY'],
    message: `is required if MONGODB_URL is set, and must be the same for every process: ${MASTER_KEY_ADVICE}`,
  })
  .refine(
    ({ EVENTSTORE_URL, MONGODB_URL, REDIS_URL, ROLES }) =>
      ![EVENTSTORE_URL, MONGODB_URL, REDIS_URL].includes(undefined) || new Set(ROLES).size === 2,
    {
      path: ['ROLES'],
      message:
        'must be all, because one process uses the embedded stores in DATA_DIR. Set EVENTSTORE_URL, MONGODB_URL and REDIS_URL to run the roles in different processes',
    },
  )
  .transform((environment) => ({
    dataDirectory: environment.DATA_DIR,
    eventStoreUrl: environment.EVENTSTORE_URL,
    mongoDbUrl: environment.MONGODB_URL,
    redisUrl: environment.REDIS_URL,
    masterKeys: environment.MASTER_KEY,
    erasureList: environment.ERASURE_LIST,
    roles: environment.ROLES,
  }));

export type EngineSettings = z.output<typeof engines>;
