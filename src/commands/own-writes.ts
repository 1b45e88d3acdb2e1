// The last writes of this process to each stream, until the views contain them.
import { LRUCache } from 'lru-cache';
import type { Position } from '../infrastructure/facts/facts.js';
import { aggregateOf } from '../infrastructure/stream-name.js';

/** How many streams are remembered while the views are behind. */
export const MAX_STREAMS = 100_000;

/** Returns whether every view of an aggregate is known to contain a position. */
export type IsFolded = (aggregate: string, position: Position) => boolean;

export class OwnWrites {
  readonly #isFolded: IsFolded;
  // `max` would reserve memory for all entries in advance.
  readonly #positions = new LRUCache<string, Position>({ maxSize: MAX_STREAMS, sizeCalculation: () => 1 });

  constructor(isFolded: IsFolded) {
    this.#isFolded = isFolded;
  }

  /** Notes a write. Forgets the oldest writes that the views contain. */
  note(stream: string, position: Position): void {
    this.#positions.set(stream, position);
    for (const [oldest = '', written = ''] of this.#positions.rentries()) {
      if (!this.#isFolded(aggregateOf(oldest), written)) break;
      this.#positions.delete(oldest);
    }
  }

  /** Returns the position of the last write to a stream; undefined if there is none that the views may lack. */
  of(stream: string): Position | undefined {
    // Not `get`, which would change the order of the writes.
    return this.#positions.peek(stream);
  }
}
