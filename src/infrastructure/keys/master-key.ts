// Master keys, which wrap the keys in the vault and are in no store themselves.
import { createHash, createHmac, createSecretKey, hkdfSync, type KeyObject, timingSafeEqual } from 'node:crypto';
import { canonicalJson } from '../canonical-json.js';
import { newKey } from '../sealed/aes-gcm.js';

/** The secret cannot appear in a log: it is neither text nor bytes until it is exported. */
export interface MasterKey {
  /** The first 8 hexadecimal digits of the SHA-256 of the secret. */
  readonly id: string;
  readonly secret: KeyObject;
}

export interface MasterKeys {
  /** The source of the keys for messages: the name of a variable or of a file. */
  readonly origin: string;

  /** Returns the key that wraps other keys. Throws if there is none. */
  current(): MasterKey;

  find(id: string): MasterKey | undefined;

  /** Creates a new current key for a rotation, unless the operator provides the keys. */
  renew(): void;

  /** Forgets all keys except the current one, unless the operator provides the keys. */
  retire(): void;
}

const BYTES = 32;
const HEX = /^[0-9a-f]{64}$/i;
const BASE64 = /^[A-Za-z0-9+/]{43}=?$/;

/** Parses a master key: 32 bytes in hexadecimal digits or base64. Returns undefined if the text is not a key. */
export const parseMasterKey = (text: string): MasterKey | undefined => {
  if (HEX.test(text)) return masterKey(createSecretKey(text, 'hex'));
  return BASE64.test(text) ? masterKey(createSecretKey(text, 'base64')) : undefined;
};

export const newMasterKey = (): MasterKey => masterKey(newKey());

export const masterKeyText = ({ secret }: MasterKey): string => secret.export().toString('base64');

const masterKey = (secret: KeyObject): MasterKey => {
  if (secret.symmetricKeySize !== BYTES) throw new RangeError(`a master key has ${BYTES} bytes`);
  return { id: createHash('sha256').update(secret.export()).digest('hex').slice(0, 8), secret };
};

/** Returns the MAC of a JSON value: the id of the master key, a dot and 64 hexadecimal digits. */
export const macOf = ({ id, secret }: MasterKey, value: unknown): string => {
  const key = Buffer.from(hkdfSync('sha256', secret, '', 'a MAC outside of the stores', 32));
  return `${id}.${createHmac('sha256', key).update(canonicalJson(value)).digest('hex')}`;
};

export const masterKeyIn = (mac: string): string => mac.split('.', 1)[0] ?? '';

/** Returns whether `mac` is the MAC of a JSON value by one of the keys. */
export const isMacOf = (keys: Pick<MasterKeys, 'find'>, mac: string, value: unknown): boolean => {
  const key = keys.find(masterKeyIn(mac));
  if (key === undefined) return false;
  const [given, expected] = [Buffer.from(mac), Buffer.from(macOf(key, value))];
  return given.length === expected.length && timingSafeEqual(given, expected);
};

/** Returns the master keys from the operator, starting with the current key. */
export const providedMasterKeys = (keys: readonly MasterKey[]): MasterKeys => ({
  origin: 'MASTER_KEY',
  current: () => {
    const [first] = keys;
    if (first === undefined) throw new Error('MASTER_KEY has no key');
    return first;
  },
  find: (id) => keys.find((key) => key.id === id),
  renew: () => {},
  retire: () => {},
});
