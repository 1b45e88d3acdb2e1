// The last writes of this process to each stream, until the read models have folded them.
import { LRUCache } from 'lru-cache';
import type { Position } from '../infrastructure/facts/facts.js';
import { aggregateOf } from '../infrastructure/stream-name.js';

/** How many streams are remembered while the read models are behind. */
export const MAX_STREAMS = 100_000;
// Each write forgets a few, so that none waits until many are forgotten.
const FORGOTTEN = 4;

/** Returns whether every read model of an aggregate is known to have folded a position. */
export type IsFolded = (aggregate: string, position: Position) => boolean;

export class OwnWrites {
  readonly #isFolded: IsFolded;
  // `max` would reserve memory for all entries in advance.
  readonly #positions = new LRUCache<string, Position>({ maxSize: MAX_STREAMS, sizeCalculation: () => 1 });

  constructor(isFolded: IsFolded) {
    this.#isFolded = isFolded;
  }

  /** Notes a write unless a newer one of the stream is known, and forgets the oldest writes that are folded. */
  note(stream: string, position: Position): void {
    const isNewer = position > (this.of(stream) ?? '');
    if (isNewer && !this.#isFolded(aggregateOf(stream), position)) this.#positions.set(stream, position);
    let left = FORGOTTEN;
    for (const [oldest = '', written = ''] of this.#positions.rentries()) {
      if (left === 0 || !this.#isFolded(aggregateOf(oldest), written)) break;
      this.#positions.delete(oldest);
      left -= 1;
    }
  }

  /** Returns the position of the last write to a stream; undefined if there is none that a read model may lack. */
  of(stream: string): Position | undefined {
    // Not `get`, which would change the order of the writes.
    return this.#positions.peek(stream);
  }
}
