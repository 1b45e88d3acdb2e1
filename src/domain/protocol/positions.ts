// Where items of a list go: positions are unique, gaps are kept, an arriving item pushes down what it meets.
import { DomainError } from '../errors.js';
import { highestPosition } from '../fields.js';

interface Placed {
  readonly id: string;
  readonly position: number;
}

/** The items that must move down by one, each with its new position, so that `position` is free. */
export const makeRoom = (items: readonly Placed[], position: number): Placed[] => {
  const at = new Map(items.map((item) => [item.position, item.id]));
  const moved: Placed[] = [];
  for (let next = position, id = at.get(next); id !== undefined; id = at.get(next)) {
    next = within(next + 1);
    moved.push({ id, position: next });
  }
  return moved;
};

/** The items by ascending position. */
export const byPosition = <I extends { readonly position: number }>(items: readonly I[]): I[] =>
  items.toSorted((a, b) => a.position - b.position);

/** The position behind every other: 1 in an empty list. */
export const lastPosition = (items: readonly Placed[]): number =>
  within(items.reduce((last, { position }) => Math.max(last, position), 0) + 1);

const within = (position: number) => {
  if (position <= highestPosition) return position;
  const message = `leaves no place for the last item: ${highestPosition} is the highest position`;
  throw new DomainError('fields-refused', { errors: [{ path: ['position'], code: 'too-big', message }] });
};
