// Finds actors who were never registered. An event with the address of such an actor was altered.
import { user } from '../domain/user/user.js';
import { StreamTruncated } from '../infrastructure/errors.js';
import type { Facts } from '../infrastructure/facts/facts.js';
import { streamName } from '../infrastructure/stream-name.js';

/** Finds strangers: actors who were never registered. Only a user's key seals an address, so strangers have none. */
export class UnregisteredActors {
  readonly #facts: Facts;
  readonly #known = new Map<string, boolean>();

  constructor(facts: Facts) {
    this.#facts = facts;
  }

  /** Returns the actors who were never registered. Looks up each actor only once. */
  async findIn(actors: Iterable<string>): Promise<ReadonlySet<string>> {
    const strangers = new Set<string>();
    for (const actor of new Set(actors)) {
      const isKnown = this.#known.get(actor) ?? (await exists(this.#facts, streamName(user.aggregate, actor)));
      this.#known.set(actor, isKnown);
      if (!isKnown) strangers.add(actor);
    }
    return strangers;
  }
}

const exists = async (facts: Facts, stream: string): Promise<boolean> => {
  try {
    for await (const _ of facts.readStream(stream)) return true;
    return false;
  } catch (error) {
    // The check `streams` reports the stream.
    if (error instanceof StreamTruncated) return true;
    throw error;
  }
};
