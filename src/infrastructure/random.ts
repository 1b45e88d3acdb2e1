// Random bytes in small pieces: a call of the generator takes as long for 16 bytes as for some hundred.
import { randomBytes } from 'node:crypto';

const POOL_BYTES = 2_048;

let pool = Buffer.alloc(0);

/** Returns random bytes that no other call returns. */
export const randomPiece = (length: number): Buffer => {
  if (pool.length < length) pool = randomBytes(Math.max(POOL_BYTES, length));
  const piece = pool.subarray(0, length);
  pool = pool.subarray(length);
  return piece;
};
