// Passwords: hashed by argon2id and kept in the vault, never in facts or views.
import { hash, verify } from '@node-rs/argon2';
import pLimit from 'p-limit';
import type { Vault } from '../../infrastructure/vault/vault.js';

/** Argon2id (the library's default variant) with the second choice of OWASP's Password Storage Cheat Sheet: 19 MiB each. */
export const passwordCost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;

/** So many are hashed at once, so that other work has the rest of the machine's threads; so many may wait. */
export const passwordLimits = { atOnce: 2, waiting: 100 } as const;

/** More passwords wait to be hashed than can be in a short time. Nothing was done. */
export class TooManyPasswords extends Error {
  constructor() {
    super(`${passwordLimits.waiting} passwords wait to be hashed`);
    this.name = 'TooManyPasswords';
  }
}

interface StoredPassword {
  readonly hash: string;
  /** Present if somebody else chose the password: whether its user has signed in with it. */
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
   * Keeps the password of a user who has none yet; the same request again finds it kept and leaves it. `isInitial`: somebody
   * else chose the password. Rejects with
   * `TooManyPasswords`, and with `StoreUnavailable` where the vault cannot answer.
   */
  async keep(userId: string, password: string, { isInitial = false } = {}): Promise<void> {
    const value: StoredPassword = { hash: await this.#hash(password), ...(isInitial && { initial: 'unused' }) };
    await this.#vault.insert({ ...keyOf(userId), value, subject: userId });
  }

  /**
   * Marks the password that somebody else chose for a user as used. Returns false if it was used before. A password that
   * the user chose can be used any number of times.
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
   * Whether it is the password of a user. Where there is no such user (undefined), or one without a password, it takes
   * the same time to say no. Rejects as `keep` does.
   */
  async verify(userId: string | undefined, password: string): Promise<boolean> {
    return (await this.match(userId, password)) !== undefined;
  }

  /** As `verify`; gives the version that the right password has, by which it can be replaced. */
  async match(userId: string | undefined, password: string): Promise<number | undefined> {
    const kept = await this.#vault.get<StoredPassword>(keyOf(userId ?? NOBODY));
    const isRight = await this.#limited(() => verify(kept?.value.hash ?? NOBODYS, password));
    return isRight ? kept?.version : undefined;
  }

  /** The version of a user's password; undefined where there is none. */
  async versionOf(userId: string): Promise<number | undefined> {
    return (await this.#vault.get(keyOf(userId)))?.version;
  }

  /**
   * Replaces a user's password that still has this version (undefined: where there is none); false where it has not: then
   * another one is kept. There is a password at every moment, the one before or this one. Rejects as `keep` does.
   */
  async replace(userId: string, password: string, version: number | undefined): Promise<boolean> {
    const entry = { ...keyOf(userId), value: { hash: await this.#hash(password) }, subject: userId };
    return version === undefined ? this.#vault.insert(entry) : this.#vault.replace(entry, version);
  }

  /** Throws `TooManyPasswords` where one more would be refused now: for a look before what cannot be taken back. */
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

const NOBODY = 'nobody';

const keyOf = (userId: string) => ({ kind: 'password', key: userId });
// Of a password that nobody knows, at the same cost as `passwordCost`.
const NOBODYS = '$argon2id$v=19$m=19456,t=2,p=1$ZFLqLH9JvxxkLvAlrqJOAQ$b/UYppMygEkhJyjZGslvSPykinInUv7gDaBwvt8AL1E';
