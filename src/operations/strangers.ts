// Actors of whom the log knows nothing: an event that has the address of one was altered.
import { user } from '../domain/user/user.js';
import { StreamTruncated } from '../infrastructure/errors.js';
import type { Facts } from '../infrastructure/facts/facts.js';
import { streamName } from '../infrastructure/stream-name.js';

/** Tells who was never registered. Only a user's key seals an address, so a stranger cannot have one. */
export class Strangers {
  readonly #facts: Facts;
  readonly #known = new Map<string, boolean>();

  constructor(facts: Facts) {
    this.#facts = facts;
  }

  /** Returns those of the actors who were never registered. Each is looked for once. */
  async among(actors: Iterable<string>): Promise<ReadonlySet<string>> {
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
