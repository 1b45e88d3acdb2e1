// All that signing in is made of, put together.
import type { KeyObject } from 'node:crypto';
import type { Claims } from '../commands/claims.js';
import type { CommandHandler } from '../commands/handle-command.js';
import type { Streams } from '../commands/streams.js';
import type { SpanPlace } from '../infrastructure/tracing/tracing.js';
import type { Vault } from '../infrastructure/vault/vault.js';
import { BackgroundTasks } from './background-tasks.js';
import type { Codes } from './codes/codes.js';
import { VaultCodes } from './codes/vault-codes.js';
import { ContactChanges } from './contact-changes.js';
import { OwedMessages } from './owed-messages.js';
import { PasswordChanges } from './passwords/changes.js';
import type { Passwords } from './passwords/passwords.js';
import { endingSessions } from './sessions/ending-handler.js';
import { SignInFailures } from './sessions/failures.js';
import { Sessions } from './sessions/sessions.js';
import { SignIns } from './sessions/sign-ins.js';
import { SignUps } from './sign-up.js';
import { AccessTokens, type Bearer, DEFAULT_ISSUER } from './tokens/access-tokens.js';
import { CustomTokens, type ServiceAccount } from './tokens/custom-tokens.js';
import { SigningKeys } from './tokens/signing-keys.js';

/** What an operator says of signing in. */
export interface AuthSettings {
  /** The public address of the service, the issuer of its tokens; undefined where it has none. */
  readonly publicUrl?: string | undefined;
  /** What signs custom tokens; undefined: the service's own key. */
  readonly serviceAccount?: ServiceAccount | undefined;
  /** Whether a user who has proved no contact yet may not sign in; absent: may. */
  readonly isActivationRequired?: boolean;
  /** Whether a password that an administrator chose works once only; absent: it works on. */
  readonly isInitialPasswordUsedOnce?: boolean;
  /** Multiplies how many messages are sent within an hour; undefined: no limit. Absent: 1. */
  readonly quotaFactor?: number | undefined;
  /** Whether an approved profile must be approved again after its user changed what the approval rests on; absent: no. */
  readonly isReapprovalRequired?: boolean;
  /** The country calling codes that SMS go to; undefined: every country. */
  readonly smsCallingCodes?: readonly string[] | undefined;
  /** Hears of what could not be done after an answer. */
  readonly onError?: (error: unknown) => void;
  /** Runs when the message of a code waits for the relay; absent: the relay finds it by itself. */
  readonly onUnsentCode?: () => void;
  /** Returns the span around the call; absent: there are no spans. */
  readonly here?: (() => SpanPlace | undefined) | undefined;
}

/** What signing in works with. */
interface AuthDependencies {
  readonly vault: Vault;
  readonly serviceKey: (name: string) => Promise<KeyObject>;
  readonly handle: CommandHandler;
  readonly streams: Streams;
  readonly claims: Claims;
  readonly passwords: Passwords;
}

/** Signing in, over its stores. */
export interface Auth {
  readonly signIns: SignIns;
  readonly signUps: SignUps;
  readonly passwordChanges: PasswordChanges;
  readonly contactChanges: ContactChanges;
  readonly sessions: Sessions;
  readonly signingKeys: SigningKeys;
  readonly codes: Codes;
  /** Handles commands; those that take a user's sessions away end them. */
  readonly handle: CommandHandler;
  /** Tells who bears an access token, as known for up to 5 s or as of now, and whose a session is. */
  readonly guard: {
    readonly bearerOf: (token: string) => Promise<Bearer | undefined>;
    readonly bearerNow: (token: string) => Promise<Bearer | undefined>;
    readonly holderOf: (sessionId: string) => Promise<string | undefined>;
  };
  /** Has the messages sent that changes owe because their requests were cut off. Returns before they are sent. */
  readonly sendOverdue: () => void;
  /** Resolves when all is recorded that answers did not wait for. */
  readonly settled: () => Promise<void>;
}

/** The signing keys in a vault. */
export const signingKeysOf = ({ vault, serviceKey }: Pick<AuthDependencies, 'vault' | 'serviceKey'>): SigningKeys =>
  new SigningKeys(vault, () => serviceKey('signing-keys'));

/** The key that one-time codes follow from, for those who make them and for those who send them. */
export const codeKey = (serviceKey: AuthDependencies['serviceKey']): Promise<KeyObject> => serviceKey('codes');

/** Puts it together. */
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
    bearerNow: (token: string) => signIns.bearerNow(token),
    holderOf: async (sessionId: string) => (await sessions.get(sessionId))?.userId,
  };
  const codes = new VaultCodes({
    vault,
    key: () => codeKey(serviceKey),
    onUnsent: onUnsentCode ?? (() => undefined),
    ...(settings.here && { here: settings.here }),
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
