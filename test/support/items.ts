// Items of lists that a test knows to be there.

/** Returns the item at this index. Throws if there is none. */
export const nth = <T>(items: readonly T[], index: number): T => {
  const item = items.at(index);
  if (item === undefined) throw new Error(`there is no item ${index} among ${items.length}`);
  return item;
};
export const first = <T>(items: readonly T[]): T => nth(items, 0);
