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

const PEM = /^\s*-----BEGIN ([A-Z ]+)-----\r?\n([\w+/=]{1,76}\r?\n)+-----END \1-----\s*$/;
const LINES_ADVICE = 'the line breaks of its private_key are damaged: in JSON, each is \\n with one backslash';

/** Parses the JSON key of a Google service account. Returns its fault, which does not quote it, if it cannot sign. */
export const parseServiceAccount = (text: string): ServiceAccount | string => {
  const found = accountIn(text);
  if (typeof found !== 'string') return found;
  return `must be the JSON key of a service account, with client_email and an RSA private_key; ${found}`;
};

const accountIn = (text: string): ServiceAccount | string => {
  const json = parsed(text);
  if (json === undefined) return faultOfText(text);
  const { client_email: clientEmail, private_key: pem } = (json ?? {}) as Record<string, unknown>;
  if (typeof clientEmail !== 'string' || typeof pem !== 'string') return 'it has no client_email or no private_key';
  const privateKey = keyIn(pem);
  if (privateKey === undefined) return PEM.test(pem) ? 'its private_key is not a key' : LINES_ADVICE;
  return privateKey.asymmetricKeyType === 'rsa' ? { clientEmail, privateKey } : 'its private_key is not an RSA key';
};

// JSON allows line breaks between members, but not in texts.
const faultOfText = (text: string): string =>
  parsed(text.replaceAll(/[\r\n]/g, ' ')) === undefined ? 'it is not JSON' : LINES_ADVICE;

// Drops errors, because their messages could quote the text, which is a secret.
const attempted = <T>(read: () => T): T | undefined => {
  try {
    return read();
  } catch {
    return undefined;
  }
};

const parsed = (text: string) => attempted((): unknown => JSON.parse(text.trim()));
const keyIn = (pem: string) => attempted(() => createPrivateKey(pem));

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
