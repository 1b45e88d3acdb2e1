// The keys in the vault: one of each person, that their personal fields are sealed with, and the service's own.
import type { KeyObject } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { StoreUnavailable } from '../errors.js';
import type { Vault, VaultRecord } from '../vault/vault.js';
import { newKey } from './aes-gcm.js';
import type { MasterKeys } from './master-key.js';
import { countKeys, type KeyCounts, type Rotation, rotateKeys } from './rotation.js';
import { type KeyKind, unwrap, type WrappedKey, wrap } from './wrapping.js';

export interface KeyringOptions {
  /** Hears of a key whose record was altered: it reads as lost. */
  readonly onDamaged?: (kind: KeyKind, key: string) => void;
}

/** The key of a person and the text that it was unwrapped from. */
interface Unwrapped {
  readonly wrapped: string;
  readonly key: KeyObject;
}

// After this time the key of an erased person has left the memory of every process.
const KEPT_MS = 60_000;
const KEPT_KEYS = 10_000;
// Made before any other key: whoever cannot open it has other master keys than the vault, and may make none.
const SENTINEL = 'sentinel';

/**
 * The keys of persons and of the service. Calls reject with `StoreUnavailable` while the vault cannot answer, and with
 * `MasterKeyUnknown` where it holds a key that the master keys at hand do not open.
 */
export class Keyring {
  readonly #vault: Vault;
  readonly #masterKeys: MasterKeys;
  readonly #onDamaged: (kind: KeyKind, key: string) => void;
  // Spares unwrapping, never the look into the vault: an erased person has no record there.
  readonly #unwrapped = new LRUCache<string, Unwrapped>({ max: KEPT_KEYS, ttl: KEPT_MS, ttlAutopurge: true });
  readonly #ofService = new Map<string, Promise<KeyObject>>();

  constructor(vault: Vault, masterKeys: MasterKeys, { onDamaged }: KeyringOptions = {}) {
    this.#vault = vault;
    this.#masterKeys = masterKeys;
    this.#onDamaged = onDamaged ?? (() => undefined);
  }

  /** Where the master keys come from, as an operator knows it. */
  get origin(): string {
    return this.#masterKeys.origin;
  }

  /** Makes sure that the master keys are those that the vault was used with. Nothing is made. */
  async check(): Promise<void> {
    const sentinel = await this.#vault.get<WrappedKey>({ kind: 'service-key', key: SENTINEL });
    if (sentinel !== undefined) this.#undamaged('service-key', sentinel);
  }

  /**
   * Returns the keys of persons as the vault has them now, with one read of the vault. Leaves out persons whose key was
   * erased or lost, and persons who never had one.
   */
  async ofPersons(persons: readonly string[]): Promise<ReadonlyMap<string, KeyObject>> {
    if (persons.length === 0) return new Map();
    const found = await this.#vault.getMany<WrappedKey>('person-key', persons);
    const keys = found.flatMap((record) => {
      const key = this.#ofPerson(record);
      return key === undefined ? [] : [[record.key, key] as const];
    });
    return new Map(keys);
  }

  /** The key of a person who may have none yet: makes it once, whoever else makes it at the same time. */
  async makeOfPerson(person: string): Promise<KeyObject> {
    await this.serviceKey(SENTINEL);
    return this.#madeOnce('person-key', person, person);
  }

  /** A random key of 32 bytes that all processes share, made when it is first asked for; for HMACs and the like. */
  serviceKey(name: string): Promise<KeyObject> {
    const known = this.#ofService.get(name);
    if (known !== undefined) return known;
    const made = this.#serviceKey(name);
    this.#ofService.set(name, made);
    made.catch(() => this.#ofService.delete(name));
    return made;
  }

  /** Forgets what this process remembers of a person's key. */
  forget(person: string): void {
    this.#unwrapped.delete(person);
  }

  /** How many keys each master key wraps. */
  counts(): Promise<KeyCounts> {
    return countKeys(this.#vault, this.#masterKeys);
  }

  /** Wraps every key by the current master key, a new one where it is not the operator who brings it. */
  rotate(): Promise<Rotation> {
    return rotateKeys(this.#vault, this.#masterKeys);
  }

  async #serviceKey(name: string): Promise<KeyObject> {
    if (name !== SENTINEL) await this.serviceKey(SENTINEL);
    const record = await this.#vault.get<WrappedKey>({ kind: 'service-key', key: name });
    return record === undefined ? this.#madeOnce('service-key', name) : this.#undamaged('service-key', record);
  }

  async #madeOnce(kind: KeyKind, name: string, subject?: string): Promise<KeyObject> {
    const made = newKey();
    const record = { kind, key: name, subject };
    const master = this.#masterKeys.current();
    if (await this.#vault.insert({ ...record, value: wrap(master, record, made) })) {
      // A rotation that has begun meanwhile may have passed this record by; if it has not, the version is another.
      const now = this.#masterKeys.current();
      if (now.id !== master.id) await this.#vault.replace({ ...record, value: wrap(now, record, made) }, 1);
      return made;
    }
    const found = await this.#vault.get<WrappedKey>(record);
    if (found === undefined) throw new StoreUnavailable('the vault', `the ${kind} ${name} was erased just now`);
    return this.#undamaged(kind, found);
  }

  #ofPerson(record: VaultRecord<WrappedKey>): KeyObject | undefined {
    const { wrapped } = record.value;
    const known = this.#unwrapped.get(record.key);
    if (known?.wrapped === wrapped) return known.key;
    const key = this.#opened('person-key', record);
    if (key !== undefined) this.#unwrapped.set(record.key, { wrapped, key });
    return key;
  }

  #opened(kind: KeyKind, record: VaultRecord<WrappedKey>): KeyObject | undefined {
    const key = unwrap(this.#masterKeys, record);
    if (key === undefined) this.#onDamaged(kind, record.key);
    return key;
  }

  #undamaged(kind: KeyKind, record: VaultRecord<WrappedKey>): KeyObject {
    const key = this.#opened(kind, record);
    if (key === undefined) throw new StoreUnavailable('the vault', `the ${kind} ${record.key} was altered`);
    return key;
  }
}
