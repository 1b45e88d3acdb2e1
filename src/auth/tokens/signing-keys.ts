// The keys that sign access tokens. One vault record lists them, newest first. The newest key signs. Older keys verify
// until the last token that they signed has expired.
import { createPublicKey, type KeyObject } from 'node:crypto';
import { calculateJwkThumbprint } from 'jose';
import { STORES, StoreUnavailable } from '../../infrastructure/errors.js';
import { type SealedKey, SealedKeyList } from '../../infrastructure/sealed/sealed-keys.js';
import type { AllStores } from '../../infrastructure/stores.js';
import type { Vault } from '../../infrastructure/vault/vault.js';
import { Waits } from '../../infrastructure/waits.js';

/** The lifetime of an access token, in seconds. */
export const ACCESS_TOKEN_S = 900;

interface StoredSigningKey {
  readonly jwk: ReturnType<typeof jwkOf>;
  /** The private key (PKCS #8), sealed with a service key. */
  readonly sealed: string;
  /** When a newer key took over, in epoch milliseconds; null for the key that signs. */
  readonly retiredAt: number | null;
}

interface Loaded {
  readonly keys: readonly StoredSigningKey[];
  readonly at: number;
}

type PublicJwk = StoredSigningKey['jwk'];
type SigningKey = Pick<PublicJwk, 'kid'> & { readonly privateKey: KeyObject };

const list = new SealedKeyList<StoredSigningKey>('signing-key', { kind: 'signing-keys', key: 'access-tokens' });
// A process signs with a key that it read at most this long ago.
const SIGNING_MAX_AGE_MS = 5_000;
// No process accepts a revoked key for more than 5 s.
const VERIFYING_MAX_AGE_MS = 4_000;
// An unknown key id makes the process read the record again, but not more often than this: any client can send unknown
// ids.
const REREAD_MS = 1_000;
// Covers tokens that other processes still sign with the old key, their lifetime, and clock differences.
const OVERLAP_MS = SIGNING_MAX_AGE_MS + ACCESS_TOKEN_S * 1_000 + 60_000;

/** The signing keys in a vault. Calls reject with `StoreUnavailable` while the vault is unavailable. */
export class SigningKeys {
  readonly #vault: Vault;
  readonly #secret: () => Promise<KeyObject>;
  readonly #now: () => number;
  readonly #waits = new Waits();
  #loaded: Loaded | undefined;
  #loading: Promise<Loaded> | undefined;
  #signing: SigningKey | undefined;
  // Creating a key object costs more than the rest of verifying a token. An id is the digest of its key.
  readonly #public = new Map<string, KeyObject>();

  /** `now` returns epoch milliseconds. */
  constructor(vault: Vault, serviceKey: AllStores['serviceKey'], now: () => number = Date.now) {
    this.#vault = vault;
    this.#secret = () => serviceKey('signing-keys');
    this.#now = now;
  }

  /** Returns the key that signs now. The first call creates the first key. */
  async current(): Promise<SigningKey> {
    const [newest] = (await this.#loadedWithin(SIGNING_MAX_AGE_MS)).keys;
    if (newest === undefined) throw new StoreUnavailable(STORES.vault, 'it lists no signing key');
    const { kid } = newest.jwk;
    if (this.#signing?.kid !== kid) {
      const privateKey = list.open(await this.#secret(), { name: kid, sealed: newest.sealed });
      this.#signing = { kid, privateKey };
    }
    return this.#signing;
  }

  /**
   * Returns the public key with an id; undefined if there is none, it was revoked, or its last token has expired. A key
   * that another process revoked is still returned for at most `maxAgeMs`.
   */
  async find(kid: string, maxAgeMs: number = VERIFYING_MAX_AGE_MS): Promise<KeyObject | undefined> {
    const recent = this.#recent(maxAgeMs)?.keys ?? [];
    const among = (keys: readonly StoredSigningKey[]) => this.#verifying(keys).find(({ jwk }) => jwk.kid === kid);
    const found = among(recent) ?? among((await this.#loadedWithin(Math.min(maxAgeMs, REREAD_MS))).keys);
    return found && this.#publicKeyOf(found.jwk);
  }

  /** Returns the public keys to publish, the signing key first. Without `create`, the first key is not created. */
  async published({ create = true } = {}): Promise<readonly PublicJwk[]> {
    const keys = create ? (await this.#loadedWithin(SIGNING_MAX_AGE_MS)).keys : await list.list(this.#vault);
    return this.#verifying(keys).map(({ jwk }) => jwk);
  }

  /**
   * Rotates to a new signing key. Returns its id and the ids of the keys that still verify. Other processes follow
   * within seconds.
   */
  async rotate(): Promise<{ readonly current: string; readonly verifying: readonly string[] }> {
    const made = await this.#make();
    let before: readonly StoredSigningKey[] = [];
    await list.change(this.#vault, (keys) => {
      const now = this.#now();
      before = this.#verifying(keys).map((key) => ({ ...key, retiredAt: key.retiredAt ?? now }));
      return [made, ...before];
    });
    this.#loaded = undefined;
    return { current: made.jwk.kid, verifying: before.map(({ jwk }) => jwk.kid) };
  }

  /**
   * Revokes a key. If it is the key that signs, a new key takes over. Returns false if there is no such key. Other
   * processes follow within 5 s.
   */
  async revoke(kid: string): Promise<boolean> {
    const made = await this.#make();
    let isKnown = false;
    await list.change(this.#vault, (keys) => {
      isKnown = keys.some(({ jwk }) => jwk.kid === kid);
      const others = keys.filter(({ jwk }) => jwk.kid !== kid);
      const signs = others.some(({ retiredAt }) => retiredAt === null);
      if (!isKnown) return undefined;
      return signs ? others : [made, ...others];
    });
    this.#loaded = undefined;
    return isKnown;
  }

  #publicKeyOf(jwk: PublicJwk): KeyObject {
    const key = this.#public.get(jwk.kid) ?? createPublicKey({ key: { ...jwk }, format: 'jwk' });
    this.#public.set(jwk.kid, key);
    return key;
  }

  #verifying(keys: readonly StoredSigningKey[]): readonly StoredSigningKey[] {
    const left = (id: string, at: number) => this.#waits.left(`${id} ${at}`, at + OVERLAP_MS, OVERLAP_MS, this.#now());
    return keys.filter(({ jwk, retiredAt }) => retiredAt === null || left(jwk.kid, retiredAt) > 0);
  }

  #recent(ageMs: number): Loaded | undefined {
    const age = this.#now() - (this.#loaded?.at ?? 0);
    return age >= 0 && age < ageMs ? this.#loaded : undefined;
  }

  async #loadedWithin(ageMs: number): Promise<Loaded> {
    const recent = this.#recent(ageMs);
    if (recent !== undefined) return recent;
    this.#loading ??= this.#load().finally(() => {
      this.#loading = undefined;
    });
    this.#loaded = await this.#loading;
    return this.#loaded;
  }

  async #load(): Promise<Loaded> {
    for (;;) {
      const at = this.#now();
      const keys = await list.list(this.#vault);
      if (keys.length > 0) return { keys, at };
      const made = await this.#make();
      await list.change(this.#vault, (now) => (now.length > 0 ? undefined : [made]));
    }
  }

  async #make(): Promise<StoredSigningKey> {
    const made = await list.make(await this.#secret(), (publicKey) => calculateJwkThumbprint(publicKey));
    return { jwk: jwkOf(made), sealed: made.sealed, retiredAt: null };
  }
}

/** Returns a public key as it is published (RFC 7517, RFC 8037). */
const jwkOf = ({ name: kid, publicKey }: SealedKey) => {
  const { x = '' } = publicKey.export({ format: 'jwk' });
  return { kid, kty: 'OKP', crv: 'Ed25519', x, alg: 'EdDSA', use: 'sig' } as const;
};
