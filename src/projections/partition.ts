// Which part of a rebuild an event belongs to. Every document is folded from the events of one stream, so streams can be
// folded apart from each other, in any process.
import type { Partition } from '../infrastructure/views/views.js';

const OFFSET = 0x811c9dc5;
const PRIME = 0x01000193;

/**
 * The hash of a stream's name, 32 bits: FNV-1a over its UTF-16 code units. It must never change: the parts of a rebuild
 * that is under way, in whatever process, go by it.
 */
export const streamHash = (stream: string): number => {
  let hash = OFFSET;
  for (let index = 0; index < stream.length; index += 1) {
    hash = Math.imul(hash ^ stream.charCodeAt(index), PRIME);
  }
  return hash >>> 0;
};

/** Whether a stream is in a part; undefined stands for all streams. */
export const isIn = (partition: Partition | undefined, stream: string): boolean =>
  partition === undefined || folded(streamHash(stream)) % partition.of === partition.index;

// The low bits of an FNV hash hang on the low bits of the text alone; the high ones are mixed better.
const folded = (hash: number) => (hash ^ (hash >>> 16)) >>> 0;
