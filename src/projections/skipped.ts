// The events that a projection skips because an operator decided so. The decisions are facts, in one stream for each
// projection, so that every generation skips the same events, even a generation that is built later.
import { v5 } from 'uuid';
import { fold } from '../domain/decider.js';
import { projection as decisions, type SkippedEvent } from '../domain/projection-skips.js';
import { type Facts, interpretable, type Position } from '../infrastructure/facts/facts.js';
import { streamName } from '../infrastructure/stream-name.js';
import type { Skips } from './batch.js';

// Never changes: the id of the decisions is derived from the projection's name.
const NAMESPACE = '0b6d5e0c-64d3-4c1e-9a55-1f6a4d7f0c2b';

/** Returns the id of the aggregate that holds the decisions about a projection. */
export const decisionsId = (projection: string): string => v5(projection, NAMESPACE);

/** Returns the events that operators have decided to skip, in the order of the decisions. */
export const skippedOf = async (facts: Facts, projection: string): Promise<readonly SkippedEvent[]> => {
  const id = decisionsId(projection);
  let state = decisions.initialState;
  for await (const event of facts.readStream(streamName(decisions.aggregate, id))) {
    state = fold(decisions, state, interpretable(event), { id, at: event.metadata.at });
  }
  return state.skipped;
};

/** Returns the events that a projection skips. Rejects with `StoreUnavailable` while they cannot be read. */
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
