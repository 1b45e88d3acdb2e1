// The port of the secrets: small mutable records that can be erased. One record is the unit of atomicity: everything
// that must happen once is a record that is inserted once, or replaced by compare-and-set on its version.

/** The kind of the records by which a value is one owner's. */
export const CLAIM_KIND = 'claim';

/**
 * For how long an expired claim keeps its version, in milliseconds. A claim is freed by its expiry, and a command that
 * frees or confirms it late must meet a version that has gone on, not a claim of another owner that counts from 1 again.
 * Records of other kinds hold secrets and personal data, and go as soon as they have expired.
 */
export const CLAIM_KEPT_MS = 24 * 60 * 60 * 1_000;

/** A kind of record and its key within the kind, never empty. Keys of personal values are HMACs, never the values. */
export interface RecordKey {
  readonly kind: string;
  readonly key: string;
}

/**
 * A record as it is stored. `version` counts its changes from 1. A record that is inserted over an expired one, before
 * that is purged, goes on counting from its version, so that no version held of the old one fits the new one.
 */
export interface VaultRecord<T = unknown> extends RecordKey {
  readonly value: T;
  readonly version: number;
  readonly expiresAt: number | undefined;
}

/** What to store: `value` is any JSON; `expiresAt` in epoch milliseconds; `subject` the person it belongs to. */
export interface VaultEntry extends RecordKey {
  readonly value: unknown;
  readonly expiresAt?: number | undefined;
  readonly subject?: string | undefined;
}

/**
 * The vault. An expired record is as if it were not there: expiry is decided at the read, purging only cleans up.
 * Every change resolves after it is on stable storage. Calls reject with `StoreUnavailable` while the engine cannot answer.
 */
export interface Vault {
  get<T>(key: RecordKey): Promise<VaultRecord<T> | undefined>;

  /** The records of a kind that have these keys, in any order; what is not there is left out. */
  getMany<T>(kind: string, keys: readonly string[]): Promise<readonly VaultRecord<T>[]>;

  /** At most `limit` records of a kind whose keys come after `after` (undefined: from the first), in order of key. */
  ofKind<T>(kind: string, after: string | undefined, limit: number): Promise<readonly VaultRecord<T>[]>;

  /** Stores a record that is not there; false where one is. Of many at once, one gets true. */
  insert(entry: VaultEntry): Promise<boolean>;

  /** Replaces the record, expiry and subject too, if it still has `version`; false where it has not, or is gone. */
  replace(entry: VaultEntry, version: number): Promise<boolean>;

  /** Removes the record, if it still has `version` where one is given; false where nothing was removed. */
  remove(key: RecordKey, version?: number): Promise<boolean>;

  /** The records of a kind that belong to a person. */
  ofSubject<T>(kind: string, subject: string): Promise<readonly VaultRecord<T>[]>;

  /** Removes every record of a person, of all kinds, expired ones too; gives how many. */
  removeSubject(subject: string): Promise<number>;

  /** Removes at most `limit` expired records and returns how many. Claims stay for `CLAIM_KEPT_MS` after they expire. */
  purgeExpired(limit: number): Promise<number>;

  /**
   * Makes what was removed or overwritten unreadable in the engine's files, as far as it is the engine that can do so.
   * Rejects with `StoreUnavailable` while somebody still reads it: call it again.
   */
  forget(): Promise<void>;

  close(): Promise<void>;
}

/**
 * Changes a record by compare-and-set, again and again until no other change comes in between. `change` gets the value and
 * its expiry. It returns the entry to store, or undefined to leave the record as it is.
 */
export const changeRecord = async <T>(
  vault: Vault,
  { kind, key }: RecordKey,
  change: (value: T | undefined, expiresAt: number | undefined) => VaultEntry | undefined,
): Promise<void> => {
  for (;;) {
    const found = await vault.get<T>({ kind, key });
    const next = change(found?.value, found?.expiresAt);
    if (next === undefined) return;
    if (await (found === undefined ? vault.insert(next) : vault.replace(next, found.version))) return;
  }
};
