// The trees that the events must match: the trees of all available checkpoints.

import {
  boundSize,
  boundTrees,
  type LogKey,
  type LogKeyStores,
  logKeys,
  verifiedCheckpoint,
  vouchedKeys,
} from './keys.js';
import type { Tree } from './merkle.js';
import type { LogRecords, LogState } from './records.js';

export interface NamedCheckpoint {
  readonly name: string;
  readonly note: string;
}

export interface SignedTree extends Tree {
  readonly name: string;
}

/**
 * Returns the state of the log, the trees of all checkpoints, smallest first, and the faults of the checkpoints. `copies`
 * were kept outside the vault. The checkpoints of logs that have ended are verified, but their trees are not returned.
 */
export const signedTrees = async (stores: LogKeyStores, records: LogRecords, copies: readonly NamedCheckpoint[]) => {
  // The order matters: later signatures cover more than the kept checkpoints and the trees of the keys.
  const kept = (await records.kept()).map(({ at, note }) => ({ name: `the checkpoint kept at ${at}`, note }));
  const all = await logKeys(stores.vault);
  const state = await records.state();
  const keys = await vouchedKeys(stores, all);
  const origin = state?.origin ?? keys[0]?.origin;
  const ofLog = keys.filter((key) => key.origin === origin);
  const size = state?.signed?.size ?? 0;
  const checkpoints = [
    ...checkpointsIn(state, ofLog),
    ...[...kept, ...copies].map(({ name, note }) => ({ name, checkpoint: verifiedCheckpoint(note, keys) })),
  ];
  const trees = checkpoints.flatMap(({ name, checkpoint }): readonly SignedTree[] =>
    checkpoint !== undefined && checkpoint.origin === origin ? [{ name, ...checkpoint }] : [],
  );
  const faults = [
    ...(boundSize(ofLog) > size ? [lost(size)] : []),
    ...all.filter((key) => !keys.includes(key)).map(notVouched),
    ...checkpoints.filter(({ checkpoint }) => checkpoint === undefined).map(invalid),
    ...trees.filter((tree) => tree.size > size).map((tree) => ahead(tree, size)),
  ];
  const bound = boundTrees(ofLog).map((tree) => ({ name: BOUND, ...tree }));
  return { state, trees: [...bound, ...trees].toSorted((a, b) => a.size - b.size), faults };
};

/** Returns the checkpoints of the state; undefined for one that no key has signed, or that has not its stored size. */
const checkpointsIn = (state: LogState | undefined, keys: readonly LogKey[]) =>
  Object.entries({ newest: state?.signed, cosigned: state?.cosigned }).flatMap(([which, stored]) => {
    if (!stored) return [];
    const checkpoint = verifiedCheckpoint(stored.note, keys);
    const isAsStored = checkpoint?.size === stored.size;
    return [{ name: `the ${which} checkpoint in the vault`, checkpoint: isAsStored ? checkpoint : undefined }];
  });

const BOUND = 'the last tree that a key in the vault has signed';

const lost = (size: number): string =>
  `the newest checkpoint in the vault covers ${size} events, but the keys in the vault have signed more: records of the audit log were removed, or replaced by older ones`;
const notVouched = ({ verifierKey }: LogKey): string =>
  `the key ${verifierKey} in the vault was not stored by the service: someone without a master key added or changed it`;
const invalid = ({ name }: Pick<NamedCheckpoint, 'name'>): string =>
  `${name} was altered, or belongs to another log: no key of this log has signed it`;
const ahead = ({ name, size }: SignedTree, newest: number): string =>
  `${name} covers ${size} events, but the newest checkpoint in the vault covers ${newest}: the vault is older, or was altered`;
