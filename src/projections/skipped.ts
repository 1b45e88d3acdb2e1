// The events that a projection leaves out by an operator's decision. The decisions are facts, in one stream for each
// projection, so that every generation, also one that is built later, leaves out the same.
import { v5 } from 'uuid';
import { fold } from '../domain/decider.js';
import { projection as decisions, type SkippedEvent } from '../domain/projection-skips.js';
import { type Facts, interpretable, type Position } from '../infrastructure/facts/facts.js';
import { streamName } from '../infrastructure/stream-name.js';
import type { Skips } from './batch.js';

// Never changes: the stream of a projection's decisions follows from its name.
const NAMESPACE = '0b6d5e0c-64d3-4c1e-9a55-1f6a4d7f0c2b';

/** The id of the aggregate that holds the decisions about a projection. */
export const decisionsId = (projection: string): string => v5(projection, NAMESPACE);

/** What operators have decided that a projection leaves out, first to last. */
export const skippedOf = async (facts: Facts, projection: string): Promise<readonly SkippedEvent[]> => {
  const id = decisionsId(projection);
  let state = decisions.initialState;
  for await (const event of facts.readStream(streamName(decisions.aggregate, id))) {
    state = fold(decisions, state, interpretable(event), { id, at: event.metadata.at });
  }
  return state.skipped;
};

/** Returns the events that a projection leaves out. Rejects with `StoreUnavailable` while they cannot be read. */
export const skipsOf = async (facts: Facts, projection: string): Promise<Skips> => {
  const read = async () => new Set((await skippedOf(facts, projection)).map(({ position }) => position));
  let positions: ReadonlySet<Position> = await read();
  return {
    has: (position) => positions.has(position),
    hasNow: async (position) => {
      positions = await read();
      return positions.has(position);
    },
  };
};
