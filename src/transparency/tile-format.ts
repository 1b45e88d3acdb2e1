// The paths of tiles and the format of entry bundles (C2SP tlog-tiles).
import { TILE_WIDTH } from './tiles.js';

/** The number of levels in paths. */
export const TILE_LEVELS = 6;
/** Matches paths of tiles within a level, including non-canonical ones. */
export const TILE_PATH = '^(x\\d{3}/){0,4}\\d{3}(\\.p/[1-9]\\d{0,2})?$';

/** A tile within a level, or the first `width` hashes of a tile. */
export interface TileRange {
  readonly index: number;
  readonly width: number;
}

/** Returns the path of a tile within its level: `x001/x234/067`, with `.p/8` for its first 8 hashes. */
export const tilePath = ({ index, width }: TileRange): string => {
  const groups = `${index}`.padStart(Math.ceil(`${index}`.length / 3) * 3, '0').match(/\d{3}/g) ?? [];
  const last = groups.length - 1;
  const path = groups.map((group, at) => (at < last ? `x${group}` : group)).join('/');
  return width === TILE_WIDTH ? path : `${path}.p/${width}`;
};

/** Parses a path. Returns undefined unless it is canonical, as `tilePath` returns it. */
export const parsedTilePath = (path: string): TileRange | undefined => {
  if (!new RegExp(TILE_PATH).test(path)) return undefined;
  const [groups = '', width = `${TILE_WIDTH}`] = path.split('.p/');
  const range = { index: Number(groups.replaceAll(/\D/g, '')), width: Number(width) };
  return range.width <= TILE_WIDTH && tilePath(range) === path ? range : undefined;
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
