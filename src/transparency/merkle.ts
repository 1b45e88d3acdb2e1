// The Merkle tree of RFC 6962 (section 2.1) and RFC 9162 (2.1) with SHA-256. Proofs are computed from the hashes of
// complete subtrees, which a `HashSource` provides. Sizes and indexes may exceed 32 bits, so the code uses no bit
// operators.
import { createHash } from 'node:crypto';

/** A SHA-256 hash: 32 bytes. */
export type Hash = Buffer;

export const HASH_BYTES = 32;

/**
 * Returns the hash of the complete subtree over the leaves `index × 2^level` up to, but not including,
 * `(index + 1) × 2^level`. Level 0 has the hashes of the leaves.
 */
export type HashSource = (level: number, index: number) => Promise<Hash>;

/** A range of leaves: from `begin` up to, but not including, `end`. */
interface Range {
  readonly begin: number;
  readonly end: number;
}

// Different prefixes prevent a node from being passed off as a leaf (RFC 6962, 2.1).
const LEAF = Buffer.of(0);
const NODE = Buffer.of(1);

export const leafHash = (content: string | Uint8Array): Hash =>
  createHash('sha256').update(LEAF).update(content).digest();

export const nodeHash = (left: Hash, right: Hash): Hash =>
  createHash('sha256').update(NODE).update(left).update(right).digest();

export const emptyRoot = (): Hash => createHash('sha256').digest();

/** Returns the root of the tree over the first `size` leaves. */
export const rootHash = async (size: number, hashes: HashSource): Promise<Hash> =>
  size === 0 ? emptyRoot() : hashOf({ begin: 0, end: size }, hashes);

/** Returns the proof that the leaf at `index` is in the tree of `size` leaves (RFC 6962, 2.1.1). */
export const inclusionProof = (index: number, size: number, hashes: HashSource): Promise<readonly Hash[]> =>
  Promise.all(pathTo(index, { begin: 0, end: size }).map((range) => hashOf(range, hashes)));

/**
 * Returns the proof that the tree of `oldSize` leaves is a prefix of the tree of `newSize` leaves (RFC 6962, 2.1.2).
 */
export const consistencyProof = (oldSize: number, newSize: number, hashes: HashSource): Promise<readonly Hash[]> => {
  const ranges = oldSize === 0 ? [] : subproof(oldSize, { begin: 0, end: newSize }, true);
  return Promise.all(ranges.map((range) => hashOf(range, hashes)));
};

export interface Tree {
  readonly size: number;
  readonly root: Hash;
}

// PATH(m, D[n]) of RFC 6962: the sibling subtrees from the leaf up to the root.
const pathTo = (index: number, { begin, end }: Range): readonly Range[] => {
  if (end - begin === 1) return [];
  const middle = middleOf({ begin, end });
  return index < middle
    ? [...pathTo(index, { begin, end: middle }), { begin: middle, end }]
    : [...pathTo(index, { begin: middle, end }), { begin, end: middle }];
};

// SUBPROOF(m, D[n], b) of RFC 6962; `isWhole` is b: the verifier knows the hash of this subtree as the old root.
const subproof = (oldSize: number, { begin, end }: Range, isWhole: boolean): readonly Range[] => {
  if (oldSize === end - begin) return isWhole ? [] : [{ begin, end }];
  const middle = middleOf({ begin, end });
  const left = middle - begin;
  return oldSize <= left
    ? [...subproof(oldSize, { begin, end: middle }, isWhole), { begin: middle, end }]
    : [...subproof(oldSize - left, { begin: middle, end }, false), { begin, end: middle }];
};

// MTH(D[begin:end]). Every range of the recursions above starts at a multiple of its length, rounded up to a power of
// two.
const hashOf = async (range: Range, hashes: HashSource): Promise<Hash> => {
  const { begin, end } = range;
  const length = end - begin;
  if (isPowerOfTwo(length)) return hashes(Math.log2(length), begin / length);
  const middle = middleOf(range);
  const [left, right] = await Promise.all([
    hashOf({ begin, end: middle }, hashes),
    hashOf({ begin: middle, end }, hashes),
  ]);
  return nodeHash(left, right);
};

// The largest power of two below the length, counted from the beginning.
const middleOf = ({ begin, end }: Range): number => begin + 2 ** (Math.ceil(Math.log2(end - begin)) - 1);

// A double represents powers of two exactly, and `log2` of them is exact, too.
const isPowerOfTwo = (size: number): boolean => Number.isInteger(Math.log2(size));
