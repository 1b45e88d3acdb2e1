// The events whose personal fields this process could not open. They are read again before they are reported, so that a
// restore or an erasure clears them.
import { LRUCache } from 'lru-cache';
import { type EventPlace, StoreUnavailable } from '../errors.js';
import type { Facts } from '../facts/facts.js';

// Every report reads all of them again.
const MAX_EVENTS = 20;

export class UnreadableEvents {
  readonly #events = new LRUCache<string, EventPlace>({ max: MAX_EVENTS });

  /** Remembers an event. */
  note({ stream, revision, id }: EventPlace): void {
    this.#events.set(id, { stream, revision, id });
  }

  /** Returns the streams of events that still cannot be opened. Forgets all other events. */
  async streams(facts: Facts): Promise<ReadonlySet<string>> {
    for (const event of [...this.#events.values()]) {
      if (!(await isUnreadable(facts, event))) this.#events.delete(event.id);
    }
    return new Set([...this.#events.values()].map(({ stream }) => stream));
  }
}

const isUnreadable = async (facts: Facts, { stream, revision, id }: EventPlace): Promise<boolean> => {
  try {
    for await (const event of facts.readStream(stream, revision)) {
      return event.id === id && event.flaw?.kind === 'unreadable';
    }
    return false;
  } catch (error) {
    // Nothing new is known while a store is unavailable.
    if (error instanceof StoreUnavailable) return true;
    throw error;
  }
};
