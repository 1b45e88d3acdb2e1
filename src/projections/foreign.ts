// Positions that are not of this log: the facts were restored to an older moment, or moved to another engine.
import type { Facts, Position } from '../infrastructure/facts/facts.js';
import type { Checkpoint, Views } from '../infrastructure/views/views.js';

/** The generations that have folded what the log does not hold, and where the log ends. */
export const foreignGenerations = async (
  facts: Facts,
  views: Views,
): Promise<{ readonly head: Position | undefined; readonly all: number; readonly foreign: readonly Checkpoint[] }> => {
  // First how far they are, then where the log ends: what is folded meanwhile must not look like too much.
  const checkpoints = await views.checkpoints();
  const head = await facts.head();
  const foreign = checkpoints.filter(({ position }) => position !== undefined && isBeyond(position, head));
  return { head, all: checkpoints.length, foreign };
};

// Positions of the two engines differ in length, and compare to nothing.
const isBeyond = (position: Position, head: Position | undefined): boolean =>
  head === undefined || position.length !== head.length || position > head;
