// AES-256-GCM (NIST SP 800-38D), the only cipher for keys and personal fields.
import {
  type CipherGCMTypes,
  createCipheriv,
  createDecipheriv,
  createSecretKey,
  type KeyObject,
  randomBytes,
} from 'node:crypto';
import { randomPiece } from '../random.js';

const CIPHER: CipherGCMTypes = 'aes-256-gcm';
const KEY_BYTES = 32;
const IV_BYTES = 12;
const TAG_BYTES = 16;

export const newKey = (): KeyObject => createSecretKey(randomBytes(KEY_BYTES));

/** Encrypts with a random IV, bound to `context`. Returns IV, ciphertext and tag. */
export const encrypt = (key: KeyObject, plain: string | Buffer, context: string): Buffer => {
  const iv = randomPiece(IV_BYTES);
  const cipher = createCipheriv(CIPHER, key, iv, { authTagLength: TAG_BYTES });
  cipher.setAAD(Buffer.from(context));
  const parts = [iv, typeof plain === 'string' ? cipher.update(plain, 'utf8') : cipher.update(plain), cipher.final()];
  return Buffer.concat([...parts, cipher.getAuthTag()]);
};

/** Returns the plaintext that `encrypt` encrypted; undefined if the bytes, the key or the context differ. */
export const decrypt = (key: KeyObject, sealed: Buffer, context: string): Buffer | undefined => {
  const end = sealed.length - TAG_BYTES;
  if (end < IV_BYTES) return undefined;
  const decipher = createDecipheriv(CIPHER, key, sealed.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES });
  decipher.setAAD(Buffer.from(context));
  decipher.setAuthTag(sealed.subarray(end));
  const plain = decipher.update(sealed.subarray(IV_BYTES, end));
  try {
    decipher.final();
    return plain;
  } catch {
    // `final` checks only the tag.
    return undefined;
  }
};
