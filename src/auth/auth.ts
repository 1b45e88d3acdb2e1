// Composes authentication: sign-in, sign-up, sessions, codes and password changes.
import type { KeyObject } from 'node:crypto';
import type { Claims } from '../commands/claims.js';
import type { CommandHandler } from '../commands/handle-command.js';
import type { Streams } from '../commands/streams.js';
import type { Vault } from '../infrastructure/vault/vault.js';
import { BackgroundTasks } from './background-tasks.js';
import type { Codes } from './codes/codes.js';
import { VaultCodes } from './codes/vault-codes.js';
import { ContactChanges } from './contact-changes.js';
import { OwedMessages } from './owed-messages.js';
import { PasswordChanges } from './password-changes.js';
import type { Passwords } from './passwords/passwords.js';
import { endingSessions } from './sessions/ending-handler.js';
import { SignInFailures } from './sessions/failures.js';
import { Sessions } from './sessions/sessions.js';
import { SignIns } from './sessions/sign-ins.js';
import { SignUps } from './sign-up.js';
import { AccessTokens, type Bearer, DEFAULT_ISSUER } from './tokens/access-tokens.js';
import { CustomTokens, type ServiceAccount } from './tokens/custom-tokens.js';
import { SigningKeys } from './tokens/signing-keys.js';

/** The operator's settings for authentication. */
export interface AuthSettings {
  /** The public URL of the service and issuer of its tokens; undefined if it has none. */
  readonly publicUrl?: string | undefined;
  /** The account that signs custom tokens; undefined: the service's own key signs them. */
  readonly serviceAccount?: ServiceAccount | undefined;
  /** Whether users must prove a contact address before they can sign in. Default: false. */
  readonly isActivationRequired?: boolean;
  /** Whether a password that an administrator chose works only once. Default: false. */
  readonly isInitialPasswordUsedOnce?: boolean;
  /** Multiplies the hourly limits on messages; undefined: no limit. Default: 1. */
  readonly quotaFactor?: number | undefined;
  /**
   * Whether an approved profile needs a new approval after its user changes a field that the approval depends on.
   * Default: false.
   */
  readonly isReapprovalRequired?: boolean;
  /** The country calling codes to which SMS may be sent; undefined: every country. */
  readonly smsCallingCodes?: readonly string[] | undefined;
  /** Called with the error of a task that failed after the response was sent. */
  readonly onError?: (error: unknown) => void;
  /** Called when a message waits for the relay. If absent, the relay finds the message when it polls. */
  readonly onUnsentCode?: () => void;
}

/** The stores and services that authentication uses. */
interface AuthDependencies {
  readonly vault: Vault;
  readonly serviceKey: (name: string) => Promise<KeyObject>;
  readonly handle: CommandHandler;
  readonly streams: Streams;
  readonly claims: Claims;
  readonly passwords: Passwords;
}

/** The parts of authentication. */
export interface Auth {
  readonly signIns: SignIns;
  readonly signUps: SignUps;
  readonly passwordChanges: PasswordChanges;
  readonly contactChanges: ContactChanges;
  readonly sessions: Sessions;
  readonly signingKeys: SigningKeys;
  readonly codes: Codes;
  /** Handles commands, and ends the user's sessions after an event that requires it. */
  readonly handle: CommandHandler;
  /** Identifies the bearer of an access token, from data up to 5 s old or as of now, and the user of a session. */
  readonly guard: {
    readonly bearerOf: (token: string) => Promise<Bearer | undefined>;
    readonly currentBearerOf: (token: string) => Promise<Bearer | undefined>;
    readonly holderOf: (sessionId: string) => Promise<string | undefined>;
  };
  /** Starts sending the messages of changes whose requests were cut off. Returns before they are sent. */
  readonly sendOverdue: () => void;
  /** Resolves when all tasks that responses did not wait for have ended. */
  readonly settled: () => Promise<void>;
}

/** Returns the signing keys in a vault. */
export const signingKeysOf = ({ vault, serviceKey }: Pick<AuthDependencies, 'vault' | 'serviceKey'>): SigningKeys =>
  new SigningKeys(vault, () => serviceKey('signing-keys'));

/** Returns the key from which one-time codes are derived. Both issuing and sending a code need it. */
export const codeKey = (serviceKey: AuthDependencies['serviceKey']): Promise<KeyObject> => serviceKey('codes');

/** Composes authentication. */
export const authOf = (dependencies: AuthDependencies, settings: AuthSettings): Auth => {
  const { publicUrl, serviceAccount, onError, onUnsentCode } = settings;
  const { isActivationRequired = false, isInitialPasswordUsedOnce = false, isReapprovalRequired = false } = settings;
  const { vault, serviceKey, streams, claims, passwords } = dependencies;
  const issuer = publicUrl ?? DEFAULT_ISSUER;
  const signingKeys = signingKeysOf(dependencies);
  const sessions = new Sessions(vault, () => serviceKey('refresh-tokens'));
  const handle = endingSessions(dependencies.handle, sessions);
  const background = new BackgroundTasks(onError ?? (() => undefined));
  const failures = new SignInFailures(vault, () => serviceKey('sign-in-failures'));
  const signIns = new SignIns({
    handle,
    streams,
    claims,
    passwords,
    sessions,
    background,
    isActivationRequired,
    isInitialPasswordUsedOnce,
    tokens: new AccessTokens(signingKeys, { issuer }),
    customTokens: new CustomTokens(serviceAccount, signingKeys, issuer),
    failures,
  });
  const guard = {
    bearerOf: (token: string) => signIns.bearerOf(token),
    currentBearerOf: (token: string) => signIns.currentBearerOf(token),
    holderOf: async (sessionId: string) => (await sessions.get(sessionId))?.userId,
  };
  const codes = new VaultCodes({
    vault,
    key: () => codeKey(serviceKey),
    onUnsent: onUnsentCode ?? (() => undefined),
    ...('quotaFactor' in settings && { factor: settings.quotaFactor }),
  });
  const shared = { handle, streams, claims, passwords, codes, failures };
  const signUps = new SignUps({ ...shared, smsCallingCodes: settings.smsCallingCodes });
  const passwordChanges = new PasswordChanges({ ...shared, sessions });
  const contactChanges = new ContactChanges({ ...shared, owed: new OwedMessages(vault), isReapprovalRequired });
  const parts = { signIns, signUps, passwordChanges, contactChanges, sessions, signingKeys, codes };
  const sendOverdue = () => background.run(() => contactChanges.sendOverdue());
  return { ...parts, handle, guard, sendOverdue, settled: () => background.settled() };
};
