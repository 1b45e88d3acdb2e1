// Lists of Ed25519 keys. A list is one vault record with the newest key first. A service key seals the private keys.
import { createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { STORES, StoreUnavailable } from '../errors.js';
import { changeRecord, type RecordKey, type Vault } from '../vault/vault.js';
import { decrypt, encrypt } from './aes-gcm.js';

/** A new key: its name in the list, and its sealed private key (PKCS #8) in base64. */
export interface SealedKey {
  readonly name: string;
  readonly publicKey: KeyObject;
  readonly sealed: string;
}

/** The keys of a purpose, which is part of what seals them, such as `log-key`. */
export class SealedKeyList<K> {
  readonly #purpose: string;
  readonly #record: RecordKey;

  constructor(purpose: string, record: RecordKey) {
    this.#purpose = purpose;
    this.#record = record;
  }

  async list(vault: Vault): Promise<readonly K[]> {
    return (await vault.get<readonly K[]>(this.#record))?.value ?? [];
  }

  /** Replaces the list with what `change` returns; undefined keeps it. */
  change(vault: Vault, change: (keys: readonly K[]) => readonly K[] | undefined): Promise<void> {
    return changeRecord<readonly K[]>(vault, this.#record, (keys = []) => {
      const value = change(keys);
      return value && { ...this.#record, value };
    });
  }

  /** Creates a key without storing it. `nameOf` returns its name. */
  async make(secret: KeyObject, nameOf: (publicKey: KeyObject) => string | Promise<string>): Promise<SealedKey> {
    const { publicKey, privateKey } = generateKeyPairSync('ed25519');
    const name = await nameOf(publicKey);
    const pkcs8 = privateKey.export({ format: 'der', type: 'pkcs8' });
    return { name, publicKey, sealed: encrypt(secret, pkcs8, this.#contextOf(name)).toString('base64') };
  }

  /** Returns the private key of a sealed key. Throws `StoreUnavailable` if the record was altered. */
  open(secret: KeyObject, { name, sealed }: Pick<SealedKey, 'name' | 'sealed'>): KeyObject {
    const key = decrypt(secret, Buffer.from(sealed, 'base64'), this.#contextOf(name));
    if (key === undefined)
      throw new StoreUnavailable(STORES.vault, `the ${this.#purpose.replace('-', ' ')} ${name} was altered`);
    return createPrivateKey({ key, format: 'der', type: 'pkcs8' });
  }

  #contextOf(name: string): string {
    return `${this.#purpose} ${name}`;
  }
}
