// The port of the vault: small mutable records that can be erased. A record is the unit of atomicity. Anything that
// must happen only once is a record that is inserted once, or replaced with compare-and-set on its version.
import type { WrongSettings } from '../fault.js';
import { PAGE, pagesOf } from '../pages.js';

/** The kind of the records that reserve a unique value for its owner. */
export const CLAIM_KIND = 'claim';

export const LOCK_KIND = 'lock';

/**
 * The kinds whose expired records keep their version for `VERSION_KEPT_MS`. Such a record is freed by expiring. A
 * holder that frees it late must find a higher version, and not the record of another holder whose version started at 1
 * again. Records of other kinds hold secrets and personal data, and are removed as soon as they have expired.
 */
export const KEPT_KINDS: readonly string[] = [CLAIM_KIND, LOCK_KIND];

/** How long an expired record of `KEPT_KINDS` keeps its version, in milliseconds. */
export const VERSION_KEPT_MS = 24 * 60 * 60 * 1_000;

/** The kind of a record and its non-empty key within the kind. Keys of personal values are HMACs, never the values. */
export interface RecordKey {
  readonly kind: string;
  readonly key: string;
}

/**
 * A stored record. `version` counts its changes from 1. A record that replaces an expired record before the purge
 * continues its version, so that an old version never fits the new record.
 */
export interface VaultRecord<T = unknown> extends RecordKey {
  readonly value: T;
  readonly version: number;
  readonly expiresAt: number | undefined;
}

/** `value` is any JSON, `expiresAt` is in epoch milliseconds, `subject` is the person that the record belongs to. */
export interface VaultEntry extends RecordKey {
  readonly value: unknown;
  readonly expiresAt?: number | undefined;
  readonly subject?: string | undefined;
}

/**
 * The vault. Reads ignore expired records; purging only cleans up. A change resolves after it is on stable storage.
 * Calls reject with `StoreUnavailable` while the engine is unavailable.
 */
export interface Vault {
  get<T>(key: RecordKey): Promise<VaultRecord<T> | undefined>;

  /** Returns the records of a kind with these keys, in any order. Omits missing records. */
  getMany<T>(kind: string, keys: readonly string[]): Promise<readonly VaultRecord<T>[]>;

  /** Returns up to `limit` records of a kind by ascending key, behind `after` or from the first key. */
  ofKind<T>(kind: string, after: string | undefined, limit: number): Promise<readonly VaultRecord<T>[]>;

  /** Stores a record and returns its version; undefined if it exists. Of several concurrent calls, one stores it. */
  insert(entry: VaultEntry): Promise<number | undefined>;

  /** Replaces a record, including expiry and subject, if it still has `version`. Returns false if not. */
  replace(entry: VaultEntry, version: number): Promise<boolean>;

  /** Removes a record, provided it still has `version` if that is given. Returns whether a record was removed. */
  remove(key: RecordKey, version?: number): Promise<boolean>;

  ofSubject<T>(kind: string, subject: string): Promise<readonly VaultRecord<T>[]>;

  /** Removes all records of a person, including expired ones. Returns the number of removed records. */
  removeSubject(subject: string): Promise<number>;

  /** Returns how many expired records it removed, at most `limit`. Those of `KEPT_KINDS` stay for a day. */
  purgeExpired(limit: number): Promise<number>;

  /** Empties the write-ahead log, if the engine has one. Rejects with `StoreUnavailable` while the log is in use. */
  flush(): Promise<void>;

  /** Makes removed bytes unreadable, as far as the engine can. Rejects with `StoreUnavailable` while they are read. */
  forget(): Promise<void>;

  /** Returns what is wrong with the settings of the server. Absent if the engine is embedded. */
  wrongSettings?(): Promise<WrongSettings>;

  close(): Promise<void>;
}

/** Reads the records of a kind by ascending key, page by page. */
export const pagesOfKind = <T>(vault: Vault, kind: string) =>
  pagesOf(
    (after: string | undefined) => vault.ofKind<T>(kind, after, PAGE.items),
    (page) => (page.length < PAGE.items ? undefined : page.at(-1)?.key),
  );

/**
 * Changes a record with compare-and-set, and retries until no other change comes in between. `change` gets the value
 * and returns the entry to store, or undefined to keep the record unchanged.
 */
export const changeRecord = async <T>(
  vault: Vault,
  { kind, key }: RecordKey,
  change: (value: T | undefined) => VaultEntry | undefined,
): Promise<void> => {
  for (;;) {
    const found = await vault.get<T>({ kind, key });
    const next = change(found?.value);
    if (next === undefined) return;
    if (await (found === undefined ? vault.insert(next) : vault.replace(next, found.version))) return;
  }
};
