// A Merkle tree in memory for tests that need roots and proofs but no store, and the verification of proofs.
import { type Hash, type HashSource, leafHash, nodeHash, type Tree } from '../../src/transparency/merkle.js';

/** Returns the hashes of the complete subtrees over the given leaves. */
export const treeOf = (leaves: readonly string[]): HashSource => {
  const levels: (readonly Hash[])[] = [leaves.map((leaf) => leafHash(leaf))];
  for (let below = levels[0] ?? []; below.length > 1; below = levels.at(-1) ?? []) {
    levels.push(
      below.flatMap((left, index) => {
        const right = below[index + 1];
        return index % 2 === 1 || right === undefined ? [] : [nodeHash(left, right)];
      }),
    );
  }
  return async (level, index) => {
    const found = levels[level]?.[index];
    if (found === undefined) throw new RangeError(`there is no subtree ${index} of level ${level}`);
    return found;
  };
};

// The largest power of two below a size.
const leftOf = (size: number): number => 2 ** (Math.ceil(Math.log2(size)) - 1);

/** Returns the root that an inclusion proof gives (RFC 9162, 2.1.3); undefined if it does not fit the tree. */
export const rootOfInclusion = (
  leaf: Hash,
  { index, size }: { readonly index: number; readonly size: number },
  proof: readonly Hash[],
): Hash | undefined => {
  if (size === 1) return index === 0 && proof.length === 0 ? leaf : undefined;
  const [left, sibling, rest] = [leftOf(size), proof.at(-1), proof.slice(0, -1)];
  const below = index < left ? { index, size: left } : { index: index - left, size: size - left };
  const root = rootOfInclusion(leaf, below, rest);
  if (!root || !sibling) return undefined;
  return index < left ? nodeHash(root, sibling) : nodeHash(sibling, root);
};

type Roots = readonly Hash[];

/** Returns both roots that a consistency proof gives (RFC 9162, 2.1.4), or none. `known`: the proof omits the old root. */
const rootsOf = (older: number, newer: number, proof: readonly Hash[], known?: Hash): Roots => {
  const [left, last, rest] = [leftOf(newer), proof.at(-1), proof.slice(0, -1)];
  if (older === newer) return wholeRoots(proof, known);
  if (last === undefined) return [];
  if (older > left) return rootsOf(older - left, newer - left, rest).map((root) => nodeHash(last, root));
  return rootsOf(older, left, rest, known).map((root, at) => (at === 0 ? root : nodeHash(root, last)));
};

const wholeRoots = (proof: readonly Hash[], known: Hash | undefined): Roots => {
  const given = known === undefined ? proof : [known, ...proof];
  return given.length === 1 ? [...given, ...given] : [];
};

/** Returns whether a proof shows that the old tree is a prefix of the new tree. */
export const isConsistent = (older: Tree, newer: Tree, proof: readonly Hash[]): boolean => {
  if (older.size > newer.size) return false;
  if (older.size === 0) return proof.length === 0 && (newer.size > 0 || older.root.equals(newer.root));
  const roots = rootsOf(older.size, newer.size, proof, older.root);
  return roots[0]?.equals(older.root) === true && roots[1]?.equals(newer.root) === true;
};
