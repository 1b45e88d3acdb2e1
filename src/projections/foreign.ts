// Finds positions that are not of this log: the facts were restored to an earlier state, or moved to another engine.
import type { Facts, Position } from '../infrastructure/facts/facts.js';
import type { Views } from '../infrastructure/views/views.js';

/** Returns the generations that have folded events which the log does not contain, and the end of the log. */
export const foreignGenerations = async (facts: Pick<Facts, 'head'>, views: Pick<Views, 'checkpoints'>) => {
  // The checkpoints come first, then the end of the log: progress in between must not look foreign.
  const all = await views.checkpoints();
  const head = await facts.head();
  const foreign = all.filter(({ position }) => position !== undefined && isBeyond(position, head));
  return { head, all, foreign };
};

// Positions of the two engines differ in length and cannot be compared.
const isBeyond = (position: Position, head: Position | undefined): boolean =>
  head === undefined || position.length !== head.length || position > head;
