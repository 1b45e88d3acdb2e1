// A master key: it wraps the keys in the vault and is itself in no store.
import { createHash, createSecretKey, type KeyObject } from 'node:crypto';
import { newKey } from './aes-gcm.js';

/** A master key under its short name. The secret shows in no log: it is no text and no bytes until it is exported. */
export interface MasterKey {
  /** The first 8 hexadecimal digits of its SHA-256. */
  readonly id: string;
  readonly secret: KeyObject;
}

/** Where the master keys of this process come from. */
export interface MasterKeys {
  /** What an operator knows them by: the name of a variable, or of a file. */
  readonly origin: string;

  /** The one that wraps now. Throws where there is none to be had. */
  current(): MasterKey;

  /** The one of this id; undefined where it is not at hand. */
  find(id: string): MasterKey | undefined;

  /** Has a new current key for a rotation, where it is not the operator who brings it. */
  renew(): void;

  /** Forgets those that are not current, where it is not the operator who does. */
  retire(): void;
}

const BYTES = 32;
const HEX = /^[0-9a-f]{64}$/i;
const BASE64 = /^[A-Za-z0-9+/]{43}=?$/;

/** The master key that a text is: 32 bytes in hexadecimal digits or base64; undefined where it is none. */
export const parseMasterKey = (text: string): MasterKey | undefined => {
  if (HEX.test(text)) return masterKey(createSecretKey(text, 'hex'));
  return BASE64.test(text) ? masterKey(createSecretKey(text, 'base64')) : undefined;
};

/** A new one. */
export const newMasterKey = (): MasterKey => masterKey(newKey());

/** As text that `parseMasterKey` reads. */
export const masterKeyText = ({ secret }: MasterKey): string => secret.export().toString('base64');

const masterKey = (secret: KeyObject): MasterKey => {
  if (secret.symmetricKeySize !== BYTES) throw new RangeError(`a master key has ${BYTES} bytes`);
  return { id: createHash('sha256').update(secret.export()).digest('hex').slice(0, 8), secret };
};

/** Master keys that the operator gives, the current one first. */
export class GivenMasterKeys implements MasterKeys {
  readonly origin = 'MASTER_KEY';
  readonly #keys: readonly MasterKey[];

  constructor(keys: readonly MasterKey[]) {
    this.#keys = keys;
  }

  current(): MasterKey {
    const [first] = this.#keys;
    if (first === undefined) throw new Error(`${this.origin} holds no key`);
    return first;
  }

  find(id: string): MasterKey | undefined {
    return this.#keys.find((key) => key.id === id);
  }

  renew(): void {}

  retire(): void {}
}
