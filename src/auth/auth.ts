// All that signing in is made of, put together.
import type { KeyObject } from 'node:crypto';
import type { Claims } from '../commands/claims.js';
import type { CommandHandler } from '../commands/handle-command.js';
import type { Streams } from '../commands/streams.js';
import type { Vault } from '../infrastructure/vault/vault.js';
import type { Work } from '../infrastructure/work/work.js';
import type { Codes } from './codes.js';
import { CustomTokens, type ServiceAccount } from './custom-tokens.js';
import { endingSessions } from './ending.js';
import { SignInFailures } from './failures.js';
import { Later } from './later.js';
import { PasswordChanges } from './password-change.js';
import type { Passwords } from './passwords.js';
import { Sessions } from './sessions.js';
import { SignIns } from './sign-ins.js';
import { SignUps } from './sign-up.js';
import { SigningKeys } from './signing-keys.js';
import { AccessTokens, type Bearer, DEFAULT_ISSUER } from './tokens.js';
import { VaultCodes } from './vault-codes.js';

/** What an operator says of signing in. */
export interface AuthSettings {
  /** The public address of the service, the issuer of its tokens; undefined where it has none. */
  readonly publicUrl?: string | undefined;
  /** What signs custom tokens; undefined: the service's own key. */
  readonly serviceAccount?: ServiceAccount | undefined;
  /** Whether a user who has proved no contact yet may not sign in; absent: may. */
  readonly isActivationRequired?: boolean;
  /** Hears of what could not be done after an answer. */
  readonly onError?: (error: unknown) => void;
}

interface Means {
  readonly vault: Vault;
  readonly work: Work;
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
  readonly sessions: Sessions;
  readonly signingKeys: SigningKeys;
  readonly codes: Codes;
  /** Handles commands; those that take a user's sessions away end them. */
  readonly handle: CommandHandler;
  /** Tells who bears an access token, and whose a session is. */
  readonly guard: {
    readonly bearerOf: (token: string) => Promise<Bearer | undefined>;
    readonly holderOf: (sessionId: string) => Promise<string | undefined>;
  };
  /** Resolves when all is recorded that answers did not wait for. */
  readonly settled: () => Promise<void>;
}

/** The signing keys in a vault. */
export const signingKeysOf = ({ vault, serviceKey }: Pick<Means, 'vault' | 'serviceKey'>): SigningKeys =>
  new SigningKeys(vault, () => serviceKey('signing-keys'));

/** The key that one-time codes follow from, for those who make them and for those who send them. */
export const codeKey = (serviceKey: Means['serviceKey']): Promise<KeyObject> => serviceKey('codes');

/** Puts it together. */
export const authOf = (means: Means, settings: AuthSettings): Auth => {
  const { publicUrl, serviceAccount, onError, isActivationRequired = false } = settings;
  const { vault, work, serviceKey, streams, claims, passwords } = means;
  const issuer = publicUrl ?? DEFAULT_ISSUER;
  const signingKeys = signingKeysOf(means);
  const sessions = new Sessions(vault, () => serviceKey('refresh-tokens'));
  const handle = endingSessions(means.handle, sessions);
  const later = new Later(onError ?? (() => undefined));
  const failures = new SignInFailures(vault, () => serviceKey('sign-in-failures'));
  const signIns = new SignIns({
    ...{ handle, streams, claims, passwords, sessions, later, isActivationRequired },
    tokens: new AccessTokens(signingKeys, { issuer }),
    customTokens: new CustomTokens(serviceAccount, signingKeys, issuer),
    failures,
  });
  const guard = {
    bearerOf: (token: string) => signIns.bearerOf(token),
    holderOf: async (sessionId: string) => (await sessions.get(sessionId))?.userId,
  };
  const codes = new VaultCodes({ vault, work, key: () => codeKey(serviceKey) });
  const of = { handle, streams, claims, passwords, codes };
  const signUps = new SignUps({ ...of, later });
  const passwordChanges = new PasswordChanges({ ...of, sessions, failures });
  const parts = { signIns, signUps, passwordChanges, sessions, signingKeys, codes };
  return { ...parts, handle, guard, settled: () => later.settled() };
};
