// The keys in the vault: one for each person, which seals the person's fields, and the keys of the service.
import type { KeyObject } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { STORES, StoreUnavailable } from '../errors.js';
import type { Fault } from '../fault.js';
import { newKey } from '../sealed/aes-gcm.js';
import type { Vault, VaultRecord } from '../vault/vault.js';
import type { MasterKeys } from './master-key.js';
import { countKeys, type KeyCounts, type Rotation, rotateKeys } from './rotation.js';
import { type KeyKind, unwrap, type WrappedKey, wrap } from './wrapping.js';

export interface KeyringOptions {
  /** Called with a key whose record was altered. Such a key reads as lost. */
  readonly onDamaged?: (kind: KeyKind, key: string) => void;
  /** Called before the first key is used or made. Rejects if this program must not use the stores. */
  readonly admit?: () => Promise<unknown>;
}

// After this time, no process keeps the key of an erased person in memory.
const CACHE_TTL_MS = 60_000;
const CACHED_KEYS = 10_000;
// The first key of every vault. A process that cannot open it has the wrong master keys and must not create other keys.
const SENTINEL = 'sentinel-2';
const UNREADABLE = 'This process cannot read `master.key`, so nobody can sign up: correct its owner, or restore it.';

/**
 * The keys of persons and of the service. Calls reject with `StoreUnavailable` while the vault is unavailable, and with
 * `MasterKeyUnknown` if none of the known master keys opens a key.
 */
export class Keyring {
  readonly #vault: Vault;
  readonly #masterKeys: MasterKeys;
  readonly #options: KeyringOptions;
  // Caches unwrapped keys, but every call still reads the vault: an erased person has no record there.
  readonly #unwrapped = new LRUCache<string, Pick<WrappedKey, 'wrapped'> & { readonly key: KeyObject }>({
    max: CACHED_KEYS,
    ttl: CACHE_TTL_MS,
    ttlAutopurge: true,
  });
  readonly #ofService = new Map<string, Promise<KeyObject>>();
  #admitted: Promise<unknown> | undefined;

  constructor(vault: Vault, masterKeys: MasterKeys, options: KeyringOptions = {}) {
    this.#vault = vault;
    this.#masterKeys = masterKeys;
    this.#options = options;
  }

  get origin(): string {
    return this.#masterKeys.origin;
  }

  /** Rejects if this program must not use the stores. Asks until it may, and then no more. */
  admit(): Promise<unknown> {
    this.#admitted ??= Promise.resolve(this.#options.admit?.()).catch((error: unknown) => {
      this.#admitted = undefined;
      throw error;
    });
    return this.#admitted;
  }

  /** Rejects unless this program may use the vault and the master keys fit it. Creates no key. */
  async check(): Promise<void> {
    await this.admit();
    const sentinel = await this.#vault.get<WrappedKey>({ kind: 'service-key', key: SENTINEL });
    if (sentinel !== undefined) this.#undamaged('service-key', sentinel);
  }

  /** Returns the current keys of persons, with one read of the vault. Omits persons without a key. */
  async ofPersons(persons: readonly string[]): Promise<ReadonlyMap<string, KeyObject>> {
    if (persons.length === 0) return new Map();
    const found = await this.#vault.getMany<WrappedKey>('person-key', persons);
    const keys = found.flatMap((record) => {
      const key = this.#ofPerson(record);
      return key === undefined ? [] : [[record.key, key] as const];
    });
    return new Map(keys);
  }

  /** Returns the key of a person, and creates it if necessary. Concurrent calls create only one key. */
  async makeOfPerson(person: string): Promise<KeyObject> {
    await this.serviceKey(SENTINEL);
    return this.#madeOnce('person-key', person, person);
  }

  /** Returns a random key of 32 bytes that all processes share. The first call creates the key. */
  serviceKey(name: string): Promise<KeyObject> {
    const known = this.#ofService.get(name);
    if (known !== undefined) return known;
    const made = this.#serviceKey(name);
    this.#ofService.set(name, made);
    made.catch(() => this.#ofService.delete(name));
    return made;
  }

  forget(person: string): void {
    this.#unwrapped.delete(person);
  }

  /** Returns the fault of a file of master keys that cannot be read. */
  async faults(): Promise<readonly Fault[]> {
    try {
      this.#masterKeys.current();
      return [];
    } catch {
      return [{ code: 'master-key-unreadable', detail: UNREADABLE }];
    }
  }

  counts(): Promise<KeyCounts> {
    return countKeys(this.#vault, this.#masterKeys);
  }

  /** Wraps every key with the current master key, or with a new one if the keys are in a file. */
  rotate(): Promise<Rotation> {
    return rotateKeys(this.#vault, this.#masterKeys);
  }

  async #serviceKey(name: string): Promise<KeyObject> {
    await (name === SENTINEL ? this.check() : this.serviceKey(SENTINEL));
    const record = await this.#vault.get<WrappedKey>({ kind: 'service-key', key: name });
    return record === undefined ? this.#madeOnce('service-key', name) : this.#undamaged('service-key', record);
  }

  async #madeOnce(kind: KeyKind, name: string, subject?: string): Promise<KeyObject> {
    const made = newKey();
    const record = { kind, key: name, subject };
    const master = this.#masterKeys.current();
    if (await this.#vault.insert({ ...record, value: wrap(master, record, made) })) {
      // A concurrent rotation may have missed this record. If it has not, the version differs and nothing is replaced.
      const now = this.#masterKeys.current();
      if (now.id !== master.id) await this.#vault.replace({ ...record, value: wrap(now, record, made) }, 1);
      return made;
    }
    const found = await this.#vault.get<WrappedKey>(record);
    if (found === undefined) throw new StoreUnavailable(STORES.vault, `the ${kind} ${name} was erased just now`);
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
    if (key === undefined) this.#options.onDamaged?.(kind, record.key);
    return key;
  }

  #undamaged(kind: KeyKind, record: VaultRecord<WrappedKey>): KeyObject {
    const key = this.#opened(kind, record);
    if (key === undefined) throw new StoreUnavailable(STORES.vault, `the ${kind} ${record.key} was altered`);
    return key;
  }
}
