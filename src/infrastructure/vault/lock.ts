// A lock in the vault, which all processes share. The lock of a killed process expires.
import { ignoreUnavailable } from '../errors.js';
import { Waits } from '../waits.js';
import { LOCK_KIND, type Vault } from './vault.js';

/** How long a lock is held without being prolonged, in milliseconds. */
export const LOCKED_MS = 60_000;

const entryOf = (key: string, forMs = LOCKED_MS) => ({
  kind: LOCK_KIND,
  key,
  value: null,
  expiresAt: Date.now() + forMs,
});

const waits = new Waits();

export class VaultLock {
  readonly #vault: Vault;
  readonly #key: string;
  #version: number;

  private constructor(vault: Vault, key: string, version: number) {
    this.#vault = vault;
    this.#key = key;
    this.#version = version;
  }

  static async taken(vault: Vault, key: string): Promise<VaultLock | undefined> {
    const version = (await vault.insert(entryOf(key))) ?? (await takenFromAhead(vault, key));
    return version === undefined ? undefined : new VaultLock(vault, key, version);
  }

  /** Begins the time of the lock again. Returns false if the lock has expired. */
  async prolong(): Promise<boolean> {
    const isHeld = await this.#vault.replace(entryOf(this.#key), this.#version);
    if (isHeld) this.#version += 1;
    return isHeld;
  }

  /** Releases the lock by its expiry, which keeps its version. Ignores an unavailable vault: the lock expires. */
  async release(): Promise<void> {
    await this.#vault.replace(entryOf(this.#key, 0), this.#version).catch(ignoreUnavailable);
  }
}

/** Takes a lock that a clock which was ahead made last longer than any lock does. Returns its version as `insert` does. */
const takenFromAhead = async (vault: Vault, key: string): Promise<number | undefined> => {
  const found = await vault.get({ kind: LOCK_KIND, key });
  if (found === undefined) return undefined;
  const { version, expiresAt = 0 } = found;
  if (waits.left(`${key} ${expiresAt}`, expiresAt, LOCKED_MS, Date.now()) > 0) return undefined;
  return (await vault.replace(entryOf(key), version)) ? version + 1 : undefined;
};
