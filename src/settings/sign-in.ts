// The environment variables for accounts and sign-in. Each is documented here, once.
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { parseServiceAccount, SERVICE_ACCOUNT_ADVICE, type ServiceAccount } from '../auth/tokens/custom-tokens.js';
import { fileFault } from '../infrastructure/errors.js';

const PATH_ADVICE = 'must be the path of a file: set FIREBASE_SERVICE_ACCOUNT to the JSON key itself';
const LONGEST_PATH = 255;

/** Returns the service account in a file, or the fault of the file. */
const accountIn = (file: string): ServiceAccount | string => {
  // Some people set the variable to the key.
  if (file.length > LONGEST_PATH || /[{\n]/.test(file)) return PATH_ADVICE;
  try {
    return parseServiceAccount(readFileSync(file, 'utf8')) ?? `the file ${file} ${SERVICE_ACCOUNT_ADVICE}`;
  } catch (error) {
    return fileFault(error, file);
  }
};

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
    FIREBASE_SERVICE_ACCOUNT: z.string().optional(),
    /** A file with the JSON key of a Google service account. Ignored if FIREBASE_SERVICE_ACCOUNT is set. */
    GOOGLE_APPLICATION_CREDENTIALS: z.string().optional(),
  })
  .transform((environment, { addIssue }) => {
    const { FIREBASE_SERVICE_ACCOUNT: json, GOOGLE_APPLICATION_CREDENTIALS: file } = environment;
    const account =
      json === undefined ? file && accountIn(file) : (parseServiceAccount(json) ?? SERVICE_ACCOUNT_ADVICE);
    if (typeof account === 'string') {
      const name = json === undefined ? 'GOOGLE_APPLICATION_CREDENTIALS' : 'FIREBASE_SERVICE_ACCOUNT';
      addIssue({ code: 'custom', path: [name], message: account });
    }
    return {
      serviceAccount: typeof account === 'object' ? account : undefined,
      isActivationRequired: environment.ACTIVATION === 'required',
      isInitialPasswordUsedOnce: environment.INITIAL_PASSWORD === 'change',
      isReapprovalRequired: environment.REAPPROVAL === 'on',
      isReasonRequired: environment.REASONS === 'required',
    };
  });
