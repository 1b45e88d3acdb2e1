// What of an event is a leaf of the tree: everything that identifies it, and the hash of its payload as it is stored. An
// erasure deletes a key and changes no stored byte, so it changes no leaf.
import { hash } from 'node:crypto';
import { canonicalJson } from '../infrastructure/canonical-json.js';
import type { RecordedEvent } from '../infrastructure/facts/facts.js';

/** The version of the form of a leaf. */
const VERSION = 1;

/** The most bytes of a leaf: an entry of tlog-tiles has its length in two bytes. */
const MOST_BYTES = 65_535;

/**
 * Returns the leaf of an event as the log stores it: canonical JSON (RFC 8785). It has no position, so it is the same on
 * every engine. Throws a `RangeError` if the leaf is too long for an entry.
 */
export const leafOf = ({ stream, revision, id, type, metadata, data }: RecordedEvent): string => {
  const payloadSha256 = hash('sha256', canonicalJson(data));
  // An engine may fold the case of an id.
  const leaf = canonicalJson({ v: VERSION, stream, revision, id: id.toLowerCase(), type, metadata, payloadSha256 });
  if (Buffer.byteLength(leaf) > MOST_BYTES) throw new RangeError(`event ${id} of ${stream} is too large for a leaf`);
  return leaf;
};
