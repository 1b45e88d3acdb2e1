// Refresh tokens, which are opaque to clients: the session id, 32 random bytes, and a MAC. The MAC distinguishes a
// forged token from an old one without access to a store. Only the SHA-256 of a token is stored.
import {
  createHash,
  createHmac,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';
import { parse, stringify } from 'uuid';
import { decrypt, encrypt } from '../../infrastructure/sealed/aes-gcm.js';

const ID_BYTES = 16;
const RANDOM_BYTES = 32;
const MAC_BYTES = 16;
const ALL_BYTES = ID_BYTES + RANDOM_BYTES + MAC_BYTES;
const TEXT = /^[A-Za-z0-9_-]{86}$/;

export const newRefreshToken = (sessionId: string, key: KeyObject): string => {
  const content = Buffer.concat([parse(sessionId), randomBytes(RANDOM_BYTES)]);
  return Buffer.concat([content, macOf(content, key)]).toString('base64url');
};

/** Returns the session id of a token; undefined if this service did not issue the token. */
export const sessionOf = (token: string, key: KeyObject): string | undefined => {
  const bytes = TEXT.test(token) ? Buffer.from(token, 'base64url') : Buffer.alloc(0);
  // The last character has four unused bits, so several texts decode to the same bytes. Only the canonical text is
  // valid.
  if (bytes.length !== ALL_BYTES || bytes.toString('base64url') !== token) return undefined;
  const content = bytes.subarray(0, -MAC_BYTES);
  if (!timingSafeEqual(bytes.subarray(-MAC_BYTES), macOf(content, key))) return undefined;
  return stringify(content.subarray(0, ID_BYTES));
};

/** Returns the hash of a token, which the vault stores. */
export const hashOf = (token: string): string => createHash('sha256').update(token).digest('hex');

/** Seals a successor so that only the holder of its parent token can open it. */
export const sealSuccessor = (parent: string, successor: string): string =>
  encrypt(keyOf(parent), successor, hashOf(parent)).toString('base64');

/** Returns the sealed successor of a token; undefined if it was altered or sealed with another token. */
export const openSuccessor = (parent: string, sealed: string): string | undefined =>
  decrypt(keyOf(parent), Buffer.from(sealed, 'base64'), hashOf(parent))?.toString();

// The token has 256 random bits, so that a key may be derived from it (RFC 5869).
const keyOf = (parent: string): KeyObject =>
  createSecretKey(Buffer.from(hkdfSync('sha256', parent, '', 'the successor of a refresh token', 32)));

const macOf = (content: Buffer, key: KeyObject): Buffer =>
  createHmac('sha256', key).update(content).digest().subarray(0, MAC_BYTES);
