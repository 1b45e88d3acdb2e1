// Compares our Merkle tree with transparency-dev/merkle for every tree of up to 300 leaves. test/go/log/vectors printed
// the vectors; go.e2e.test.ts runs that program again.
import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { consistencyProof, type Hash, inclusionProof, rootHash } from '../../src/transparency/merkle.js';
import { isConsistent, rootOfInclusion, treeOf } from './merkle-tree.js';

const vectors = JSON.parse(readFileSync(new URL('merkle-vectors.json', import.meta.url), 'utf8')) as readonly string[];
const LARGEST = 300;

const hashes = treeOf(Array.from({ length: LARGEST }, (_, index) => `${index}`));
const listed = (proof: readonly Hash[]) => proof.map((each) => each.toString('base64')).join(',');

/** Returns the text that test/go/log/vectors hashes. */
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

describe('the Merkle tree', () => {
  it('has a vector for each size', () => expect(vectors).toHaveLength(LARGEST + 1));

  it('has the roots and proofs of transparency-dev/merkle', async () => {
    for (const [size, vector] of vectors.entries()) {
      expect([size, hash('sha256', await textOf(size))]).toEqual([size, vector]);
    }
  });

  it('accepts these proofs', async () => {
    const trees = await Promise.all(vectors.map(async (_, size) => ({ size, root: await rootHash(size, hashes) })));
    // Every small tree, and the trees at the end of a tile.
    for (const newer of trees.filter(({ size }) => size <= 33 || (size >= 255 && size <= 257) || size === LARGEST)) {
      const { size, root } = newer;
      for (const older of trees.slice(0, size + 1)) {
        const proof = await consistencyProof(older.size, size, hashes);
        expect([older.size, size, isConsistent(older, newer, proof)]).toEqual([older.size, size, true]);
      }
      for (let index = 0; index < size; index += 1) {
        const proof = await inclusionProof(index, size, hashes);
        expect(rootOfInclusion(await hashes(0, index), { index, size }, proof)).toEqual(root);
      }
    }
  });
});
