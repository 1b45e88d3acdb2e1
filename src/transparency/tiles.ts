// The tree as tiles (C2SP tlog-tiles). A tile has up to 256 hashes of one level, and each hash of the next level covers
// a full tile. A full tile never changes. The last tiles of all levels are the edge, from which the tree grows. A tile of
// leaves has an entry bundle with the leaves themselves.
import type { Position } from '../infrastructure/facts/facts.js';
import { HASH_BYTES, type Hash, type HashSource, nodeHash } from './merkle.js';

/** The number of hashes in a full tile. */
export const TILE_WIDTH = 256;
// The number of levels of the binary tree that a tile spans.
const TILE_HEIGHT = 8;

/** The place of a tile: its level, starting at 0, and its index within the level. */
export interface TilePlace {
  readonly level: number;
  readonly index: number;
}

export interface Tile extends TilePlace {
  readonly hashes: readonly Hash[];
  /** The position before the first leaf of a tile of leaves; null for the first leaf of the log, and for other levels. */
  readonly after: Position | null;
}

export interface Leaf {
  readonly hash: Hash;
  readonly position: Position;
}

export interface Edge {
  readonly size: number;
  /** The position of the last leaf's event; null while the tree is empty. */
  readonly position: Position | null;
  /** The position before the first leaf of the last tile; null if that leaf is the first of the log. */
  readonly tileAfter: Position | null;
  /** The hashes of the last tile of each level, which may be full. */
  readonly levels: readonly (readonly Hash[])[];
}

export const EMPTY: Edge = { size: 0, position: null, tileAfter: null, levels: [] };

/** Returns the number of hashes of a tile in the tree of `size` leaves: 0 to 256. */
export const widthOf = ({ level, index }: TilePlace, size: number): number =>
  Math.max(0, Math.min(TILE_WIDTH, hashesOfLevel(level, size) - index * TILE_WIDTH));

/** Returns the edge after adding leaves, and the tiles that became full, lower levels first. */
export const grown = (edge: Edge, leaves: readonly Leaf[]): { readonly edge: Edge; readonly full: readonly Tile[] } => {
  const levels = edge.levels.map((hashes) => [...hashes]);
  const full: Tile[] = [];
  let { size, position, tileAfter } = edge;
  const add = (level: number, hash: Hash): void => {
    const last = levels[level] ?? [];
    const hashes = last.length === TILE_WIDTH ? [] : last;
    hashes.push(hash);
    levels[level] = hashes;
    if (hashes.length < TILE_WIDTH) return;
    full.push({ level, index: hashesOfLevel(level + 1, size) - 1, hashes, after: level === 0 ? tileAfter : null });
    add(level + 1, rootOver(hashes));
  };
  for (const leaf of leaves) {
    if (size % TILE_WIDTH === 0) tileAfter = position;
    size += 1;
    add(0, leaf.hash);
    position = leaf.position;
  }
  return { edge: { size, position, tileAfter, levels }, full };
};

/** Returns whether a tile is the last of its level in the tree of `size` leaves. */
export const isLastTile = ({ level, index }: TilePlace, size: number): boolean =>
  index === Math.ceil(hashesOfLevel(level, size) / TILE_WIDTH) - 1;

/** Returns the hashes of a tile if it is on the edge. */
export const onEdge = ({ size, levels }: Edge, place: TilePlace): readonly Hash[] | undefined =>
  isLastTile(place, size) ? levels[place.level] : undefined;

/**
 * Returns a source of subtree hashes from tiles. `read` must return at least the hashes of a tile that the tree has.
 */
export const hashesFrom =
  (read: (place: TilePlace) => Promise<readonly Hash[]>): HashSource =>
  async (level, index) => {
    const height = level % TILE_HEIGHT;
    const first = index * 2 ** height;
    const place = { level: Math.floor(level / TILE_HEIGHT), index: Math.floor(first / TILE_WIDTH) };
    const from = first % TILE_WIDTH;
    const hashes = (await read(place)).slice(from, from + 2 ** height);
    if (hashes.length < 2 ** height) throw new RangeError(`tile ${place.level}/${place.index} is missing hashes`);
    return rootOver(hashes);
  };

/** Returns the hashes in concatenated bytes. */
export const fromBytes = (bytes: Buffer): readonly Hash[] =>
  Array.from({ length: bytes.length / HASH_BYTES }, (_, at) => bytes.subarray(at * HASH_BYTES, (at + 1) * HASH_BYTES));

export const TILE_LEVELS = 6;
/** Matches paths of tiles within a level, including non-canonical ones. */
export const TILE_PATH = '^(x\\d{3}/){0,4}\\d{3}(\\.p/[1-9]\\d{0,2})?$';

/** A tile within a level, or the first `width` hashes of a tile. */
export interface TileRange {
  readonly index: number;
  readonly width: number;
}

/** Parses the path of a tile, such as `x001/x234/067.p/8`. Returns undefined unless the path is canonical. */
export const parsedTilePath = (path: string): TileRange | undefined => {
  if (!new RegExp(TILE_PATH).test(path) || path.startsWith('x000')) return undefined;
  const [groups = '', part] = path.split('.p/');
  if (Number(part) >= TILE_WIDTH) return undefined;
  return { index: Number(groups.replaceAll(/\D/g, '')), width: part === undefined ? TILE_WIDTH : Number(part) };
};

/** Returns an entry bundle, in which each leaf is preceded by its length in bytes (16 bits, big-endian). */
export const entryBundle = (leaves: readonly string[]): Buffer =>
  Buffer.concat(
    leaves.flatMap((leaf) => {
      const length = Buffer.alloc(2);
      length.writeUInt16BE(Buffer.byteLength(leaf));
      return [length, Buffer.from(leaf)];
    }),
  );

const hashesOfLevel = (level: number, size: number): number => Math.floor(size / TILE_WIDTH ** level);

/** Returns the root over hashes whose number is a power of two. */
const rootOver = (hashes: readonly Hash[]): Hash => {
  const [first] = hashes;
  if (first === undefined) throw new RangeError('a subtree must have at least one leaf');
  const middle = hashes.length / 2;
  return hashes.length === 1 ? first : nodeHash(rootOver(hashes.slice(0, middle)), rootOver(hashes.slice(middle)));
};
