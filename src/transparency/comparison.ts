// Builds the tree of the stored events again, and compares it with the signed trees and with the records in the vault.
// Only the right edge of the tree is kept, so memory does not grow with the log.
import type { RecordedEvent } from '../infrastructure/facts/facts.js';
import { Tally } from '../infrastructure/tally.js';
import { type Hash, rootHash } from './merkle.js';
import { type LogRecords, type LogState, storedEdge } from './records.js';
import type { SignedTree } from './signed-trees.js';
import { EMPTY, grown, hashesFrom, type Leaf, onEdge, TILE_WIDTH, widthOf } from './tiles.js';

/** An event whose hash in the vault differs. */
interface Difference {
  readonly index: number;
  readonly event: RecordedEvent;
}

/** The tree of the added events. */
export class Comparison {
  readonly #records: LogRecords;
  readonly #state: LogState;
  readonly #largest: number;
  /** The signed trees that are not compared yet. */
  #due: readonly SignedTree[];
  #edge = EMPTY;
  #waiting: Leaf[] = [];
  /** The hashes in the vault of the tile that grows; undefined if a full tile is missing. */
  #stored: readonly Hash[] | undefined;
  #first: RecordedEvent | undefined;
  #last: RecordedEvent | undefined;
  /** The size of the largest signed tree that the events match. */
  #matched = 0;
  /** The first difference since then. */
  #difference: Difference | undefined;
  /** The fault of the first signed tree that the events do not match. */
  #refuted: string | undefined;
  /** The records in the vault that differ from the events. */
  readonly #altered = new Tally();

  /** `trees` must be sorted by size. */
  constructor(records: LogRecords, state: LogState, trees: readonly SignedTree[]) {
    this.#records = records;
    this.#state = state;
    this.#largest = Math.max(state.size, trees.at(-1)?.size ?? 0);
    this.#due = trees;
  }

  get size(): number {
    return this.#edge.size + this.#waiting.length;
  }

  /** Returns the times of the first and of the last event. */
  get times() {
    return { firstAt: this.#first?.metadata.at, lastAt: this.#last?.metadata.at };
  }

  async add(event: RecordedEvent, hash: Hash): Promise<void> {
    const index = this.size;
    const at = index % TILE_WIDTH;
    if (at === 0) this.#stored = await this.#records.hashes(this.#state, { level: 0, index: index / TILE_WIDTH });
    if (this.#stored?.[at]?.equals(hash) === false) this.#difference ??= { index, event };
    this.#first ??= event;
    this.#last = event;
    this.#waiting.push({ hash, position: event.position });
    const isDue = this.size === this.#state.size || this.size === this.#due[0]?.size;
    if (isDue || at === TILE_WIDTH - 1) await this.#grow();
  }

  /**
   * Returns the faults, most important first. Names an altered event only if a signed tree has another root; otherwise
   * the records in the vault are at fault. `unread` says why the log could not be read to its end.
   */
  faults(unread: string | undefined): readonly string[] {
    this.#moveDifference();
    const ofVault = `records of the audit log in the vault differ from the events: ${this.#altered.firstOf()}`;
    const isVaultAltered = this.#refuted === undefined && this.#altered.count > 0;
    const found = [this.#refuted, unread ?? this.#missing(), isVaultAltered ? ofVault : undefined];
    return found.filter((fault) => fault !== undefined);
  }

  async #grow(): Promise<void> {
    const { edge, full } = grown(this.#edge, this.#waiting);
    this.#edge = edge;
    this.#waiting = [];
    const { size, generation } = this.#state;
    for (const tile of full) {
      const isSame = widthOf(tile, size) < TILE_WIDTH || (await this.#records.hasTile(generation, tile));
      if (!isSame) this.#altered.add(`tile ${tile.level}/${tile.index}`);
    }
    if (edge.size === size) this.#compareState();
    const due = this.#due.filter((tree) => tree.size <= edge.size);
    this.#due = this.#due.slice(due.length);
    for (const tree of due) await this.#compareTree(tree);
  }

  #compareState(): void {
    const state: Readonly<Record<string, unknown>> = { ...this.#state };
    for (const [name, value] of Object.entries(storedEdge(this.#edge))) {
      if (JSON.stringify(state[name]) !== JSON.stringify(value)) this.#altered.add(`${name} in the state of the tree`);
    }
  }

  async #compareTree({ name, size, root }: SignedTree): Promise<void> {
    if (this.#refuted !== undefined) return;
    const hashes = hashesFrom(async (place) => onEdge(this.#edge, place) ?? []);
    if ((await rootHash(size, hashes)).equals(root)) {
      this.#matched = size;
      this.#moveDifference();
    } else if (this.#difference === undefined) {
      this.#refuted = `an event between index ${this.#matched} and ${size - 1} differs from the signed log: ${name} has another root. The stored hashes of the audit log were altered, too`;
    } else {
      const { index, event } = this.#difference;
      this.#refuted = `the event at index ${index} differs from the signed log: ${nameOf(event)}. The root of ${name} differs, too`;
    }
  }

  /** Notes that the vault, and not the event, was altered. */
  #moveDifference(): void {
    if (this.#difference === undefined) return;
    const { index, event } = this.#difference;
    this.#altered.add(`the stored hash at index ${index} (${nameOf(event)})`);
    this.#difference = undefined;
  }

  #missing(): string | undefined {
    const [found, expected] = [this.size, this.#largest];
    if (found >= expected) return undefined;
    const end = this.#last ? `the log ends at index ${found - 1}, ${nameOf(this.#last)}` : 'the log is empty';
    return `${end}: it has ${found} events, but the audit log has ${expected}, so ${expected - found} are missing`;
  }
}

const nameOf = ({ id, stream, revision, position }: RecordedEvent): string =>
  `event ${id} of ${stream}, revision ${revision}, position ${position}`;
