// The environment variables for accounts and sign-in. Each is documented here, once.
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { parseServiceAccount, type ServiceAccount } from '../auth/tokens/custom-tokens.js';

// The message does not quote the key, which is a secret.
const SERVICE_ACCOUNT_ADVICE = 'must be the JSON key of a service account, with client_email and an RSA private_key';

const accountIn = (file: string | undefined): ServiceAccount | undefined => {
  if (file === undefined) return undefined;
  try {
    return parseServiceAccount(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
};

/** The variables of accounts and sign-in, as settings. */
export const signIn = z
  .object({
    /** Whether users must prove a contact address with a code before they can sign in. */
    ACTIVATION: z.enum(['off', 'required'], 'must be off or required').default('off'),
    /** Whether a password that an administrator chose keeps working, or works once and must then be changed. */
    INITIAL_PASSWORD: z.enum(['keep', 'change'], 'must be keep or change').default('keep'),
    /** Whether an approved profile needs a new approval after its user changes the name or the document. */
    REAPPROVAL: z.enum(['off', 'on'], 'must be off or on').default('off'),
    /** Whether a rejection of a profile needs a reason. */
    REASONS: z.enum(['optional', 'required'], 'must be optional or required').default('optional'),
    /** The JSON key of a Google service account, which signs the custom tokens for Firebase. */
    FIREBASE_SERVICE_ACCOUNT: z
      .string()
      .transform(parseServiceAccount)
      .refine((account) => account !== undefined, SERVICE_ACCOUNT_ADVICE)
      .optional(),
    /** A file with the JSON key of a Google service account. Ignored if FIREBASE_SERVICE_ACCOUNT is set. */
    GOOGLE_APPLICATION_CREDENTIALS: z.string().optional(),
  })
  .refine(
    ({ FIREBASE_SERVICE_ACCOUNT: account, GOOGLE_APPLICATION_CREDENTIALS: file }) =>
      account !== undefined || file === undefined || accountIn(file) !== undefined,
    { path: ['GOOGLE_APPLICATION_CREDENTIALS'], message: `the file ${SERVICE_ACCOUNT_ADVICE}` },
  )
  .transform((environment) => ({
    serviceAccount: environment.FIREBASE_SERVICE_ACCOUNT ?? accountIn(environment.GOOGLE_APPLICATION_CREDENTIALS),
    isActivationRequired: environment.ACTIVATION === 'required',
    isInitialPasswordUsedOnce: environment.INITIAL_PASSWORD === 'change',
    isReapprovalRequired: environment.REAPPROVAL === 'on',
    isReasonRequired: environment.REASONS === 'required',
  }));
