// Checks the events of a bundle against the tree of a checkpoint.

import { leafOf } from '../transparency/leaf.js';
import { leafHash, rootHash } from '../transparency/merkle.js';
import { type Checkpoint, parsedCheckpoint, parsedNote } from '../transparency/note.js';
import { EMPTY, grown, hashesFrom, type Leaf, onEdge, TILE_WIDTH } from '../transparency/tiles.js';
import { eventOf } from './formats.js';

/** Returns the checkpoint of a signed note; undefined if the note is malformed. Does not verify the signature. */
export const checkpointIn = (note: string): Checkpoint | undefined => {
  const parsed = parsedNote(note);
  return parsed && parsedCheckpoint(parsed.text);
};

/** The tree of a bundle's lines, up to the size of a checkpoint. Memory does not grow with the number of lines. */
export class BundleTree {
  readonly #checkpoint: Checkpoint;
  #edge = EMPTY;
  #waiting: Leaf[] = [];

  constructor(checkpoint: Checkpoint) {
    this.#checkpoint = checkpoint;
  }

  /** Adds the next line. */
  add(line: object): void {
    if (this.#edge.size + this.#waiting.length === this.#checkpoint.size) return;
    const event = eventOf(line);
    this.#waiting.push({ hash: leafHash(leafOf(event)), position: event.position });
    if (this.#waiting.length === TILE_WIDTH) this.#grow();
  }

  /** Returns the faults of the added lines. */
  async faults(): Promise<readonly string[]> {
    this.#grow();
    const { size, root } = this.#checkpoint;
    if (this.#edge.size < size) return [`the checkpoint covers ${size} events, the file has ${this.#edge.size}`];
    const found = await rootHash(
      size,
      hashesFrom(async (place) => onEdge(this.#edge, place) ?? []),
    );
    return found.equals(root) ? [] : [`the first ${size} events do not match the root hash of the checkpoint`];
  }

  #grow(): void {
    this.#edge = grown(this.#edge, this.#waiting).edge;
    this.#waiting = [];
  }
}
