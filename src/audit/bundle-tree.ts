// Whether the events of a bundle are those that a checkpoint commits to.
import { type Checkpoint, parsedCheckpoint } from '../transparency/checkpoint.js';
import { leafOf } from '../transparency/leaf.js';
import { type Hash, leafHash, rootHash } from '../transparency/merkle.js';
import { parsedNote } from '../transparency/note.js';
import { EMPTY, grown, hashesFrom, onEdge, TILE_WIDTH } from '../transparency/tiles.js';
import { eventOf } from './formats.js';

/** Returns the checkpoint of a signed note, whose signature is not verified here; undefined if the note is malformed. */
export const checkpointIn = (note: string): Checkpoint | undefined => {
  const parsed = parsedNote(note);
  return parsed && parsedCheckpoint(parsed.text);
};

/** The tree of the lines of a bundle, as far as a checkpoint covers them. Memory does not grow with the lines. */
export class BundleTree {
  readonly #checkpoint: Checkpoint;
  #edge = EMPTY;
  #waiting: Hash[] = [];

  constructor(checkpoint: Checkpoint) {
    this.#checkpoint = checkpoint;
  }

  /** Adds the next line. */
  add(line: object): void {
    if (this.#edge.size + this.#waiting.length === this.#checkpoint.size) return;
    this.#waiting.push(leafHash(leafOf(eventOf(line))));
    if (this.#waiting.length === TILE_WIDTH) this.#grow();
  }

  /** Returns the faults of the lines that were added. */
  async faults(): Promise<readonly string[]> {
    this.#grow();
    const { size, root } = this.#checkpoint;
    if (this.#edge.size < size) return [`the checkpoint covers ${size} events, the file has ${this.#edge.size}`];
    const found = await rootHash(
      size,
      hashesFrom(async (place) => onEdge(this.#edge, place) ?? []),
    );
    return found.equals(root) ? [] : [`the first ${size} events are not those that the checkpoint commits to`];
  }

  #grow(): void {
    this.#edge = grown(this.#edge, this.#waiting).edge;
    this.#waiting = [];
  }
}
