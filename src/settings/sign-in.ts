// The environment variables for access and sign-in. Each is documented here, once.
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { passwordLengths } from '../auth/passwords/rules.js';
import { parseServiceAccount, type ServiceAccount } from '../auth/tokens/custom-tokens.js';
import { isLoopback } from '../infrastructure/loopback.js';

const LENGTH_ADVICE = 'must be a number of characters from 8 to 128, for example 12';

const URL_ADVICE = 'must be a URL without a path, for example https://protocols.example.org';

const SERVICE_ACCOUNT_ADVICE = 'must be the JSON key of a service account, with client_email and an RSA private_key';

// The message does not quote the value, which is a secret.
const serviceAccount = z
  .string()
  .transform(parseServiceAccount)
  .refine((account) => account !== undefined, SERVICE_ACCOUNT_ADVICE);

/** The variables. */
export const signInVariables = {
  /** Whether callers must sign in. Default: required, but open on a loopback address. */
  AUTH: z.enum(['open', 'required'], 'must be open or required').optional(),
  /**
   * The public URL of the service. It is the issuer of tokens and an allowed origin. If it uses https, cookies are sent
   * only over https.
   */
  PUBLIC_URL: z
    .string()
    .regex(/^https?:\/\/[^\s/?#@]+$/, URL_ADVICE)
    .refine((address) => URL.canParse(address), URL_ADVICE)
    .optional(),
  /** Whether users must prove a contact address with a code before they can sign in. */
  ACTIVATION: z.enum(['off', 'required'], 'must be off or required').default('off'),
  /** The minimum length of a new password in characters. */
  PASSWORD_MIN_LENGTH: z
    .string()
    .regex(/^\d{1,3}$/, LENGTH_ADVICE)
    .transform(Number)
    .refine((length) => length >= passwordLengths.min && length <= 128, LENGTH_ADVICE)
    .default(passwordLengths.min),
  /** Whether a password that an administrator chose keeps working, or works once and must then be changed. */
  INITIAL_PASSWORD: z.enum(['keep', 'change'], 'must be keep or change').default('keep'),
  /** Whether an approved profile needs a new approval after its user changes the name or the document. */
  REAPPROVAL: z.enum(['off', 'on'], 'must be off or on').default('off'),
  /** The JSON key of a Google service account, which signs the custom tokens for Firebase. */
  FIREBASE_SERVICE_ACCOUNT: serviceAccount.optional(),
  /** A file with the JSON key of a Google service account. Ignored if FIREBASE_SERVICE_ACCOUNT is set. */
  GOOGLE_APPLICATION_CREDENTIALS: z.string().optional(),
};

/** The advice for creating the first administrator. */
export const FIRST_ADMINISTRATOR =
  'create the first administrator with: npm run cli -- admin create --email you@example.org';

type Environment = z.output<z.ZodObject<typeof signInVariables>> & { readonly HOST: string };

/** The settings from these variables. */
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

/** Returns the settings of a parsed environment. */
export const signInSettingsOf = (environment: Environment): SignInSettings => ({
  callers: environment.AUTH ?? (isLoopback(environment.HOST) ? 'open' : 'required'),
  publicUrl: environment.PUBLIC_URL,
  serviceAccount: accountOf(environment),
  passwordMinLength: environment.PASSWORD_MIN_LENGTH,
  isActivationRequired: environment.ACTIVATION === 'required',
  isInitialPasswordUsedOnce: environment.INITIAL_PASSWORD === 'change',
  isReapprovalRequired: environment.REAPPROVAL === 'on',
});

/** Returns the faults across variables. */
export const signInFaultsOf = (environment: Environment): readonly string[] => {
  const { AUTH, HOST, GOOGLE_APPLICATION_CREDENTIALS: file } = environment;
  return [
    ...(AUTH === 'open' && !isLoopback(HOST)
      ? [`AUTH: open is allowed only on loopback addresses, and HOST is ${HOST}: use required; ${FIRST_ADMINISTRATOR}`]
      : []),
    ...(file !== undefined && accountOf(environment) === undefined
      ? [`GOOGLE_APPLICATION_CREDENTIALS: the file ${SERVICE_ACCOUNT_ADVICE}`]
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
