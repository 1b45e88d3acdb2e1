// How the generations spread over the workers: evenly, and with as few of them changing hands as can be.

/**
 * How many generations a worker should hold. `holders` names, for each generation that is to be spread, who of `workers`
 * holds it (undefined: nobody). All who see the same get shares that add up to all generations, of which no two differ
 * by more than one; the larger ones go to those who hold most already, so that where it is even nothing moves.
 */
export const shareOf = (
  worker: string,
  workers: readonly string[],
  holders: readonly (string | undefined)[],
): number => {
  const held = (owner: string) => holders.filter((holder) => holder === owner).length;
  const byHeld = workers.toSorted((a, b) => held(b) - held(a) || (a < b ? -1 : 1));
  const isLarger = byHeld.indexOf(worker) < holders.length % workers.length;
  return Math.floor(holders.length / workers.length) + Number(isLarger);
};
