// A Merkle tree in memory for tests that need roots and proofs but no store.
import { type Hash, type HashSource, leafHash, nodeHash } from '../../../src/transparency/merkle.js';

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
