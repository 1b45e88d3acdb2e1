// The positions of items in a list. Positions are unique and may have gaps. A new item at a taken position moves the
// items up to the next gap down by one.
import { DomainError, type FieldError } from '../errors.js';
import { highestPosition } from '../fields.js';

interface Placed {
  readonly id: string;
  readonly position: number;
}

/** Returns the items that must move down to free `position`, with their new positions. */
export const makeRoom = (items: readonly Placed[], position: number): Placed[] => {
  const at = new Map(items.map((item) => [item.position, item.id]));
  const moved: Placed[] = [];
  for (let next = position, id = at.get(next); id !== undefined; id = at.get(next)) {
    next = within(next + 1);
    moved.push({ id, position: next });
  }
  return moved;
};

export const byPosition = <I extends { readonly position: number }>(items: readonly I[]): I[] =>
  sorted(items, (a, b) => a.position - b.position);

export const byScore = <R extends { readonly minScore: number; readonly maxScore: number }>(
  ranges: readonly R[],
): R[] => sorted(ranges, (a, b) => a.minScore - b.minScore || a.maxScore - b.maxScore);

// Most lists are sorted already, and the check takes a fraction of the time of sorting.
const sorted = <I>(items: readonly I[], compare: (a: I, b: I) => number): I[] => {
  const isSorted = items.every((item, index) => {
    const before = items[index - 1];
    return before === undefined || compare(before, item) <= 0;
  });
  return isSorted ? [...items] : items.toSorted(compare);
};

/** Returns the items sorted by position, after some of them have moved. */
export const arranged = <I extends Placed & { readonly updatedAt: string }>(
  items: readonly I[],
  moved: readonly Placed[],
  at: string,
): I[] => {
  const places = new Map(moved.map(({ id, position }) => [id, position]));
  const place = (item: I): I => {
    const position = places.get(item.id) ?? item.position;
    return position === item.position ? item : { ...item, position, updatedAt: at };
  };
  return byPosition(items.map(place));
};

/** Returns the positions 1 to n of the items with these ids. */
export const placesOf = (ids: readonly string[]): Placed[] => ids.map((id, index) => ({ id, position: index + 1 }));

/** Returns whether the items have the positions 1 to n in the order of the ids. Expects an order of all items. */
export const isInOrder = (items: readonly Placed[], ids: readonly string[]): boolean =>
  items.every(({ id, position }, index) => id === ids[index] && position === index + 1);

/** Throws `fields-refused` unless the ids name every item of a list. The schema has already rejected duplicates. */
export const requireOrderOf = (items: readonly Placed[], ids: readonly string[]): void => {
  const errors = faultsOfOrder(items, ids);
  if (errors.length > 0) throw new DomainError('fields-refused', { errors });
};

const faultsOfOrder = (items: readonly Placed[], ids: readonly string[]): readonly FieldError[] => {
  const [known, named] = [new Set(items.map(({ id }) => id)), new Set(ids)];
  const foreign = ids.flatMap((id, index): FieldError[] =>
    known.has(id) ? [] : [{ path: ['ids', index], code: 'not-found', message: 'does not name an item of this list' }],
  );
  const [missing, ...others] = items.filter(({ id }) => !named.has(id));
  if (missing === undefined) return foreign;
  const more = others.length === 0 ? '' : ` and ${others.length} more`;
  return [...foreign, { path: ['ids'], code: 'incomplete', message: `does not include ${missing.id}${more}` }];
};

/** Returns the position after the last item: 1 in an empty list. */
export const lastPosition = (items: readonly Placed[]): number =>
  within(items.reduce((last, { position }) => Math.max(last, position), 0) + 1);

const within = (position: number) => {
  if (position <= highestPosition) return position;
  const message = `would push the last item above ${highestPosition}, the highest position`;
  throw new DomainError('fields-refused', { errors: [{ path: ['position'], code: 'too-big', message }] });
};
