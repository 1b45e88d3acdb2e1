// Refresh tokens, opaque to whoever holds one: the id of the session, 32 random bytes, and a MAC, so that a token which
// was never issued is told from one that was spent without a look into any store. Stored is the SHA-256 alone.
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
import { decrypt, encrypt } from '../../infrastructure/sealing/aes-gcm.js';

const ID_BYTES = 16;
const RANDOM_BYTES = 32;
const MAC_BYTES = 16;
const ALL_BYTES = ID_BYTES + RANDOM_BYTES + MAC_BYTES;
const TEXT = /^[A-Za-z0-9_-]{86}$/;

/** A new token of a session. */
export const newRefreshToken = (sessionId: string, key: KeyObject): string => {
  const content = Buffer.concat([parse(sessionId), randomBytes(RANDOM_BYTES)]);
  return Buffer.concat([content, macOf(content, key)]).toString('base64url');
};

/** The session that a token was issued for; undefined where it was not issued. */
export const sessionOf = (token: string, key: KeyObject): string | undefined => {
  const bytes = TEXT.test(token) ? Buffer.from(token, 'base64url') : Buffer.alloc(0);
  // Of the last character four bits carry nothing: two texts would be one token.
  if (bytes.length !== ALL_BYTES || bytes.toString('base64url') !== token) return undefined;
  const content = bytes.subarray(0, -MAC_BYTES);
  if (!timingSafeEqual(bytes.subarray(-MAC_BYTES), macOf(content, key))) return undefined;
  return stringify(content.subarray(0, ID_BYTES));
};

/** What a token is known by in the vault. */
export const hashOf = (token: string): string => createHash('sha256').update(token).digest('hex');

/** Seals the token that follows another so that only who has that other one can open it. */
export const sealSuccessor = (parent: string, successor: string): string =>
  encrypt(keyOf(parent), successor, hashOf(parent)).toString('base64');

/** The token that follows another; undefined where it was altered, or sealed under another one. */
export const openSuccessor = (parent: string, sealed: string): string | undefined =>
  decrypt(keyOf(parent), Buffer.from(sealed, 'base64'), hashOf(parent))?.toString();

// The token has 256 random bits, so that a key may be derived from it (RFC 5869).
const keyOf = (parent: string): KeyObject =>
  createSecretKey(Buffer.from(hkdfSync('sha256', parent, '', 'the successor of a refresh token', 32)));

const macOf = (content: Buffer, key: KeyObject): Buffer =>
  createHmac('sha256', key).update(content).digest().subarray(0, MAC_BYTES);
