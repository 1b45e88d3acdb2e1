// Signs checkpoints. A tree is signed only if the last checkpoint is a prefix of it.
import { checkpointText, parsedCheckpoint } from './checkpoint.js';
import { boundTrees, type LogKey, type SigningLogKey } from './keys.js';
import { LogFault } from './log-fault.js';
import { type HashSource, rootHash, type Tree } from './merkle.js';
import { isSignedBy, noteOf, parsedNote, signatureLine, verifierOf } from './note.js';

/** The last checkpoint. */
export interface Signed {
  readonly note: string;
  readonly size: number;
}

/** Returns the signed note of a tree. */
export const signedNote = (origin: string, tree: Tree, keys: readonly SigningLogKey[]): string => {
  const text = checkpointText({ origin, ...tree });
  return noteOf(
    text,
    keys.map(({ privateKey }) => signatureLine(text, origin, privateKey)),
  );
};

/**
 * Returns the tree of `size` leaves, after verifying that the last checkpoint is a prefix of it. Rejects with
 * `LogFault` if the last checkpoint is invalid or not a prefix.
 */
export const treeAfter = async (
  last: Signed | null,
  { origin, size }: { readonly origin: string; readonly size: number },
  hashes: HashSource,
  keys: readonly LogKey[],
): Promise<Tree> => {
  const tree = { size, root: await rootHash(size, hashes) };
  if (last === null) return tree;
  const older = verifiedTree(last.note, origin, keys);
  if (older === undefined || older.size !== last.size) throw new LogFault('checkpoint-altered');
  for (const each of [older, ...boundTrees(keys)]) {
    const isPrefix = each.size <= size && (await rootHash(each.size, hashes)).equals(each.root);
    if (!isPrefix) throw new LogFault('tree-altered');
  }
  return tree;
};

/** Returns the tree of a checkpoint of this log; undefined unless one of the keys has signed it. */
export const verifiedTree = (
  text: string,
  origin: string,
  keys: readonly Pick<LogKey, 'verifierKey'>[],
): Tree | undefined => {
  const note = parsedNote(text);
  const checkpoint = note && parsedCheckpoint(note.text);
  if (note === undefined || checkpoint?.origin !== origin) return undefined;
  const isSigned = keys.some(({ verifierKey }) => {
    const verifier = verifierOf(verifierKey);
    return verifier !== undefined && isSignedBy(note, verifier);
  });
  return isSigned ? checkpoint : undefined;
};
