// Where items of a list go: positions are unique, gaps are kept, an arriving item pushes down what it meets.

interface Placed {
  readonly id: string;
  readonly position: number;
}

/** The items that must move down by one, each with its new position, so that `position` is free. */
export const makeRoom = (items: readonly Placed[], position: number): Placed[] => {
  const at = new Map(items.map((item) => [item.position, item.id]));
  const moved: Placed[] = [];
  for (let next = position, id = at.get(next); id !== undefined; id = at.get(next)) {
    next += 1;
    moved.push({ id, position: next });
  }
  return moved;
};

/** The position behind every other: 1 in an empty list. */
export const lastPosition = (items: readonly Placed[]): number =>
  items.reduce((last, { position }) => Math.max(last, position), 0) + 1;
