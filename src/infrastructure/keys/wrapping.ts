// Keys as the vault stores them: wrapped with a master key and bound to their record.
import { createSecretKey, type KeyObject } from 'node:crypto';
import { StoreUnavailable } from '../errors.js';
import { decrypt, encrypt } from '../sealed/aes-gcm.js';
import type { RecordKey } from '../vault/vault.js';
import type { MasterKey, MasterKeys } from './master-key.js';

export interface WrappedKey {
  readonly masterKey: string;
  /** IV, ciphertext and tag in base64. */
  readonly wrapped: string;
}

/** The kinds of keys in the vault: one key per person, and the service keys by name. */
export const KINDS = ['person-key', 'service-key'] as const;
export type KeyKind = (typeof KINDS)[number];

/** Signals a key in the vault that no known master key opens. Its sealed fields must not be read as erased. */
export class MasterKeyUnknown extends StoreUnavailable {
  constructor(id: string, origin: string) {
    super(
      'a key in the vault',
      `it is wrapped with the master key ${id}: add that key to ${origin}, after the current key`,
    );
    this.name = 'MasterKeyUnknown';
  }
}

export const wrap = ({ id, secret }: MasterKey, record: RecordKey, key: KeyObject): WrappedKey => ({
  masterKey: id,
  wrapped: encrypt(secret, key.export(), contextOf(record)).toString('base64'),
});

/** Unwraps the key of a record. Returns undefined if it was altered. Throws `MasterKeyUnknown`. */
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
