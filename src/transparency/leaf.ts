// The leaf of an event: everything that identifies the event, and the hash of its stored payload. An erasure deletes a
// key but changes no stored byte, so it changes no leaf.
import { hash } from 'node:crypto';
import { canonicalJson } from '../infrastructure/canonical-json.js';
import type { RecordedEvent } from '../infrastructure/facts/facts.js';
import { Turns } from '../infrastructure/turns.js';
import { leafHash } from './merkle.js';
import type { Leaf } from './tiles.js';

const VERSION = 1;

/** The maximum size of a leaf in bytes: an entry of tlog-tiles stores its length in two bytes. */
const MAX_BYTES = 65_535;

/**
 * Returns the leaf of a stored event as canonical JSON (RFC 8785). The leaf has no position, so it is the same on every
 * engine. Throws `RangeError` if the leaf is too long for an entry.
 */
export const leafOf = ({ stream, revision, id, type, metadata, data }: RecordedEvent): string => {
  const payloadSha256 = hash('sha256', canonicalJson(data));
  // Engines may change the case of an id.
  const leaf = canonicalJson({ id: id.toLowerCase(), metadata, payloadSha256, revision, stream, type, v: VERSION });
  if (Buffer.byteLength(leaf) > MAX_BYTES) throw new RangeError(`event ${id} of ${stream} is too large for a leaf`);
  return leaf;
};

export interface EventLeaf extends Leaf {
  readonly event: RecordedEvent;
}

/** Yields the leaves of events. Gives the event loop back every few milliseconds. */
export async function* leavesOf(events: readonly RecordedEvent[]): AsyncGenerator<EventLeaf> {
  for await (const event of new Turns().over(events)) {
    yield { event, hash: leafHash(leafOf(event)), position: event.position };
  }
}
