// Compares our Merkle tree with transparency-dev/merkle. For each tree of up to 300 leaves, merkle-vectors.json has the SHA-256
// of a text with the root, every inclusion proof and every consistency proof that version 0.0.2 of that library makes.
import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  consistencyProof,
  emptyRoot,
  type Hash,
  type HashSource,
  inclusionProof,
  leafHash,
  rootHash,
} from '../../src/transparency/merkle.js';
import { treeOf } from './support/merkle-tree.js';

const vectors = JSON.parse(readFileSync(new URL('merkle-vectors.json', import.meta.url), 'utf8')) as readonly string[];
const hashes = treeOf(Array.from({ length: vectors.length - 1 }, (_, index) => `${index}`));
const listed = (proof: readonly Hash[]) => proof.map((each) => each.toString('base64')).join(',');

/** Returns the text whose SHA-256 is the vector of a tree. The data of leaf N is the decimal number N. */
const textOf = async (size: number): Promise<string> => {
  const lines = [`root ${(await rootHash(size, hashes)).toString('base64')}`];
  for (let index = 0; index < size; index += 1) {
    lines.push(`inclusion ${index} ${listed(await inclusionProof(index, size, hashes))}`);
  }
  for (let older = 1; older <= size; older += 1) {
    lines.push(`consistency ${older} ${listed(await consistencyProof(older, size, hashes))}`);
  }
  return `${lines.join('\n')}\n`;
};

describe('a Merkle tree', () => {
  it('has the root and the proofs of transparency-dev/merkle, for each size up to 300', async () => {
    expect(vectors).toHaveLength(301);
    for (const [size, vector] of vectors.entries()) {
      expect([size, hash('sha256', await textOf(size))]).toEqual([size, vector]);
    }
  });

  it('is empty like the tree of RFC 6962, which every later tree begins with', async () => {
    expect(emptyRoot().toString('hex')).toBe(hash('sha256', ''));
    expect(await rootHash(0, hashes)).toEqual(emptyRoot());
    expect(await consistencyProof(0, 7, hashes)).toEqual([]);
  });

  it('reads the correct subtrees beyond 2^32 leaves', async () => {
    const asked: string[] = [];
    const source: HashSource = async (level, index) => {
      asked.push(`${level}/${index}`);
      return leafHash(`${level}/${index}`);
    };
    await rootHash(2 ** 40 + 3, source);
    expect(asked.toSorted()).toStrictEqual(['0/1099511627778', '1/549755813888', '40/0']);
  });
});
