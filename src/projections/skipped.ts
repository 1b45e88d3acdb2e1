// The events that a projection leaves out by an operator's decision. The decisions are facts, in one stream for each
// projection, so that every generation, also one that is built later, leaves out the same.
import { v5 } from 'uuid';
import { fold } from '../domain/decider.js';
import { projection as decisions, type SkippedEvent } from '../domain/projection.js';
import type { Facts, Position } from '../infrastructure/facts/facts.js';
import type { Skips } from './batch.js';

// Never changes: the stream of a projection's decisions follows from its name.
const NAMESPACE = '0b6d5e0c-64d3-4c1e-9a55-1f6a4d7f0c2b';

/** The id of the aggregate that holds the decisions about a projection. */
export const decisionsId = (projection: string): string => v5(projection, NAMESPACE);

/** What operators have decided that a projection leaves out, first to last. */
export const skippedOf = async (facts: Facts, projection: string): Promise<readonly SkippedEvent[]> => {
  const id = decisionsId(projection);
  let state = decisions.initialState;
  for await (const event of facts.readStream(`${decisions.aggregate}-${id}`)) {
    state = fold(decisions, state, event, { id, at: event.metadata.at });
  }
  return state.skipped;
};

/** What a projection leaves out, as it was decided when it was asked last. */
export class SkippedEvents implements Skips {
  readonly #facts: Facts;
  readonly #projection: string;
  #positions: ReadonlySet<Position> = new Set();

  private constructor(facts: Facts, projection: string) {
    this.#facts = facts;
    this.#projection = projection;
  }

  /** Rejects with `StoreUnavailable` while the decisions cannot be read. */
  static async of(facts: Facts, projection: string): Promise<SkippedEvents> {
    const skipped = new SkippedEvents(facts, projection);
    await skipped.#read();
    return skipped;
  }

  has(position: Position): boolean {
    return this.#positions.has(position);
  }

  async hasNow(position: Position): Promise<boolean> {
    await this.#read();
    return this.has(position);
  }

  async #read(): Promise<void> {
    this.#positions = new Set((await skippedOf(this.#facts, this.#projection)).map(({ position }) => position));
  }
}
