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
import type { Checkpoint } from './note.js';
import type { LogRecords, SignedCheckpoint } from './records.js';

/** A checkpoint with a name for messages. */
export interface NamedCheckpoint {
  readonly name: string;
  readonly note: string;
}

/** The tree of a valid checkpoint of the log. */
export interface SignedTree extends Tree {
  readonly name: string;
}

/**
 * Returns the state of the log, the trees of all checkpoints, smallest first, and the faults of the checkpoints. `copies`
 * were kept outside the vault. The checkpoints of logs that have ended are verified, but their trees are not returned.
 */
export const signedTrees = async (stores: LogKeyStores, records: LogRecords, copies: readonly NamedCheckpoint[]) => {
  // The order matters: later signatures cover more than the kept checkpoints and the trees of the keys.
  const kept = await records.kept();
  const all = await logKeys(stores.vault);
  const state = (await records.state())?.value;
  const keys = await vouchedKeys(stores, all);
  const origin = state?.origin ?? keys[0]?.origin;
  const ofLog = keys.filter((key) => key.origin === origin);
  const size = state?.signed?.size ?? 0;
  const trees: SignedTree[] = boundTrees(ofLog).map((tree) => ({ name: BOUND, ...tree }));
  const faults = [
    ...(boundSize(ofLog) > size ? [lost(size)] : []),
    ...all.filter((key) => !keys.includes(key)).map(notVouched),
  ];
  const add = (name: string, checkpoint: Checkpoint | undefined) => {
    if (checkpoint === undefined) return faults.push(invalid(name));
    if (checkpoint.origin === origin) trees.push({ name, size: checkpoint.size, root: checkpoint.root });
    return checkpoint.origin === origin && checkpoint.size > size && faults.push(ahead(name, checkpoint.size, size));
  };
  for (const [name, stored] of Object.entries({ newest: state?.signed, cosigned: state?.cosigned })) {
    if (stored) add(`the ${name} checkpoint in the vault`, verifiedAs(stored, ofLog));
  }
  for (const { at, note } of kept) add(`the checkpoint kept at ${at}`, verifiedCheckpoint(note, keys));
  for (const { name, note } of copies) add(name, verifiedCheckpoint(note, keys));
  return { state, trees: trees.toSorted((a, b) => a.size - b.size), faults };
};

/** Returns a checkpoint of the state; undefined unless a key has signed it and it has the size that is stored with it. */
const verifiedAs = ({ note, size }: SignedCheckpoint, keys: readonly LogKey[]): Checkpoint | undefined => {
  const checkpoint = verifiedCheckpoint(note, keys);
  return checkpoint?.size === size ? checkpoint : undefined;
};

const BOUND = 'the last tree that a key in the vault has signed';

const lost = (size: number): string =>
  `the newest checkpoint in the vault covers ${size} events, but the keys in the vault have signed more: records of the audit log were removed, or replaced by older ones`;
const notVouched = ({ verifierKey }: LogKey): string =>
  `the key ${verifierKey} in the vault was not stored by the service: someone without a master key added or changed it`;
const invalid = (name: string): string =>
  `${name} was altered, or belongs to another log: no key of this log has signed it`;
const ahead = (name: string, size: number, newest: number): string =>
  `${name} covers ${size} events, but the newest checkpoint in the vault covers ${newest}: the vault is older, or was altered`;
