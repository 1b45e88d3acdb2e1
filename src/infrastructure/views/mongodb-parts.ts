// The parts of a generation on MongoDB: each has a checkpoint and a lease at a path of its own in the projection's document.
import type { Position } from '../facts/facts.js';
import type { Checkpoint, Collection, Generation } from './views.js';

/** A checkpoint and its lease as they are stored. */
export interface StoredPart {
  readonly epoch: number;
  readonly position?: Position;
  readonly stopped?: NonNullable<Checkpoint['stopped']>;
  /** Absent while nobody holds the lease. */
  readonly owner?: string;
  /** The last sign of life by the clock of the server, and how long it holds from then. */
  readonly renewedAt?: Date;
  readonly ttlMs?: number;
}

/** A generation as it is stored. */
export interface StoredGeneration extends StoredPart {
  readonly version: number;
  readonly collections: readonly Collection[];
  /** Of one that is built in parts, by their index; its own checkpoint and lease stand still meanwhile. */
  readonly parts?: Readonly<Record<string, StoredPart>>;
}

/** Where the checkpoint and the lease of a generation, or of a part of it, are stored. */
export const pathOf = ({ number, partition }: Generation) =>
  partition === undefined ? `generations.${number}` : `generations.${number}.parts.${partition.index}`;

/** What is stored of a part that the generation names, or of the generation itself. */
export const partOf = (stored: StoredGeneration | undefined, { partition }: Generation): StoredPart | undefined =>
  partition === undefined ? stored : stored?.parts?.[partition.index];

/** Every checkpoint of a generation: that of each part, or its one. */
export const partsOf = (generation: StoredGeneration) => {
  if (generation.parts === undefined) return [{ partition: undefined, part: generation }];
  const parts = Object.entries(generation.parts);
  return parts.map(([index, part]) => ({ partition: { index: Number(index), of: parts.length }, part }));
};

/** The position of the part that has come least far; undefined where one has folded nothing. */
export const leastOf = (generation: StoredGeneration): Position | undefined => {
  const [least] = partsOf(generation)
    .map(({ part }) => part.position ?? '')
    .toSorted();
  return least === '' ? undefined : least;
};

/** That every part is still where it was seen, or farther, and none is stopped. */
export const asFarAs = ({ projection, number }: Generation, generation: StoredGeneration) =>
  Object.fromEntries(
    partsOf(generation).flatMap(({ partition, part: { position } }) => {
      const at = pathOf({ projection, number, partition });
      const reached = position === undefined ? [] : [[`${at}.position`, { $gte: position }]];
      return [...reached, [`${at}.stopped`, { $exists: false }]];
    }),
  );
