// JWTs as this service signs them (RFC 7519, in the compact form of RFC 7515).
import { type KeyObject, sign } from 'node:crypto';
import { promisify } from 'node:util';

type Algorithm = 'EdDSA' | 'RS256';

/** The header of a JWT that this service signs. */
export interface JwtHeader {
  readonly alg: Algorithm;
  readonly typ: string;
  readonly kid?: string;
}

const signInPool = promisify(sign);

// An Ed25519 signature takes 25 µs, which is less than Web Crypto takes to hand the work to another thread and back (100
// µs of CPU). An RSA signature takes a millisecond, so another thread makes it.
const SIGN: Readonly<Record<Algorithm, (input: Buffer, key: KeyObject) => Buffer | Promise<Buffer>>> = {
  EdDSA: (input, key) => sign(null, input, key),
  RS256: (input, key) => signInPool('sha256', input, key),
};

/** Returns a JWT with these claims, signed by the algorithm that the header names. */
export const signedJwt = async (
  header: JwtHeader,
  claims: Readonly<Record<string, unknown>>,
  key: KeyObject,
): Promise<string> => {
  const input = `${encoded(header)}.${encoded(claims)}`;
  const signature = await SIGN[header.alg](Buffer.from(input), key);
  return `${input}.${signature.toString('base64url')}`;
};

const encoded = (part: object): string => Buffer.from(JSON.stringify(part)).toString('base64url');
