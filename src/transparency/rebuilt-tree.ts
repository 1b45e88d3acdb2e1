// The tree of the stored events. While it grows, it is compared with the tree in the vault and with the signed trees.
// Only its right edge is kept, so memory does not grow with the log.
import type { Position, RecordedEvent } from '../infrastructure/facts/facts.js';
import { Tally } from '../infrastructure/tally.js';
import { type Hash, inclusionProof, rootHash, rootOfInclusion } from './merkle.js';
import { edgeOf, type LogRecords, type LogState } from './records.js';
import type { SignedTree } from './signed-trees.js';
import {
  type Edge,
  EMPTY,
  grown,
  hashesFrom,
  onEdge,
  TILE_WIDTH,
  type Tile,
  type TilePlace,
  widthOf,
} from './tiles.js';

/** The place of an event. */
export type Place = Pick<RecordedEvent, 'stream' | 'revision' | 'id' | 'position'>;

/** The first leaf that differs from the vault: its index, its event, and its hash in the vault. */
export interface Difference {
  readonly index: number;
  readonly place: Place | undefined;
  readonly stored: Hash | undefined;
}

/** The tree of the added events. */
export class RebuiltTree {
  /** Hashes and positions in the vault that differ from the events. */
  readonly altered = new Tally();
  /** The signed trees that the events do not match. */
  readonly refuted: SignedTree[] = [];
  /** The last added event. */
  last: Place | undefined;
  difference: Difference | undefined;
  readonly #records: LogRecords;
  readonly #state: LogState;
  readonly #trees: readonly SignedTree[];
  #edge: Edge = EMPTY;
  #compared = 0;
  /** The events of the last tile, and the position before them. */
  #places: Place[] = [];
  #before: Position | null = null;

  /** `trees` must be sorted by size. */
  constructor(records: LogRecords, state: LogState, trees: readonly SignedTree[]) {
    this.#records = records;
    this.#state = state;
    this.#trees = trees;
  }

  get size(): number {
    return this.#edge.size;
  }

  /** Adds the next events of the log. */
  async add(events: readonly RecordedEvent[], hashes: readonly Hash[]): Promise<void> {
    for (let at = 0; at < events.length; ) {
      const until = at + this.#stop() - this.size;
      if (this.size % TILE_WIDTH === 0) this.#beginTile();
      this.#places.push(...events.slice(at, until).map(placeOf));
      this.last = this.#places.at(-1);
      const { edge, full } = grown(this.#edge, hashes.slice(at, until));
      this.#edge = edge;
      for (const tile of full) await this.#compareTile(tile);
      await this.#compareHere();
      at = until;
    }
  }

  /** Compares the rest after the last event. */
  async end(): Promise<void> {
    if (this.size > 0 && this.size < this.#state.size) await this.#compareLeaves(this.#lastTile());
  }

  /** Returns whether a signed tree has the same hash as the vault at the difference. */
  async isSigned({ index, stored }: Difference): Promise<boolean> {
    const tree = this.#trees.findLast(({ size }) => size <= this.#state.size);
    if (tree === undefined || stored === undefined || index >= tree.size) return false;
    const source = hashesFrom(async (place) => (await this.#records.hashes(this.#state, place)) ?? []);
    // A tile that is missing or lacks hashes proves nothing.
    const proof = await inclusionProof(index, tree.size, source).catch(() => []);
    return rootOfInclusion(stored, { index, size: tree.size }, proof)?.equals(tree.root) ?? false;
  }

  /** Returns the size up to which the next events can be added in one step. */
  #stop(): number {
    const ends = [this.#state.size, ...this.#trees.map(({ size }) => size)].filter((size) => size > this.size);
    return Math.min((Math.floor(this.size / TILE_WIDTH) + 1) * TILE_WIDTH, ...ends);
  }

  #beginTile(): void {
    this.#before = this.last?.position ?? null;
    this.#places = [];
  }

  #lastTile(): Tile {
    return { level: 0, index: Math.ceil(this.size / TILE_WIDTH) - 1, hashes: this.#edge.levels[0] ?? [] };
  }

  async #compareHere(): Promise<void> {
    if (this.size === this.#state.size) await this.#compareEdge();
    const source = hashesFrom(async (place) => onEdge(this.#edge, place) ?? []);
    for (const tree of this.#trees.slice(this.#compared)) {
      if (tree.size > this.size) return;
      this.#compared += 1;
      if (!(await rootHash(tree.size, source)).equals(tree.root)) this.refuted.push(tree);
    }
  }

  async #compareTile(tile: Tile): Promise<void> {
    if (widthOf(tile, this.#state.size) < TILE_WIDTH) return;
    if (tile.level === 0) return this.#compareLeaves(tile);
    this.#compareNodes(tile, await this.#records.hashes(this.#state, tile));
  }

  async #compareEdge(): Promise<void> {
    await this.#compareLeaves(this.#lastTile());
    const { levels } = edgeOf(this.#state);
    for (const [level, hashes] of this.#edge.levels.entries()) {
      const index = Math.ceil(Math.floor(this.size / TILE_WIDTH ** level) / TILE_WIDTH) - 1;
      if (level > 0) this.#compareNodes({ level, index, hashes }, levels[level]);
    }
    if (levels.length !== this.#edge.levels.length) this.altered.add('the number of levels');
    if (this.#state.position !== this.last?.position) this.altered.add('the position of the last event');
  }

  async #compareLeaves({ index, hashes, level }: Tile): Promise<void> {
    const stored = await this.#records.hashes(this.#state, { level, index });
    const width = Math.min(hashes.length, widthOf({ level, index }, this.#state.size));
    for (const [at, hash] of hashes.slice(0, width).entries()) {
      if (stored?.[at]?.equals(hash)) continue;
      if (stored === undefined) this.altered.add(`tile ${level}/${index}, which is missing`);
      this.difference ??= { index: index * TILE_WIDTH + at, place: this.#places[at], stored: stored?.[at] };
      return;
    }
    if ((await this.#positionBefore(index)) !== this.#before) this.altered.add(`the position before tile 0/${index}`);
  }

  async #positionBefore(index: number): Promise<Position | null | undefined> {
    const isLast = (index + 1) * TILE_WIDTH >= this.#state.size;
    return isLast
      ? this.#state.tileAfter
      : (await this.#records.tile(this.#state.generation, { level: 0, index }))?.after;
  }

  #compareNodes({ level, index, hashes }: Tile, stored: readonly Hash[] | undefined): void {
    const isSame = stored?.length === hashes.length && hashes.every((hash, at) => stored[at]?.equals(hash));
    if (!isSame) this.altered.add(nameOf({ level, index }));
  }
}

const nameOf = ({ level, index }: TilePlace): string => `tile ${level}/${index}`;

const placeOf = ({ stream, revision, id, position }: RecordedEvent): Place => ({ stream, revision, id, position });
