// Custom tokens that a client exchanges for a sign-in at Firebase: the claims that the Firebase Admin SDK makes
// (https://firebase.google.com/docs/auth/admin/create-custom-tokens).
import { createPrivateKey, type KeyObject } from 'node:crypto';
import { SignJWT } from 'jose';
import type { SigningKeys } from './signing-keys.js';

/** A service account of Google, as far as it signs. */
export interface ServiceAccount {
  readonly clientEmail: string;
  readonly privateKey: KeyObject;
}

const AUDIENCE = 'https://identitytoolkit.googleapis.com/google.identity.identitytoolkit.v1.IdentityToolkit';
const LIFE_S = 3_600;

/** The service account that a JSON text of Google's holds; undefined where it holds none that can sign. */
export const parseServiceAccount = (text: string): ServiceAccount | undefined => {
  try {
    const { client_email: clientEmail, private_key: pem } = JSON.parse(text) as Record<string, unknown>;
    if (typeof clientEmail !== 'string' || typeof pem !== 'string') return undefined;
    const privateKey = createPrivateKey(pem);
    return privateKey.asymmetricKeyType === 'rsa' ? { clientEmail, privateKey } : undefined;
  } catch {
    // Whatever is wrong with it, the text must be in no message: it is a secret.
    return undefined;
  }
};

/** Makes custom tokens: by the service account where there is one, else by the service's own key under `issuer`. */
export class CustomTokens {
  readonly #account: ServiceAccount | undefined;
  readonly #keys: SigningKeys;
  readonly #issuer: string;

  constructor(account: ServiceAccount | undefined, keys: SigningKeys, issuer: string) {
    this.#account = account;
    this.#keys = keys;
    this.#issuer = issuer;
  }

  /** A token for a user; good for an hour. Rejects with `StoreUnavailable` while the service's own key cannot be had. */
  async issue(userId: string): Promise<string> {
    const { issuer, header, key } = await this.#signer();
    const now = Math.floor(Date.now() / 1_000);
    return new SignJWT({ uid: userId })
      .setProtectedHeader(header)
      .setIssuer(issuer)
      .setSubject(issuer)
      .setAudience(AUDIENCE)
      .setIssuedAt(now)
      .setExpirationTime(now + LIFE_S)
      .sign(key);
  }

  async #signer() {
    if (this.#account !== undefined) {
      const { clientEmail, privateKey } = this.#account;
      return { issuer: clientEmail, header: { alg: 'RS256', typ: 'JWT' }, key: privateKey };
    }
    const { kid, privateKey } = await this.#keys.current();
    return { issuer: this.#issuer, header: { alg: 'EdDSA', typ: 'JWT', kid }, key: privateKey };
  }
}
