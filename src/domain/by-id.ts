// A persistent map from UUIDs to values. `setById` copies one path and shares the rest with the old map, so an entry
// costs O(log n) in time and memory. A stream with ten thousand form versions therefore folds as fast as a short one.

interface Leaf<V> {
  readonly id: string;
  readonly value: V;
}
type Node<V> = Leaf<V> | readonly (Node<V> | undefined)[] | undefined;

/** An immutable map whose keys are UUIDs in lower case. */
export type ById<V> = { readonly root: Node<V> };

export const emptyById: ById<never> = { root: undefined };

export const getById = <V>({ root }: ById<V>, id: string): V | undefined => {
  let node = root;
  for (let depth = 0; isBranch(node); depth += 1) node = node[digit(id, depth)];
  return node?.id === id ? node.value : undefined;
};

export const setById = <V>({ root }: ById<V>, id: string, value: V): ById<V> => ({ root: put(root, { id, value }, 0) });

const put = <V>(node: Node<V>, leaf: Leaf<V>, depth: number): Node<V> => {
  if (node === undefined || (!isBranch(node) && node.id === leaf.id)) return leaf;
  const slots: (Node<V> | undefined)[] = isBranch(node) ? [...node] : fork(node, depth);
  const slot = digit(leaf.id, depth);
  slots[slot] = put(slots[slot], leaf, depth + 1);
  return slots;
};

const fork = <V>(leaf: Leaf<V>, depth: number) => {
  const slots = new Array<Node<V>>(16).fill(undefined);
  slots[digit(leaf.id, depth)] = leaf;
  return slots;
};

const isBranch = <V>(node: Node<V>): node is readonly (Node<V> | undefined)[] => Array.isArray(node);

const NINE = '9'.charCodeAt(0);

// Reads digits from the end, because the last twelve digits of a UUID v7 are random and the first are its time. The
// last four bits of a character's code are the value of a digit, and the value of a letter less 9.
const digit = (id: string, depth: number): number => {
  const code = id.charCodeAt(id.length - 1 - depth);
  return (code <= NINE ? code : code + 9) & 15;
};
