// The events whose personal fields did not open for this process. They are looked at again before they are reported, so
// that restored facts and an erasure clear them.
import { LRUCache } from 'lru-cache';
import { type EventPlace, StoreUnavailable } from '../errors.js';
import type { Facts } from '../facts/facts.js';

// Each is read again whenever it is asked for.
const REMEMBERED = 20;

export class UnreadableEvents {
  readonly #met = new LRUCache<string, EventPlace>({ max: REMEMBERED });

  /** Remembers an event. */
  note({ stream, revision, id }: EventPlace): void {
    this.#met.set(id, { stream, revision, id });
  }

  /** Returns the streams with an event that still does not open, and forgets the other events. */
  async streams(facts: Facts): Promise<ReadonlySet<string>> {
    for (const event of [...this.#met.values()]) {
      if (!(await isUnreadable(facts, event))) this.#met.delete(event.id);
    }
    return new Set([...this.#met.values()].map(({ stream }) => stream));
  }
}

const isUnreadable = async (facts: Facts, { stream, revision, id }: EventPlace): Promise<boolean> => {
  try {
    for await (const event of facts.readStream(stream, revision)) {
      return event.id === id && event.flaw?.kind === 'unreadable';
    }
    return false;
  } catch (error) {
    // Nothing new is known while a store is away.
    if (error instanceof StoreUnavailable) return true;
    throw error;
  }
};
