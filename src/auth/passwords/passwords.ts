// Passwords, hashed with argon2id. They are stored only in the vault, never in the log or in read models.
import { hash, verify } from '@node-rs/argon2';
import pLimit from 'p-limit';
import type { Vault } from '../../infrastructure/vault/vault.js';

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

/** The passwords of users. */
export class Passwords {
  readonly #vault: Vault;
  readonly #limit = pLimit(passwordLimits.atOnce);

  constructor(vault: Vault) {
    this.#vault = vault;
  }

  /**
   * Stores the password of a user who has none. Does nothing if the user already has one, for example from an earlier
   * attempt of the same request. `isInitial` means that an administrator chose the password. Rejects with
   * `TooManyPasswords`, and with `StoreUnavailable` while the vault is unavailable.
   */
  async keep(userId: string, password: string, { isInitial = false } = {}): Promise<void> {
    const value: StoredPassword = { hash: await this.#hash(password), ...(isInitial && { initial: 'unused' }) };
    await this.#vault.insert({ ...keyOf(userId), value, subject: userId });
  }

  /**
   * Marks a password that an administrator chose as used. Returns false if it was already used. A password that the
   * user chose can be used any number of times.
   */
  async useInitial(userId: string): Promise<boolean> {
    const found = await this.#vault.get<StoredPassword>(keyOf(userId));
    if (found?.value.initial === undefined) return true;
    const value: StoredPassword = { ...found.value, initial: 'used' };
    const isFirst = found.value.initial === 'unused';
    return isFirst && (await this.#vault.replace({ ...keyOf(userId), value, subject: userId }, found.version));
  }

  /** Removes the password of a user. */
  async forget(userId: string): Promise<void> {
    await this.#vault.remove(keyOf(userId));
  }

  /**
   * Returns whether a password is the user's. Takes the same time if there is no such user (undefined) or the user has
   * no password. Rejects as `keep` does.
   */
  async verify(userId: string | undefined, password: string): Promise<boolean> {
    return (await this.match(userId, password)) !== undefined;
  }

  /** Verifies a password as `verify` does. Returns the version of a correct password, which `replace` requires. */
  async match(userId: string | undefined, password: string): Promise<number | undefined> {
    const stored = await this.#vault.get<StoredPassword>(keyOf(userId ?? UNKNOWN_USER));
    const isRight = await this.#limited(() => verify(stored?.value.hash ?? UNKNOWN_USERS_HASH, password));
    return isRight ? stored?.version : undefined;
  }

  /** Returns the version of a user's password; undefined if the user has none. */
  async versionOf(userId: string): Promise<number | undefined> {
    return (await this.#vault.get(keyOf(userId)))?.version;
  }

  /**
   * Replaces a user's password if it still has this version; undefined means that the user has none. Returns false if
   * the version has changed. The user has either the old or the new password at every moment. Rejects as `keep` does.
   */
  async replace(userId: string, password: string, version: number | undefined): Promise<boolean> {
    const entry = { ...keyOf(userId), value: { hash: await this.#hash(password) }, subject: userId };
    return version === undefined ? this.#vault.insert(entry) : this.#vault.replace(entry, version);
  }

  /**
   * Throws `TooManyPasswords` if one more password would be rejected now. Call this before a step that cannot be
   * undone.
   */
  refuseWhenFull(): void {
    if (this.#limit.pendingCount >= passwordLimits.waiting) throw new TooManyPasswords();
  }

  #hash(password: string): Promise<string> {
    return this.#limited(() => hash(password, passwordCost));
  }

  async #limited<T>(work: () => Promise<T>): Promise<T> {
    this.refuseWhenFull();
    return this.#limit(work);
  }
}

const UNKNOWN_USER = 'nobody';

const keyOf = (userId: string) => ({ kind: 'password', key: userId });
// The hash of a password that nobody knows, made with `passwordCost`.
const UNKNOWN_USERS_HASH =
  '$argon2id$v=19$m=19456,t=2,p=1$ZFLqLH9JvxxkLvAlrqJOAQ$b/UYppMygEkhJyjZGslvSPykinInUv7gDaBwvt8AL1E';
