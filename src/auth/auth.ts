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
import type { Passwords } from './passwords.js';
import { Sessions } from './sessions.js';
import { SignIns } from './sign-ins.js';
import { SigningKeys } from './signing-keys.js';
import { AccessTokens, DEFAULT_ISSUER } from './tokens.js';
import { VaultCodes } from './vault-codes.js';

/** What an operator says of signing in. */
export interface AuthSettings {
  /** The public address of the service, the issuer of its tokens; undefined where it has none. */
  readonly publicUrl?: string | undefined;
  /** What signs custom tokens; undefined: the service's own key. */
  readonly serviceAccount?: ServiceAccount | undefined;
  /** Hears of what could not be recorded after an answer. */
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
  readonly sessions: Sessions;
  readonly signingKeys: SigningKeys;
  readonly codes: Codes;
  /** Handles commands; those that take a user's sessions away end them. */
  readonly handle: CommandHandler;
  /** Whether cookies are for HTTPS alone. */
  readonly isSecure: boolean;
  /** Resolves when all is recorded that answers did not wait for. */
  readonly settled: () => Promise<void>;
}

/** The signing keys in a vault. */
export const signingKeysOf = ({ vault, serviceKey }: Pick<Means, 'vault' | 'serviceKey'>): SigningKeys =>
  new SigningKeys(vault, () => serviceKey('signing-keys'));

/** The key that one-time codes follow from, for those who make them and for those who send them. */
export const codeKey = (serviceKey: Means['serviceKey']): Promise<KeyObject> => serviceKey('codes');

/** Puts it together. */
export const authOf = (means: Means, { publicUrl, serviceAccount, onError }: AuthSettings): Auth => {
  const { vault, work, serviceKey, streams, claims, passwords } = means;
  const issuer = publicUrl ?? DEFAULT_ISSUER;
  const signingKeys = signingKeysOf(means);
  const sessions = new Sessions(vault, () => serviceKey('refresh-tokens'));
  const handle = endingSessions(means.handle, sessions);
  const later = new Later(onError ?? (() => undefined));
  const signIns = new SignIns({
    ...{ handle, streams, claims, passwords, sessions, later },
    tokens: new AccessTokens(signingKeys, { issuer }),
    customTokens: new CustomTokens(serviceAccount, signingKeys, issuer),
    failures: new SignInFailures(vault, () => serviceKey('sign-in-failures')),
  });
  const codes = new VaultCodes({ vault, work, key: () => codeKey(serviceKey) });
  const isSecure = publicUrl?.startsWith('https:') ?? false;
  return { signIns, sessions, signingKeys, codes, handle, isSecure, settled: () => later.settled() };
};
