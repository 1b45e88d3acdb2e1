// Keys as the vault holds them: wrapped by a master key, each bound to its own record.
import { createSecretKey, type KeyObject } from 'node:crypto';
import { StoreUnavailable } from '../errors.js';
import type { RecordKey } from '../vault/vault.js';
import { decrypt, encrypt } from './aes-gcm.js';
import type { MasterKey, MasterKeys } from './master-key.js';

/** The value of a key's record. */
export interface WrappedKey {
  /** The id of the master key that opens it. */
  readonly masterKey: string;
  /** Iv, ciphertext and tag in base64. */
  readonly wrapped: string;
}

/** The keys in the vault: a data key for each person, and the service's own by name. */
export const KINDS = ['person-key', 'service-key'] as const;
export type KeyKind = (typeof KINDS)[number];

/** The vault holds a key that none of the master keys at hand can open. Nothing may be read as erased for that. */
export class MasterKeyUnknown extends StoreUnavailable {
  constructor(id: string, origin: string) {
    super('a key in the vault', `it is wrapped by the master key ${id}: add that key to ${origin}, behind the current`);
    this.name = 'MasterKeyUnknown';
  }
}

/** Wraps a key for its record. */
export const wrap = ({ id, secret }: MasterKey, record: RecordKey, key: KeyObject): WrappedKey => ({
  masterKey: id,
  wrapped: encrypt(secret, key.export(), contextOf(record)).toString('base64'),
});

/** The key of a record; undefined where it was altered. Throws `MasterKeyUnknown` where its master key is not at hand. */
export const unwrap = (
  masterKeys: MasterKeys,
  { kind, key, value }: RecordKey & { readonly value: WrappedKey },
): KeyObject | undefined => {
  const master = masterKeys.find(value.masterKey);
  if (master === undefined) throw new MasterKeyUnknown(value.masterKey, masterKeys.origin);
  const bytes = decrypt(master.secret, Buffer.from(value.wrapped, 'base64'), contextOf({ kind, key }));
  return bytes && createSecretKey(bytes);
};

const contextOf = ({ kind, key }: RecordKey): string => JSON.stringify([kind, key]);
