// A lock in the vault, which all processes share. The lock of a killed process expires.
import { StoreUnavailable } from '../errors.js';
import type { Vault } from './vault.js';

/** How long a lock is held without being prolonged, in milliseconds. */
export const LOCKED_MS = 60_000;

const entryOf = (key: string) => ({ kind: 'lock', key, value: null, expiresAt: Date.now() + LOCKED_MS });

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
    const version = await vault.insert(entryOf(key));
    return version === undefined ? undefined : new VaultLock(vault, key, version);
  }

  /** Begins the time of the lock again. Returns false if the lock has expired. */
  async prolong(): Promise<boolean> {
    const isHeld = await this.#vault.replace(entryOf(this.#key), this.#version);
    if (isHeld) this.#version += 1;
    return isHeld;
  }

  /** Releases the lock. Ignores an unavailable vault: the lock expires. */
  async release(): Promise<void> {
    await this.#vault.remove(entryOf(this.#key), this.#version).catch((error: unknown) => {
      if (!(error instanceof StoreUnavailable)) throw error;
    });
  }
}
