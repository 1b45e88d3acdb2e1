// The port of the secrets: small mutable records that can be erased. One record is the unit of atomicity: everything
// that must happen once is a record that is inserted once, or replaced by compare-and-set on its version.

/** A kind of record and its key within the kind, never empty. Keys of personal values are HMACs, never the values. */
export interface RecordKey {
  readonly kind: string;
  readonly key: string;
}

/**
 * A record as it is stored. `version` counts its changes from 1; a record inserted over an expired one goes on counting
 * from that one's version, so that no version held of the old one fits the new one.
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

  /** Removes at most `limit` expired records; gives how many. */
  purgeExpired(limit: number): Promise<number>;

  /**
   * Makes what was removed or overwritten unreadable in the engine's files, as far as it is the engine that can do so.
   * Rejects with `StoreUnavailable` while somebody still reads it: call it again.
   */
  forget(): Promise<void>;

  close(): Promise<void>;
}
