import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Hash, leafHash, rootHash } from '../../src/transparency/merkle.js';
import {
  type Edge,
  EMPTY,
  entryBundle,
  fromBytes,
  grown,
  hashesFrom,
  onEdge,
  parsedTilePath,
  type Tile,
  type TilePlace,
  widthOf,
} from '../../src/transparency/tiles.js';
import { rootOf } from '../support/rfc6962.js';

const LEAVES = Array.from({ length: 70_000 }, (_, index) => leafHash(String(index)));
const leaves = LEAVES.map((hash, index) => ({ hash, position: `${index}` }));
const nameOf = ({ level, index }: TilePlace) => `${level}/${index}`;

/** Grows a tree in batches and stores its full tiles. */
const grownIn = (batches: readonly number[]) => {
  const tiles = new Map<string, readonly Hash[]>();
  const places: string[] = [];
  let edge: Edge = EMPTY;
  for (const batch of batches) {
    const { edge: next, full } = grown(edge, leaves.slice(edge.size, edge.size + batch));
    for (const { hashes, after, ...place } of full) {
      expect(after).toBe(place.level > 0 || place.index === 0 ? null : `${place.index * 256 - 1}`);
      tiles.set(nameOf(place), hashes);
      places.push(nameOf(place));
    }
    edge = next;
  }
  const read = async (place: TilePlace) => onEdge(edge, place) ?? tiles.get(nameOf(place)) ?? [];
  return { edge, places, hashes: hashesFrom(read) };
};

describe('tiles', () => {
  it('give the same tree for all batch sizes', () =>
    fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 0, max: 700 }), { minLength: 1, maxLength: 8 }), async (batches) => {
        const size = batches.reduce((sum, batch) => sum + batch, 0);
        const parts = grownIn(batches);
        const whole = grownIn([size]);
        expect(parts.edge).toStrictEqual(whole.edge);
        expect(parts.places).toStrictEqual(whole.places);
        if (size > 0) expect(await rootHash(size, parts.hashes)).toStrictEqual(rootOf(LEAVES.slice(0, size)));
      }),
      { numRuns: 25 },
    ));

  it.each([1, 255, 256, 257, 511, 512, 65_535, 65_536, 65_537, 70_000])('have the root of %i leaves', async (size) => {
    const { edge, hashes } = grownIn([size]);
    expect(edge).toMatchObject({ size, position: `${size - 1}` });
    expect(edge.tileAfter).toBe(size <= 256 ? null : `${Math.ceil(size / 256 - 1) * 256 - 1}`);
    expect(await rootHash(size, hashes)).toStrictEqual(rootOf(LEAVES.slice(0, size)));
  });

  it('become full in the order in which a tree needs them', () => {
    const { places } = grownIn([65_536]);
    expect(places.slice(0, 3)).toStrictEqual(['0/0', '0/1', '0/2']);
    expect(places.slice(-2)).toStrictEqual(['0/255', '1/0']);
  });

  it('have the widths of C2SP tlog-tiles', () => {
    // The example of the specification: a tree of 70,000 leaves.
    const width = (level: number, index: number) => widthOf({ level, index }, 70_000);
    expect([width(0, 272), width(0, 273), width(0, 274)]).toStrictEqual([256, 112, 0]);
    expect([width(1, 0), width(1, 1), width(2, 0), width(3, 0)]).toStrictEqual([256, 17, 1, 0]);
  });

  it('rejects with a clear error if a tile lacks a hash', async () => {
    const { edge } = grownIn([600]);
    const hashes = hashesFrom(async (place) => onEdge(edge, place) ?? []);
    await expect(hashes(0, 3)).rejects.toThrow('tile 0/0');
  });

  it('have 32 bytes for each hash', () => {
    const { hashes } = grown(EMPTY, leaves.slice(0, 256)).full[0] as Tile;
    expect(Buffer.concat(hashes)).toHaveLength(8_192);
    expect(fromBytes(Buffer.concat(hashes))).toStrictEqual(hashes);
  });
});

// The vectors of C2SP tlog-tiles, and the paths that it forbids.
describe('the path of a tile', () => {
  it.each([
    ['000', 0, 256],
    ['067', 67, 256],
    ['999', 999, 256],
    ['x001/000', 1_000, 256],
    ['x001/x234/067', 1_234_067, 256],
    ['x999/999', 999_999, 256],
    ['x001/000.p/1', 1_000, 1],
    ['000.p/255', 0, 255],
    ['x123/x456/x789/x012/345', 123_456_789_012_345, 256],
  ])('%s', (path, index, width) => {
    expect(parsedTilePath(path)).toEqual({ index, width });
  });

  it.each([
    ...['', '0', '00', '0000', '67', 'x067', 'x067/', 'x000/067', 'x000/x001/067', '001/067', 'x01/067', 'X001/067'],
    ...['000.p/0', '000.p/256', '000.p/999', '000.p/01', '000.p', '000.p/', '000.p/1/1', '000.p/-1', '000.p/+1'],
    ...['000.p/1\n', ' 000', '000/', '/000', '-01', '0x1', '٠٠٠', 'x001/x234/x567/x890/x123/456'],
  ])('is never %j', (path) => {
    expect(parsedTilePath(path)).toBeUndefined();
  });
});

describe('an entry bundle', () => {
  it('has the number of bytes before the bytes of each leaf', () => {
    expect(entryBundle(['a', 'né', 'x'.repeat(300)])).toEqual(
      Buffer.concat([Buffer.from('\0\x01a\0\x03né\x01\x2c'), Buffer.from('x'.repeat(300))]),
    );
    expect(entryBundle([])).toEqual(Buffer.of());
  });
});
