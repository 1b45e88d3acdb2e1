// Items that a test knows to be in a list, and lists of numbers.

/** Returns the item at this index. Throws if there is none. */
export const nth = <T>(items: readonly T[], index: number): T => {
  const item = items.at(index);
  if (item === undefined) throw new Error(`there is no item ${index} among ${items.length}`);
  return item;
};
export const first = <T>(items: readonly T[]): T => nth(items, 0);

/** Returns the numbers from the first to the last; none if the last is below the first. */
export const numbers = (first: number, last: number): number[] =>
  Array.from({ length: Math.max(0, last - first + 1) }, (_, n) => first + n);
