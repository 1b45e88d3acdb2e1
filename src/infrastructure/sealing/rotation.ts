// Rotation of the master key: every key in the vault is wrapped anew, the facts are not touched. It goes on beside
// running services, and where it is cut off the next one goes on.
import type { KeyObject } from 'node:crypto';
import type { Vault, VaultRecord } from '../vault/vault.js';
import type { MasterKey, MasterKeys } from './master-key.js';
import { type KeyKind, KINDS, MasterKeyUnknown, unwrap, type WrappedKey, wrap } from './wrapping.js';

/** What a rotation did. */
export interface Rotation {
  /** The id of the master key that now wraps. */
  readonly current: string;
  readonly rewrapped: number;
  /** The keys that could not be opened and stay as they are, for want of their master key or as they were altered. */
  readonly left: readonly { readonly kind: KeyKind; readonly key: string; readonly reason: string }[];
}

// So many are wrapped at once: few enough for the connections of a process.
const PAGE = 50;
const LOCK = { kind: 'lock', key: 'keys-rotate', value: null };
const LOCKED_MS = 60_000;

/** How many keys each master key wraps. */
export interface KeyCounts {
  /** The id of the current master key. */
  readonly current: string;
  /** By the id of the master key; the current one is there also where it wraps none. */
  readonly counts: ReadonlyMap<string, number>;
}

/** Counts the keys in the vault by the master key that wraps them. */
export const countKeys = async (vault: Vault, masterKeys: MasterKeys): Promise<KeyCounts> => {
  const { id: current } = masterKeys.current();
  const counts = new Map([[current, 0]]);
  for await (const { records } of wrappedKeys(vault)) {
    for (const { value } of records) counts.set(value.masterKey, (counts.get(value.masterKey) ?? 0) + 1);
  }
  return { current, counts };
};

/** Rotates. Rejects where another rotation is under way: of two at once, each would undo the other's. */
export const rotateKeys = async (vault: Vault, masterKeys: MasterKeys): Promise<Rotation> => {
  const lock = await Lock.taken(vault);
  try {
    masterKeys.renew();
    const first = await passes(vault, masterKeys, lock);
    masterKeys.retire();
    // A process that had not looked again may have made a key by the old one until now.
    const second = await passes(vault, masterKeys, lock);
    return { ...second, rewrapped: first.rewrapped + second.rewrapped };
  } finally {
    // Where that fails, the lock lapses by itself.
    await lock.release().catch(() => false);
  }
};

// Until nothing is found: behind a pass, others may have made keys by the master key before.
const passes = async (vault: Vault, masterKeys: MasterKeys, lock: Lock): Promise<Rotation> => {
  for (let rewrapped = 0; ; ) {
    const pass = await onePass(vault, masterKeys, lock);
    rewrapped += pass.rewrapped;
    if (pass.rewrapped === 0) return { ...pass, rewrapped };
  }
};

const onePass = async (vault: Vault, masterKeys: MasterKeys, lock: Lock): Promise<Rotation> => {
  const current = masterKeys.current();
  const left: Rotation['left'][number][] = [];
  let rewrapped = 0;
  for await (const { kind, records } of wrappedKeys(vault)) {
    await lock.prolong();
    const old = records.filter(({ value }) => value.masterKey !== current.id);
    const opened = old.map((record) => ({ kind, record, ...openedOf(masterKeys, record) }));
    for (const { record, reason } of opened) if (reason !== undefined) left.push({ kind, key: record.key, reason });
    const done = await Promise.all(
      opened.map(({ record, key }) => key && rewrap(vault, current, { kind, record, key })),
    );
    rewrapped += done.filter((isDone) => isDone !== undefined).length;
  }
  return { current: current.id, rewrapped, left };
};

/** The key of a record, or why there is none. */
const openedOf = (masterKeys: MasterKeys, record: VaultRecord<WrappedKey>): { key?: KeyObject; reason?: string } => {
  try {
    const key = unwrap(masterKeys, record);
    return key === undefined ? { reason: 'it was altered' } : { key };
  } catch (error) {
    if (error instanceof MasterKeyUnknown) return { reason: `the master key ${record.value.masterKey} is not at hand` };
    throw error;
  }
};

interface Opened {
  readonly kind: KeyKind;
  readonly record: VaultRecord<WrappedKey>;
  readonly key: KeyObject;
}

// A key that was erased or changed meanwhile is left to whoever did that.
const rewrap = (vault: Vault, current: MasterKey, { kind, record, key }: Opened): Promise<boolean> => {
  const subject = kind === 'person-key' ? record.key : undefined;
  return vault.replace({ kind, key: record.key, value: wrap(current, record, key), subject }, record.version);
};

async function* wrappedKeys(vault: Vault) {
  for (const kind of KINDS) {
    for (let after: string | undefined; ; ) {
      const records: readonly VaultRecord<WrappedKey>[] = await vault.ofKind<WrappedKey>(kind, after, PAGE);
      after = records.at(-1)?.key;
      if (after === undefined) break;
      yield { kind, records };
    }
  }
}

// One rotation at a time; the lock of one that was killed lapses.
class Lock {
  readonly #vault: Vault;
  #version: number;

  private constructor(vault: Vault, version: number) {
    this.#vault = vault;
    this.#version = version;
  }

  static async taken(vault: Vault): Promise<Lock> {
    const isTaken = await vault.insert({ ...LOCK, expiresAt: Date.now() + LOCKED_MS });
    const record = isTaken ? await vault.get(LOCK) : undefined;
    if (record === undefined) {
      throw new Error('another rotation is under way; one that was cut off is no longer waited for after a minute');
    }
    return new Lock(vault, record.version);
  }

  async prolong(): Promise<void> {
    const isHeld = await this.#vault.replace({ ...LOCK, expiresAt: Date.now() + LOCKED_MS }, this.#version);
    if (!isHeld) throw new Error('the rotation took too long and another has begun; start it again');
    this.#version += 1;
  }

  async release(): Promise<void> {
    await this.#vault.remove(LOCK, this.#version);
  }
}
