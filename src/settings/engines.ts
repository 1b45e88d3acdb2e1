// Where the stores are: the environment variables of the engines, each documented once, here.
import { z } from 'zod';
import { type MasterKey, parseMasterKey } from '../infrastructure/sealing/master-key.js';

// Values that work, for who has set another one or none.
const examples = {
  EVENTSTORE_URL: 'esdb://localhost:2113?tls=false',
  MONGODB_URL: 'mongodb://localhost:27017/clinical_protocols',
  REDIS_URL: 'redis://localhost:6379',
} as const;

/** The variables that hold the address of an engine. */
export type EngineVariable = keyof typeof examples;

/** What is wrong with an address that cannot be used: nothing of it is told, as it may hold a password. */
export const addressFault = (variable: EngineVariable): string =>
  `must be the address of the engine, user and password percent-encoded, for example ${examples[variable]}`;

/** The address of an engine; without it the embedded one runs. */
const engineUrl = (variable: EngineVariable, schemes: string) =>
  z
    .string()
    .regex(new RegExp(`^(${schemes})://\\S+$`), addressFault(variable))
    .optional();

const A_MASTER_KEY = 'make one with: openssl rand -base64 32';

const masterKeys = z
  .string()
  .transform((keys) => keys.split(',').map((key) => parseMasterKey(key.trim())))
  // What is wrong is told without the value.
  .refine((keys) => !keys.includes(undefined), `must be 32 bytes in base64 or hexadecimal digits: ${A_MASTER_KEY}`)
  .transform((keys) => keys.filter((key) => key !== undefined));

/** The variables. */
export const engineVariables = {
  /** The directory of the embedded stores; made where it is not there, readable by its owner alone. */
  DATA_DIR: z.string().min(1).default('./data'),
  /** Facts in EventStoreDB. */
  EVENTSTORE_URL: engineUrl('EVENTSTORE_URL', 'esdb|esdb\\+discover'),
  /** Views and vault in MongoDB, in the databases `<name>_views` and `<name>_vault`. */
  MONGODB_URL: engineUrl('MONGODB_URL', 'mongodb|mongodb\\+srv'),
  /** Work on BullMQ. */
  REDIS_URL: engineUrl('REDIS_URL', 'rediss?'),
  /**
   * Wraps the keys of personal data in the vault. Of several, with commas between them, the first is the current one
   * and the others still open what they wrapped. Without it, a vault in DATA_DIR has them in `master.key` there.
   */
  MASTER_KEY: masterKeys.optional(),
  /** The file that lists erased users, for restores. Without it, `erased.txt` in DATA_DIR if facts or vault are there. */
  ERASURE_LIST: z.string().min(1).optional(),
};

type Environment = z.output<z.ZodObject<typeof engineVariables>>;

/** What the variables come to. */
export interface EngineSettings {
  readonly dataDirectory: string;
  readonly eventStoreUrl: string | undefined;
  readonly mongoDbUrl: string | undefined;
  readonly redisUrl: string | undefined;
  /** The current one first; undefined where the embedded vault's file has them. */
  readonly masterKeys: readonly MasterKey[] | undefined;
  /** The file that lists erased users. */
  readonly erasureList: string | undefined;
}

/** Takes the settings from the parsed environment. */
export const engineSettingsOf = (environment: Environment): EngineSettings => ({
  dataDirectory: environment.DATA_DIR,
  eventStoreUrl: environment.EVENTSTORE_URL,
  mongoDbUrl: environment.MONGODB_URL,
  redisUrl: environment.REDIS_URL,
  masterKeys: environment.MASTER_KEY,
  erasureList: environment.ERASURE_LIST,
});

/** What is wrong with them taken together. */
export const engineFaultsOf = ({ MONGODB_URL, MASTER_KEY }: Environment): readonly string[] =>
  MONGODB_URL !== undefined && MASTER_KEY === undefined
    ? [`MASTER_KEY: is needed where MONGODB_URL is set, the same for every process: ${A_MASTER_KEY}`]
    : [];
