import { createHash } from 'node:crypto';
import fc from 'fast-check';
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
import { isConsistent, rootOfInclusion } from './merkle-tree.js';

// The entries and roots of the reference implementation (github.com/transparency-dev/merkle, testonly/constants.go).
const ENTRIES = ['', '00', '10', '2021', '3031', '40414243', '5051525354555657', '606162636465666768696a6b6c6d6e6f'];
const ROOTS = [
  'e3b0c442',
  '6e340b9c',
  'fac54203',
  'aeb6bcfe',
  'd37ee418',
  '4e3bbb1f',
  '76e67dad',
  'ddb89be4',
  '5dc9da79',
];

const sha256 = (...parts: readonly Uint8Array[]): Hash =>
  parts.reduce((hash, part) => hash.update(part), createHash('sha256')).digest();

/** Implements the definition in RFC 6962, 2.1, word for word. Computes the hash of each range once. */
const definition = (leaves: readonly Uint8Array[]) => {
  const known = new Map<string, Hash>();
  const mth = (begin: number, end: number): Hash => {
    const key = `${begin}-${end}`;
    const found = known.get(key) ?? computed(begin, end);
    known.set(key, found);
    return found;
  };
  const computed = (begin: number, end: number): Hash => {
    const n = end - begin;
    if (n === 0) return sha256();
    if (n === 1) return sha256(Buffer.of(0), leaves[begin] ?? Buffer.of());
    let k = 1;
    while (k * 2 < n) k *= 2;
    return sha256(Buffer.of(1), mth(begin, begin + k), mth(begin + k, end));
  };
  return mth;
};

const sourceOf =
  (mth: (begin: number, end: number) => Hash): HashSource =>
  async (level, index) =>
    mth(index * 2 ** level, (index + 1) * 2 ** level);

const LEAVES = Array.from({ length: 300 }, (_, index) => Buffer.from(String(index)));
const mth = definition(LEAVES);
const hashes = sourceOf(mth);
const treeOf = (size: number) => ({ size, root: mth(0, size) });
const sizes = fc.integer({ min: 1, max: LEAVES.length });
// All small trees, and every seventh large tree.
const someTo = (last: number): readonly number[] =>
  Array.from({ length: last + 1 }, (_, at) => at).filter((at) => last < 70 || at % 7 === last % 7);
const flipped = (hash: Hash): Hash => Buffer.from(hash.map((byte, at) => (at === 7 ? byte ^ 1 : byte)));

describe('Merkle tree', () => {
  it('has the roots of the reference implementation', async () => {
    const reference = definition(ENTRIES.map((entry) => Buffer.from(entry, 'hex')));
    for (const [size, root] of ROOTS.entries()) {
      expect((await rootHash(size, sourceOf(reference))).toString('hex').slice(0, 8)).toBe(root);
    }
    expect(emptyRoot().toString('hex').slice(0, 8)).toBe(ROOTS[0]);
    expect(leafHash(Buffer.of())).toStrictEqual(reference(0, 1));
  });

  it('has the root that RFC 6962 defines, for each size up to 300', async () => {
    for (let size = 0; size <= LEAVES.length; size += 1) {
      expect(await rootHash(size, hashes)).toStrictEqual(mth(0, size));
    }
  });

  it('proves each leaf in each tree of up to 300 leaves', async () => {
    for (let size = 1; size <= LEAVES.length; size += 1) {
      for (const index of someTo(size - 1)) {
        const proof = await inclusionProof(index, size, hashes);
        expect(rootOfInclusion(mth(index, index + 1), { index, size }, proof)).toStrictEqual(mth(0, size));
      }
    }
  });

  it('proves that each tree is a prefix of each later tree of up to 300 leaves', async () => {
    for (let newer = 0; newer <= LEAVES.length; newer += 1) {
      for (const older of someTo(newer)) {
        expect(isConsistent(treeOf(older), treeOf(newer), await consistencyProof(older, newer, hashes))).toBe(true);
      }
    }
  });

  it('rejects an inclusion proof with any change', () =>
    fc.assert(
      fc.asyncProperty(sizes, fc.nat(), fc.nat(), async (size, leaf, place) => {
        const index = leaf % size;
        const proof = await inclusionProof(index, size, hashes);
        const root = mth(0, size);
        const holds = (hash: Hash, at: number, of: number, given: readonly Hash[]) =>
          rootOfInclusion(hash, { index: at, size: of }, given)?.equals(root) ?? false;
        const hash = mth(index, index + 1);
        expect(holds(hash, index, size, proof)).toBe(true);
        expect(holds(flipped(hash), index, size, proof)).toBe(false);
        expect(holds(hash, index, size, [...proof, hash])).toBe(false);
        expect(holds(hash, size, size, proof)).toBe(false);
        if (size === 1) return;
        const changed = proof.map((each, at) => (at === place % proof.length ? flipped(each) : each));
        expect(holds(hash, index, size, changed)).toBe(false);
        expect(holds(hash, index, size, proof.slice(1))).toBe(false);
        expect(holds(hash, (index + 1) % size, size, proof)).toBe(false);
      }),
    ));

  it('rejects a consistency proof with any change', () =>
    fc.assert(
      fc.asyncProperty(sizes, sizes, fc.nat(), async (one, other, place) => {
        const [older, newer] = [treeOf(Math.min(one, other)), treeOf(Math.max(one, other))];
        const proof = await consistencyProof(older.size, newer.size, hashes);
        expect(isConsistent(older, newer, proof)).toBe(true);
        expect(isConsistent({ ...older, root: flipped(older.root) }, newer, proof)).toBe(false);
        expect(isConsistent(older, { ...newer, root: flipped(newer.root) }, proof)).toBe(false);
        expect(isConsistent(older, newer, [...proof, older.root])).toBe(false);
        expect(isConsistent(newer, older, proof)).toBe(older.size === newer.size);
        if (proof.length === 0) return;
        const changed = proof.map((each, at) => (at === place % proof.length ? flipped(each) : each));
        expect(isConsistent(older, newer, changed)).toBe(false);
        expect(isConsistent(older, newer, proof.slice(1))).toBe(false);
      }),
    ));

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
