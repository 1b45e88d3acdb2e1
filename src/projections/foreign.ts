// Finds positions that are not of this log: the facts were restored to an earlier state, or moved to another engine.
import type { Facts, Position } from '../infrastructure/facts/facts.js';
import type { Checkpoint, Views } from '../infrastructure/views/views.js';

/** Returns the generations that have folded events which the log does not contain, and the end of the log. */
export const foreignGenerations = async (
  facts: Pick<Facts, 'head'>,
  views: Pick<Views, 'checkpoints'>,
): Promise<{
  readonly head: Position | undefined;
  readonly all: readonly Checkpoint[];
  readonly foreign: readonly Checkpoint[];
}> => {
  // The checkpoints come first, then the end of the log: progress in between must not look foreign.
  const checkpoints = await views.checkpoints();
  const head = await facts.head();
  const foreign = checkpoints.filter(({ position }) => position !== undefined && isBeyond(position, head));
  return { head, all: checkpoints, foreign };
};

// Positions of the two engines differ in length and cannot be compared.
const isBeyond = (position: Position, head: Position | undefined): boolean =>
  head === undefined || position.length !== head.length || position > head;
