// Passwords, normalized (NFKC) and hashed with argon2id. They are only in the vault, never in the log or in read models.
// Each hash is sealed for its user, so that nobody without the master key can make a hash that matches.
import { hash, verify } from '@node-rs/argon2';
import pLimit from 'p-limit';
import { decrypt, encrypt } from '../../infrastructure/sealed/aes-gcm.js';
import type { AllStores } from '../../infrastructure/stores.js';
import type { Vault, VaultEntry } from '../../infrastructure/vault/vault.js';

/**
 * Argon2id (the default of the library) with the second configuration of OWASP's Password Storage Cheat Sheet: 19 MiB.
 */
export const passwordCost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;

/** How many passwords are hashed at once, so that other work keeps the remaining threads, and how many may wait. */
export const passwordLimits = { atOnce: 2, waiting: 100 } as const;

/** Signals that too many passwords already wait to be hashed. Nothing was changed. */
export class TooManyPasswords extends Error {
  constructor() {
    super(`${passwordLimits.waiting} passwords are already waiting to be hashed`);
    this.name = 'TooManyPasswords';
  }
}

interface StoredPassword {
  readonly hash: string;
  /** Whether the user has signed in with a password that an administrator chose; absent if the user chose it. */
  readonly initial?: 'unused' | 'used';
}

/** A password that was right. `replace` requires its version. */
export interface Matched extends StoredPassword {
  readonly version: number;
}

export class Passwords {
  readonly #vault: Vault;
  readonly #serviceKey: AllStores['serviceKey'];
  readonly #limit = pLimit(passwordLimits.atOnce);

  constructor(vault: Vault, serviceKey: AllStores['serviceKey']) {
    this.#vault = vault;
    this.#serviceKey = serviceKey;
  }

  /**
   * Stores the password of a user who has none. Does nothing if the user already has one, for example from an earlier
   * attempt of the same request. `isInitial` means that an administrator chose the password. Rejects with
   * `TooManyPasswords`, and with `StoreUnavailable` while the vault is unavailable.
   */
  async keep(userId: string, password: string, { isInitial = false } = {}): Promise<void> {
    const stored: StoredPassword = { hash: await this.#hash(password), ...(isInitial && { initial: 'unused' }) };
    await this.#vault.insert(await this.#sealed(userId, stored));
  }

  /**
   * Marks a password that an administrator chose as used. Returns false if it was already used. A password that the
   * user chose can be used any number of times.
   */
  async useInitial(userId: string): Promise<boolean> {
    for (;;) {
      const found = await this.#opened(userId);
      if (found?.initial !== 'unused') return found?.initial === undefined;
      const used = await this.#sealed(userId, { hash: found.hash, initial: 'used' });
      if (await this.#vault.replace(used, found.version)) return true;
    }
  }

  async isInitialUsed(userId: string): Promise<boolean> {
    return (await this.#opened(userId))?.initial === 'used';
  }

  async forget(userId: string): Promise<void> {
    await this.#vault.remove(keyOf(userId));
  }

  /**
   * Returns whether a password is the user's. Takes the same time if there is no such user (undefined) or the user has
   * no password that this service has sealed. Rejects as `keep` does.
   */
  async verify(userId: string | undefined, password: string): Promise<boolean> {
    return (await this.match(userId, password)) !== undefined;
  }

  /** Verifies a password as `verify` does. Returns what is stored of a correct password. */
  async match(userId: string | undefined, password: string): Promise<Matched | undefined> {
    const stored = await this.#opened(userId ?? UNKNOWN_USER);
    const matches = await this.#limited(() => verify(stored?.hash ?? unknownUsersHash, normalized(password)));
    return userId !== undefined && matches ? stored : undefined;
  }

  /**
   * Hashes a password that was right again, if hashes cost more today. Does nothing if the password has changed since, or if
   * others wait: the next sign-in tries again.
   */
  async renew(userId: string, password: string, { version, ...stored }: Matched): Promise<void> {
    const { memoryCost, timeCost } = passwordCost;
    if (workOf(stored.hash) >= memoryCost * timeCost || this.#limit.pendingCount > 0) return;
    const renewed = await this.#sealed(userId, { ...stored, hash: await this.#hash(password) });
    await this.#vault.replace(renewed, version);
  }

  async versionOf(userId: string): Promise<number | undefined> {
    return (await this.#vault.get(keyOf(userId)))?.version;
  }

  /**
   * Replaces a user's password if it still has this version; undefined means that the user has none. Returns false if
   * the version has changed. The user has either the old or the new password at every moment. `before` runs once
   * the new password is hashed. Rejects as `keep` and `before` do.
   */
  async replace(
    userId: string,
    password: string,
    version: number | undefined,
    before?: () => Promise<void>,
  ): Promise<boolean> {
    const entry = await this.#sealed(userId, { hash: await this.#hash(password) });
    await before?.();
    if (version !== undefined) return this.#vault.replace(entry, version);
    return (await this.#vault.insert(entry)) !== undefined;
  }

  /**
   * Throws `TooManyPasswords` if one more password would be rejected now. Call this before a step that cannot be
   * undone.
   */
  refuseWhenFull(): void {
    if (this.#limit.pendingCount >= passwordLimits.waiting) throw new TooManyPasswords();
  }

  async #sealed(userId: string, stored: StoredPassword): Promise<VaultEntry> {
    const sealed = encrypt(await this.#serviceKey(KEY), JSON.stringify(stored), contextOf(userId)).toString('base64');
    return { ...keyOf(userId), value: { sealed }, subject: userId };
  }

  /** Returns the password of a user; undefined if there is none, or if it was not sealed for this user. */
  async #opened(userId: string): Promise<Matched | undefined> {
    const key = await this.#serviceKey(KEY);
    const record = await this.#vault.get<{ readonly sealed: string }>(keyOf(userId));
    // Somebody without the master key may have stored a hash that is not sealed.
    if (typeof record?.value.sealed !== 'string') return undefined;
    const opened = decrypt(key, Buffer.from(record.value.sealed, 'base64'), contextOf(userId));
    return opened && { ...(JSON.parse(opened.toString()) as StoredPassword), version: record.version };
  }

  #hash(password: string): Promise<string> {
    return this.#limited(() => hash(normalized(password), passwordCost));
  }

  async #limited<T>(work: () => Promise<T>): Promise<T> {
    this.refuseWhenFull();
    return this.#limit(work);
  }
}

const normalized = (password: string): string => password.normalize('NFKC');

const UNKNOWN_USER = 'nobody';

const KIND = 'password';
const KEY = 'passwords';
const keyOf = (userId: string) => ({ kind: KIND, key: userId });
const contextOf = (userId: string) => JSON.stringify([KIND, userId]);
/** The hash of a password that nobody knows, made with `passwordCost`. */
export const unknownUsersHash =
  '$argon2id$v=19$m=19456,t=2,p=1$ZFLqLH9JvxxkLvAlrqJOAQ$b/UYppMygEkhJyjZGslvSPykinInUv7gDaBwvt8AL1E';

/** Returns how much memory the making of a hash filled in all its passes, in KiB. */
const workOf = (hash: string): number => {
  const [, memory, passes] = /\$m=(\d+),t=(\d+),/.exec(hash) ?? [];
  return Number(memory) * Number(passes);
};
