// Describes the differences between the log and the signed trees for the operator.
import type { Difference, Place, RebuiltTree } from './rebuilt-tree.js';
import type { SignedTree } from './signed-trees.js';

/** A finished comparison. */
export interface Compared {
  readonly tree: RebuiltTree;
  /** The size of the tree in the vault. */
  readonly size: number;
  /** The signed trees, ordered by size. */
  readonly trees: readonly SignedTree[];
  /** Why the log could not be read to its end; undefined if it could. */
  readonly unread: string | undefined;
}

/** Returns the faults of the events or, if the events match every signed tree, the faults of the tree in the vault. */
export const faultsOf = async (compared: Compared): Promise<readonly string[]> => {
  const { tree, unread } = compared;
  const cut = unread ?? missing(compared);
  if (cut === undefined && tree.refuted.length === 0) return alteredVault(compared);
  const { difference } = tree;
  const isFirst = difference !== undefined && difference.index < (tree.refuted[0]?.size ?? tree.size);
  const first = isFirst ? await differing(tree, difference) : unnamed(compared);
  return [...first, ...(cut === undefined ? [] : [cut])];
};

/** Returns the fault of events that are missing at the end; undefined if none is missing. */
const missing = ({ tree, size, trees }: Compared): string | undefined => {
  const largest = Math.max(size, trees.at(-1)?.size ?? 0);
  if (tree.size >= largest) return undefined;
  const end =
    tree.last === undefined ? 'the log is empty' : `the log ends at index ${tree.size - 1}, ${named(tree.last)}`;
  return `${end}: it has ${tree.size} events, but the audit log has ${largest}, so ${largest - tree.size} are missing`;
};

const differing = async (tree: RebuiltTree, difference: Difference): Promise<readonly string[]> => {
  const event = `the event at index ${difference.index} differs from the event in the audit log: ${named(difference.place)}`;
  if (await tree.isSigned(difference)) return [event];
  return [event, 'the stored hashes of the audit log were also altered, so an earlier event may differ, too'];
};

/** Returns the range in which an event differs, if the stored hashes do not identify the event. */
const unnamed = ({ tree, trees }: Compared): readonly string[] => {
  const [first] = tree.refuted;
  if (first === undefined) return [];
  const before = trees.findLast(({ size }) => size < first.size)?.size ?? 0;
  return [
    `an event between index ${before} and ${first.size - 1} differs from the signed log: ${first.name} has another root. The stored hashes of the audit log were altered together with the event`,
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
  `the stored hash at index ${index} was altered in the vault; the event itself matches the signed log: ${named(place)}`;

const unsignedDifference = ({ index, place }: Difference): string =>
  `the event at index ${index} differs from the event in the audit log, but no checkpoint covers it yet: ${named(place)}`;

const named = (place: Place | undefined): string =>
  place === undefined
    ? 'a missing event'
    : `event ${place.id} of ${place.stream}, revision ${place.revision}, position ${place.position}`;
