// Checkpoints (C2SP tlog-checkpoint). A checkpoint is the text of a signed note that commits to a tree.
import { HASH_BYTES, type Tree } from './merkle.js';

/** A tree, and the origin of its log. */
export interface Checkpoint extends Tree {
  readonly origin: string;
}

/** Returns the text of a checkpoint. */
export const checkpointText = ({ origin, size, root }: Checkpoint): string =>
  `${origin}\n${size}\n${root.toString('base64')}\n`;

/**
 * Parses the text of a checkpoint. Returns undefined if the text is malformed. Lines after the third are extensions.
 */
export const parsedCheckpoint = (text: string): Checkpoint | undefined => {
  const [origin = '', size = '', base64 = ''] = text.split('\n');
  const root = Buffer.from(base64, 'base64');
  const isWellFormed =
    origin !== '' &&
    /^(0|[1-9]\d{0,14})$/.test(size) &&
    root.length === HASH_BYTES &&
    root.toString('base64') === base64;
  return isWellFormed ? { origin, size: Number(size), root } : undefined;
};
