// Custom tokens, with which a client signs in to Firebase. They have the same claims as the tokens of the Firebase
// Admin SDK (https://firebase.google.com/docs/auth/admin/create-custom-tokens).
import { createPrivateKey, type KeyObject } from 'node:crypto';
import { SignJWT } from 'jose';
import type { SigningKeys } from './signing-keys.js';

/** The signing part of a Google service account. */
export interface ServiceAccount {
  readonly clientEmail: string;
  readonly privateKey: KeyObject;
}

const AUDIENCE = 'https://identitytoolkit.googleapis.com/google.identity.identitytoolkit.v1.IdentityToolkit';
const LIFE_S = 3_600;

/** What a text must be that `parseServiceAccount` accepts. */
export const SERVICE_ACCOUNT_ADVICE =
  'must be the JSON key of a service account: an object with client_email, and with an RSA private_key in which each line break is \\n with one backslash';

/** Parses the JSON key of a Google service account. Returns undefined if it cannot sign. */
export const parseServiceAccount = (text: string): ServiceAccount | undefined => {
  try {
    const { client_email: clientEmail, private_key: pem } = JSON.parse(text.trim()) as Record<string, unknown>;
    if (typeof clientEmail !== 'string' || typeof pem !== 'string') return undefined;
    const privateKey = createPrivateKey(pem);
    return privateKey.asymmetricKeyType === 'rsa' ? { clientEmail, privateKey } : undefined;
  } catch {
    // The message of the error could quote the text, which is a secret.
    return undefined;
  }
};

/**
 * Returns the function that issues a user's custom token, valid for an hour. The service account signs it or, without
 * one, the service's own key as `issuer`. Rejects with `StoreUnavailable` while the service's key is unavailable.
 */
export const customTokens = (account: ServiceAccount | undefined, keys: SigningKeys, issuer: string) => {
  const signer = async () => {
    if (account !== undefined) return { ...account, header: { alg: 'RS256', typ: 'JWT' } };
    const { kid, privateKey } = await keys.current();
    return { clientEmail: issuer, privateKey, header: { alg: 'EdDSA', typ: 'JWT', kid } };
  };
  return async (userId: string): Promise<string> => {
    const { clientEmail, privateKey, header } = await signer();
    const now = Math.floor(Date.now() / 1_000);
    return new SignJWT({ uid: userId })
      .setProtectedHeader(header)
      .setIssuer(clientEmail)
      .setSubject(clientEmail)
      .setAudience(AUDIENCE)
      .setIssuedAt(now)
      .setExpirationTime(now + LIFE_S)
      .sign(privateKey);
  };
};
