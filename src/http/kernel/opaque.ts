// What clients only hand back, sealed: a position of the log counts what everybody recorded, also what no response may tell.
import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  timingSafeEqual,
} from 'node:crypto';

/** What a sealed text is handed back as. A text of one kind does not open as another. */
export type OpaqueKind = 'consistency-token' | 'cursor';

const CIPHER = 'aes-256-ctr';
const IV_BYTES = 16;
const MOST_CHARACTERS = 200;

/**
 * Seals short texts with a synthetic IV: a MAC of kind and text that the text is then encrypted under (as in RFC 5297).
 * Equal texts give equal results, so a response that has not changed keeps its bytes.
 */
export class Opaque {
  readonly #encryption: KeyObject;
  readonly #authentication: KeyObject;

  constructor(key: KeyObject) {
    const derived = (purpose: string) => createSecretKey(Buffer.from(hkdfSync('sha256', key, '', purpose, 32)));
    this.#encryption = derived('opaque: encryption');
    this.#authentication = derived('opaque: authentication');
  }

  /** Returns a text sealed, as base64url. */
  seal(kind: OpaqueKind, text: string): string {
    const iv = this.#ivOf(kind, text);
    const cipher = createCipheriv(CIPHER, this.#encryption, iv);
    return Buffer.concat([iv, cipher.update(text, 'utf8'), cipher.final()]).toString('base64url');
  }

  /** Returns the text that `seal` sealed; undefined if it was altered, cut off, or sealed as another kind. */
  open(kind: OpaqueKind, sealed: string): string | undefined {
    if (sealed.length > MOST_CHARACTERS) return undefined;
    const bytes = Buffer.from(sealed, 'base64url');
    // Of the last character some bits carry nothing: two texts would be one.
    if (bytes.length <= IV_BYTES || bytes.toString('base64url') !== sealed) return undefined;
    const iv = bytes.subarray(0, IV_BYTES);
    const decipher = createDecipheriv(CIPHER, this.#encryption, iv);
    const text = Buffer.concat([decipher.update(bytes.subarray(IV_BYTES)), decipher.final()]).toString();
    return timingSafeEqual(iv, this.#ivOf(kind, text)) ? text : undefined;
  }

  #ivOf(kind: OpaqueKind, text: string): Buffer {
    const mac = createHmac('sha256', this.#authentication).update(`${kind}\n${text}`);
    return mac.digest().subarray(0, IV_BYTES);
  }
}

/** Resolves to what seals, the same in every process. Rejects with `StoreUnavailable` until the vault was reached once. */
export type LoadOpaque = () => Promise<Opaque>;

/** Returns how to load what seals. The key is read once. */
export const opaqueOf = (serviceKey: (name: string) => Promise<KeyObject>): LoadOpaque => {
  let loaded: Opaque | undefined;
  return async () => {
    loaded ??= new Opaque(await serviceKey('opaque'));
    return loaded;
  };
};
