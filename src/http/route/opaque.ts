// Seals the values that clients return to the service without reading them. A log position counts all recorded events,
// including events that no response may reveal.
import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  timingSafeEqual,
} from 'node:crypto';

/** The kind of a sealed text. A text of one kind cannot be opened as another kind. */
export type OpaqueKind = 'consistency-token' | 'cursor';

const CIPHER = 'aes-256-ctr';
const IV_BYTES = 16;
const MAX_CHARACTERS = 200;

/**
 * Seals short texts with a synthetic IV, which is a MAC of the kind and the text (as in RFC 5297). Equal texts have
 * equal results, so an unchanged response keeps its bytes.
 */
export class Opaque {
  readonly #encryption: KeyObject;
  readonly #authentication: KeyObject;

  constructor(key: KeyObject) {
    const derived = (purpose: string) => createSecretKey(Buffer.from(hkdfSync('sha256', key, '', purpose, 32)));
    this.#encryption = derived('opaque: encryption');
    this.#authentication = derived('opaque: authentication');
  }

  /** Returns a sealed text in base64url. */
  seal(kind: OpaqueKind, text: string): string {
    const iv = this.#ivOf(kind, text);
    const cipher = createCipheriv(CIPHER, this.#encryption, iv);
    return Buffer.concat([iv, cipher.update(text, 'utf8'), cipher.final()]).toString('base64url');
  }

  /** Returns the original text; undefined if `sealed` was altered, truncated or sealed as another kind. */
  open(kind: OpaqueKind, sealed: string): string | undefined {
    if (sealed.length > MAX_CHARACTERS) return undefined;
    const bytes = Buffer.from(sealed, 'base64url');
    // Some bits of the last character are unused, so several texts can decode to the same bytes. Only one of them is
    // valid.
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

/**
 * Returns the `Opaque`, with the same key in every process. Rejects with `StoreUnavailable` until the vault was reached
 * once.
 */
export type LoadOpaque = () => Promise<Opaque>;

/** Returns a loader that reads the key once. */
export const opaqueOf = (serviceKey: (name: string) => Promise<KeyObject>): LoadOpaque => {
  let loaded: Opaque | undefined;
  return async () => {
    loaded ??= new Opaque(await serviceKey('opaque'));
    return loaded;
  };
};
