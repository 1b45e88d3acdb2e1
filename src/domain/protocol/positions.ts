// Where items of a list go: positions are unique, gaps are kept, an arriving item pushes down what it meets.
import { DomainError, type FieldError } from '../errors.js';
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

/** Returns whether the ids name every item of a list once. */
export const isOrderOf = (items: readonly Placed[], ids: readonly string[]): boolean =>
  faultsOfOrder(items, ids).length === 0 && new Set(ids).size === ids.length;

/** Returns whether the items, which are given by ascending position, stand at 1 to n in the order of the ids. */
export const standsInOrder = (items: readonly Placed[], ids: readonly string[]): boolean =>
  items.length === ids.length && items.every(({ id, position }, index) => id === ids[index] && position === index + 1);

/** Refuses ids that do not name every item of a list. That each id stands once is the schema's to check. */
export const requireOrderOf = (items: readonly Placed[], ids: readonly string[]): void => {
  const errors = faultsOfOrder(items, ids);
  if (errors.length > 0) throw new DomainError('fields-refused', { errors });
};

const faultsOfOrder = (items: readonly Placed[], ids: readonly string[]): readonly FieldError[] => {
  const [known, named] = [new Set(items.map(({ id }) => id)), new Set(ids)];
  const foreign = ids.flatMap((id, index): FieldError[] =>
    known.has(id) ? [] : [{ path: ['ids', index], code: 'not-found', message: 'names no item of this list' }],
  );
  const [missing, ...others] = items.filter(({ id }) => !named.has(id));
  if (missing === undefined) return foreign;
  const more = others.length === 0 ? '' : ` and ${others.length} more`;
  return [...foreign, { path: ['ids'], code: 'incomplete', message: `lacks ${missing.id}${more}` }];
};

/** The position behind every other: 1 in an empty list. */
export const lastPosition = (items: readonly Placed[]): number =>
  within(items.reduce((last, { position }) => Math.max(last, position), 0) + 1);

const within = (position: number) => {
  if (position <= highestPosition) return position;
  const message = `leaves no place for the last item: ${highestPosition} is the highest position`;
  throw new DomainError('fields-refused', { errors: [{ path: ['position'], code: 'too-big', message }] });
};
