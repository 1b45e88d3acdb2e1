// Who may call, and how they sign in: the environment variables, each documented once, here.
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { passwordLengths } from '../auth/passwords/rules.js';
import { parseServiceAccount, type ServiceAccount } from '../auth/tokens/custom-tokens.js';
import { isLoopback } from '../infrastructure/loopback.js';

const A_LENGTH = 'must be a number of characters from 8 to 128, for example 12';

const AN_ADDRESS = 'must be an address without a path, for example https://protocols.example.org';

const A_SERVICE_ACCOUNT = 'must be the JSON key of a service account, with client_email and an RSA private_key';

// What is wrong is told without the value.
const serviceAccount = z
  .string()
  .transform(parseServiceAccount)
  .refine((account) => account !== undefined, A_SERVICE_ACCOUNT);

/** The variables. */
export const signInVariables = {
  /** Whether callers must sign in. By default they must, but on a loopback address. */
  AUTH: z.enum(['open', 'required'], 'must be open or required').optional(),
  /**
   * The address that clients know the service by: the issuer of its tokens, an origin of its own; with https its cookies
   * are for that alone.
   */
  PUBLIC_URL: z
    .string()
    .regex(/^https?:\/\/[^\s/?#@]+$/, AN_ADDRESS)
    .refine((address) => URL.canParse(address), AN_ADDRESS)
    .optional(),
  /** Whether a user must have proved a contact, by the code of a sign-up, before signing in. */
  ACTIVATION: z.enum(['off', 'required'], 'must be off or required').default('off'),
  /** The least number of characters of a new password. */
  PASSWORD_MIN_LENGTH: z
    .string()
    .regex(/^\d{1,3}$/, A_LENGTH)
    .transform(Number)
    .refine((length) => length >= passwordLengths.least && length <= 128, A_LENGTH)
    .default(passwordLengths.least),
  /** Whether a password that an administrator chose for a user keeps working, or works once and must then be reset. */
  INITIAL_PASSWORD: z.enum(['keep', 'change'], 'must be keep or change').default('keep'),
  /** Whether an approved profile must be approved again after its user changed the name or the document. */
  REAPPROVAL: z.enum(['off', 'on'], 'must be off or on').default('off'),
  /** A service account of Google as JSON, which signs the custom tokens for Firebase. */
  FIREBASE_SERVICE_ACCOUNT: serviceAccount.optional(),
  /** The same in a file; not read where FIREBASE_SERVICE_ACCOUNT is set. */
  GOOGLE_APPLICATION_CREDENTIALS: z.string().optional(),
};

/** How there comes to be somebody who may do something. */
export const FIRST_ADMINISTRATOR =
  'the first administrator is made by: npm run cli -- admin create --email you@example.org';

type Environment = z.output<z.ZodObject<typeof signInVariables>> & { readonly HOST: string };

/** What the variables come to. */
export interface SignInSettings {
  /** Whether callers must sign in. */
  readonly callers: 'open' | 'required';
  readonly publicUrl: string | undefined;
  readonly serviceAccount: ServiceAccount | undefined;
  readonly passwordMinLength: number;
  readonly isActivationRequired: boolean;
  readonly isInitialPasswordUsedOnce: boolean;
  readonly isReapprovalRequired: boolean;
}

/** Takes the settings from the parsed environment. */
export const signInSettingsOf = (environment: Environment): SignInSettings => ({
  callers: environment.AUTH ?? (isLoopback(environment.HOST) ? 'open' : 'required'),
  publicUrl: environment.PUBLIC_URL,
  serviceAccount: accountOf(environment),
  passwordMinLength: environment.PASSWORD_MIN_LENGTH,
  isActivationRequired: environment.ACTIVATION === 'required',
  isInitialPasswordUsedOnce: environment.INITIAL_PASSWORD === 'change',
  isReapprovalRequired: environment.REAPPROVAL === 'on',
});

/** What is wrong with them taken together. */
export const signInFaultsOf = (environment: Environment): readonly string[] => {
  const { AUTH, HOST, GOOGLE_APPLICATION_CREDENTIALS: file } = environment;
  return [
    ...(AUTH === 'open' && !isLoopback(HOST)
      ? [`AUTH: open is for loopback addresses alone, and HOST is ${HOST}: use required; ${FIRST_ADMINISTRATOR}`]
      : []),
    ...(file !== undefined && accountOf(environment) === undefined
      ? [`GOOGLE_APPLICATION_CREDENTIALS: the file ${A_SERVICE_ACCOUNT}`]
      : []),
  ];
};

const accountOf = ({
  FIREBASE_SERVICE_ACCOUNT: account,
  GOOGLE_APPLICATION_CREDENTIALS: file,
}: Environment): ServiceAccount | undefined =>
  account ?? (file === undefined ? undefined : parseServiceAccount(textOf(file)));

const textOf = (file: string): string => {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
};
