// The Merkle tree of RFC 6962, 2.1, word for word. Shares no code with the service or the verifier.
import { createHash } from 'node:crypto';

/** Returns the SHA-256 of the parts, one after the other. */
export const sha256 = (...parts: readonly (string | Uint8Array)[]): Buffer => {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest();
};

const split = (size: number): number => {
  let left = 1;
  while (left * 2 < size) left *= 2;
  return left;
};

/** Returns the root of the tree with the given leaf hashes. */
export const rootOf = (leaves: readonly Buffer[]): Buffer => {
  const [only] = leaves;
  if (only === undefined) return sha256();
  if (leaves.length === 1) return only;
  const left = split(leaves.length);
  return sha256(Buffer.of(1), rootOf(leaves.slice(0, left)), rootOf(leaves.slice(left)));
};

/** Returns the inclusion proof of a leaf (2.1.1). */
export const pathTo = (index: number, leaves: readonly Buffer[]): readonly Buffer[] => {
  if (leaves.length <= 1) return [];
  const left = split(leaves.length);
  return index < left
    ? [...pathTo(index, leaves.slice(0, left)), rootOf(leaves.slice(left))]
    : [...pathTo(index - left, leaves.slice(left)), rootOf(leaves.slice(0, left))];
};

/** Returns the consistency proof from the tree of the first `old` leaves to the whole tree (2.1.2). */
export const consistencyOf = (old: number, leaves: readonly Buffer[], isWhole = true): readonly Buffer[] => {
  if (old === leaves.length) return isWhole ? [] : [rootOf(leaves)];
  const left = split(leaves.length);
  return old <= left
    ? [...consistencyOf(old, leaves.slice(0, left), isWhole), rootOf(leaves.slice(left))]
    : [...consistencyOf(old - left, leaves.slice(left), false), rootOf(leaves.slice(0, left))];
};
