// Rules across fields, as checks on the schemas of commands. They run even if single fields are invalid, so that every
// fault is in one response. Their input can therefore have any shape.
import type { z } from 'zod';
import type { FieldError, FieldErrorCode } from './errors.js';

export type Refuse = (path: FieldError['path'], code: FieldErrorCode, message: string) => void;

/** More than a response ever lists (errorLimits in http/problems/request-errors.ts). */
export const MAX_ERRORS = 200;

/** Returns the arguments for `schema.superRefine(...rule(check))`. Drops faults above `MAX_ERRORS`. */
export const rule = (check: (value: unknown, refuse: Refuse) => void) =>
  [
    (value: unknown, context: z.core.$RefinementCtx) => {
      let refusals = 0;
      check(value, (path, code, message) => {
        refusals += 1;
        if (refusals > MAX_ERRORS) return;
        context.addIssue({ code: 'custom', path: [...path], message, params: { code } });
      });
    },
    { when: () => true },
  ] as const;

export type Item = Readonly<Record<string, unknown>>;

/** Returns the objects in a list, with their indexes. The schema rejects everything else. */
export const itemsOf = (value: unknown): readonly (readonly [Item, number])[] => {
  const items: [Item, number][] = [];
  if (!Array.isArray(value)) return items;
  // A loop takes a third of the time of `flatMap`. The items of a request pass here several times.
  for (const [index, item] of value.entries()) if (typeof item === 'object' && item !== null) items.push([item, index]);
  return items;
};

/** Rejects duplicate positions in a list. An absent position is the place in the list, counted from 1. */
export const uniquePositions = rule((list, refuse) => {
  const taken = new Set<unknown>();
  for (const [item, index] of itemsOf(list)) {
    const position = item['position'] ?? index + 1;
    if (taken.has(position)) {
      const reason =
        item['position'] === undefined ? `its place in the list is ${index + 1}` : `it is ${String(position)}`;
      refuse([index, 'position'], 'duplicate', `must not be the position of a previous item: ${reason}`);
    }
    taken.add(position);
  }
});

export const uniqueValues = rule((list, refuse) => {
  if (!Array.isArray(list)) return;
  const seen = new Set<unknown>();
  for (const [index, value] of list.entries()) {
    if (seen.has(value)) refuse([index], 'duplicate', 'must not repeat a value of this list');
    seen.add(value);
  }
});

const numberIn = (sent: unknown): number => (typeof sent === 'number' ? sent : Number.NaN);

/** Rejects an object whose `lowest` is above its `highest`. Both must be of one type; NaN is above nothing. */
export const ordered = (lowest: string, highest: string, numberOf = numberIn) =>
  rule((value, refuse) => {
    const [low, high] = [(value as Item | null)?.[lowest], (value as Item | null)?.[highest]];
    if (typeof low === typeof high && numberOf(low) > numberOf(high)) {
      refuse([], 'inverted', `must not have a ${lowest} above its ${highest}`);
    }
  });

/** Rejects overlapping score ranges. Both ends of a range are inclusive. */
export const noOverlap = rule((list, refuse) => {
  const valid = itemsOf(list).flatMap(([{ minScore: min, maxScore: max }, index]) =>
    typeof min === 'number' && typeof max === 'number' && min <= max ? [{ min, max, index }] : [],
  );
  valid.sort((a, b) => a.min - b.min);
  let highest: (typeof valid)[number] | undefined;
  for (const range of valid) {
    if (highest !== undefined && range.min <= highest.max) {
      refuse([range.index], 'overlap', `must not overlap ${highest.min} to ${highest.max} (both ends are inclusive)`);
    }
    if (highest === undefined || range.max > highest.max) highest = range;
  }
});

/** Rejects duplicate ids across all the lists that `listsOf` returns for a request. */
export const uniqueIds = (
  listsOf: (value: unknown) => readonly { readonly path: FieldError['path']; readonly list: unknown }[],
) =>
  rule((value, refuse) => {
    const seen = new Set<unknown>();
    const items = listsOf(value).flatMap(({ path, list }) =>
      itemsOf(list).map(([{ id }, index]) => ({ id, at: [...path, index, 'id'] })),
    );
    for (const { id, at } of items.filter((item) => typeof item.id === 'string')) {
      if (seen.has(id)) refuse(at, 'duplicate', 'must not be the id of a previous item');
      seen.add(id);
    }
  });
