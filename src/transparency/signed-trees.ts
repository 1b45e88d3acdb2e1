// The trees that the events must match: the trees of all available checkpoints.
import { type Checkpoint, parsedCheckpoint } from './checkpoint.js';
import { boundSize, boundTrees, type LogKey, type LogKeyStores, vouchedKeys } from './keys.js';
import type { Tree } from './merkle.js';
import { parsedNote } from './note.js';
import type { KeptCheckpoint, LogState, SignedCheckpoint } from './records.js';
import { verifiedTree } from './signing.js';

/** A checkpoint with a name for messages. */
export interface NamedCheckpoint {
  readonly name: string;
  readonly note: string;
}

/** The tree of a valid checkpoint of the log. */
export interface SignedTree extends Tree {
  readonly name: string;
}

/** The trees, smallest first, and the faults of the checkpoints. */
export interface SignedTrees {
  readonly trees: readonly SignedTree[];
  readonly faults: readonly string[];
}

/** The sources of checkpoints. */
export interface Checkpoints {
  readonly keys: readonly LogKey[];
  /** Undefined if the vault has no state of a log. */
  readonly state: LogState | undefined;
  readonly kept: readonly KeptCheckpoint[];
  /** The checkpoints that were kept outside the vault. */
  readonly copies: readonly NamedCheckpoint[];
}

/** Verifies all checkpoints. The checkpoints of logs that have ended are verified, but their trees are not returned. */
export const signedTrees = async (stores: LogKeyStores, sources: Checkpoints): Promise<SignedTrees> => {
  const { keys: all, state, kept, copies } = sources;
  const keys = await vouchedKeys(stores, all);
  const origin = state?.origin ?? keys[0]?.origin;
  const newest = state?.signed ? newestIn(state.signed, origin, keys) : { checkpoints: [], faults: [] };
  const others = [...kept.map(({ at, note }) => ({ name: `the checkpoint kept at ${at}`, note })), ...copies];
  const checked = others.map((each) => ({ ...each, checkpoint: verified(each.note, keys) }));
  const current = checked.flatMap(({ name, checkpoint }) =>
    checkpoint?.origin === origin && checkpoint !== undefined ? [{ name, ...checkpoint }] : [],
  );
  const size = state?.signed?.size ?? 0;
  const ofLog = keys.filter((key) => key.origin === origin);
  const bound = boundTrees(ofLog).map((tree) => ({ name: BOUND, ...tree }));
  const faults = [
    ...(boundSize(ofLog) > size ? [lost(size)] : []),
    ...all.filter((key) => !keys.includes(key)).map(notVouched),
    ...newest.faults,
    ...checked.flatMap(({ name, checkpoint }) => (checkpoint === undefined ? [invalid(name)] : [])),
    ...current.filter((tree) => tree.size > size).map((tree) => ahead(tree, size)),
  ];
  const trees = [...newest.checkpoints, ...current, ...bound].toSorted((a, b) => a.size - b.size);
  return { trees, faults };
};

const newestIn = (signed: SignedCheckpoint, origin: string | undefined, keys: readonly LogKey[]) => {
  const checkpoint = verified(signed.note, keys);
  return checkpoint?.origin === origin && checkpoint?.size === signed.size
    ? { checkpoints: [{ name: NEWEST, ...checkpoint }], faults: [] }
    : { checkpoints: [], faults: [invalid(NEWEST)] };
};

/** Returns the checkpoint of a note; undefined unless a key of its log has signed the note. */
const verified = (note: string, keys: readonly LogKey[]): Checkpoint | undefined => {
  const parsed = parsedNote(note);
  const origin = parsed && parsedCheckpoint(parsed.text)?.origin;
  const ofLog = keys.filter((key) => key.origin === origin);
  const tree = origin === undefined ? undefined : verifiedTree(note, origin, ofLog);
  return tree && origin !== undefined ? { origin, size: tree.size, root: tree.root } : undefined;
};

const NEWEST = 'the newest checkpoint in the vault';

const BOUND = 'the last tree that a key in the vault has signed';

const lost = (size: number): string =>
  `the newest checkpoint in the vault covers ${size} events, but the keys in the vault have signed more: records of the audit log were removed, or replaced by older ones`;
const notVouched = ({ verifierKey }: LogKey): string =>
  `the key ${verifierKey} in the vault was not stored by the service: someone without a master key added or changed it`;
const invalid = (name: string): string =>
  `${name} was altered, or belongs to another log: no key of this log has signed it`;
const ahead = ({ name, size }: SignedTree, newest: number): string =>
  `${name} covers ${size} events, but the newest checkpoint in the vault covers ${newest}: the vault is older, or was altered`;
