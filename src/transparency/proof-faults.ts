// What a comparison of the log with the signed trees comes to, in words for the operator.
import type { Difference, Place, RebuiltTree } from './rebuilt-tree.js';
import type { SignedTree } from './signed-trees.js';

/** A comparison that has ended. */
export interface Compared {
  readonly tree: RebuiltTree;
  /** The size of the tree in the vault. */
  readonly size: number;
  /** The signed trees, ordered by size. */
  readonly trees: readonly SignedTree[];
  /** Why the log could not be read to its end; undefined if it could. */
  readonly unread: string | undefined;
}

/** Returns the faults of the events or, if the events give every signed tree, the faults of the tree in the vault. */
export const faultsOf = async (compared: Compared): Promise<readonly string[]> => {
  const { tree, unread } = compared;
  const cut = unread ?? missing(compared);
  if (cut === undefined && tree.refuted.length === 0) return alteredVault(compared);
  const { difference } = tree;
  const isFirst = difference !== undefined && difference.index < (tree.refuted[0]?.size ?? tree.size);
  const first = isFirst ? await differing(tree, difference) : unnamed(compared);
  return [...first, ...(cut === undefined ? [] : [cut])];
};

/** Returns that events are missing at the end; undefined if none is. */
const missing = ({ tree, size, trees }: Compared): string | undefined => {
  const most = Math.max(size, trees.at(-1)?.size ?? 0);
  if (tree.size >= most) return undefined;
  const end =
    tree.last === undefined ? 'the log is empty' : `the log ends at index ${tree.size - 1}, ${named(tree.last)}`;
  return `${end}: it has ${tree.size} events, and the audit log has ${most}, so ${most - tree.size} are missing`;
};

const differing = async (tree: RebuiltTree, difference: Difference): Promise<readonly string[]> => {
  const event = `the event at index ${difference.index} is not the one in the audit log: ${named(difference.place)}`;
  if (await tree.isSigned(difference)) return [event];
  return [event, 'the stored hashes of the audit log were altered, too, so an earlier event may differ'];
};

/** Returns between which events one differs, if no stored hash tells which one. */
const unnamed = ({ tree, trees }: Compared): readonly string[] => {
  const [first] = tree.refuted;
  if (first === undefined) return [];
  const before = trees.findLast(({ size }) => size < first.size)?.size ?? 0;
  return [
    `an event from index ${before} to ${first.size - 1} differs from what was signed: ${first.name} has another root. The stored hashes of the audit log were altered with the event`,
  ];
};

const alteredVault = ({ tree, trees }: Compared): readonly string[] => {
  const { difference, altered } = tree;
  const isCovered = (difference?.index ?? 0) < (trees.at(-1)?.size ?? 0);
  return [
    ...(difference === undefined ? [] : [(isCovered ? alteredHash : unsignedDifference)(difference)]),
    ...(altered.count === 0 ? [] : [`records of the audit log in the vault were altered: ${altered.firstOf()}`]),
  ];
};

const alteredHash = ({ index, place }: Difference): string =>
  `the stored hash at index ${index} was altered in the vault; the event itself matches what was signed: ${named(place)}`;

const unsignedDifference = ({ index, place }: Difference): string =>
  `the event at index ${index} is not the one in the audit log, where no checkpoint covers it yet: ${named(place)}`;

const named = (place: Place | undefined): string =>
  place === undefined
    ? 'an event that is missing'
    : `event ${place.id} of ${place.stream}, revision ${place.revision}, position ${place.position}`;
