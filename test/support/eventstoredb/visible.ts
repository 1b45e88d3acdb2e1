// Finds the readable events of a stream, given its deletions and metadata.
import { streamDeleted } from './errors.js';
import type { StoredEvent } from './records.js';
import type { Store } from './store.js';

/** Returns the readable events of a stream, or undefined if the stream counts as missing. */
export const visible = (store: Store, stream: string): readonly StoredEvent[] | undefined => {
  if (store.isTombstoned(stream)) throw streamDeleted(stream);
  const events = store.eventsOf(stream);
  if (events.length === 0 || store.isSoftDeleted(stream)) return undefined;
  const { truncateBefore, maxCount, maxAgeMs } = store.metadataOf(stream);
  const first = Math.max(truncateBefore, events.length - maxCount);
  const youngest = Date.now() - maxAgeMs;
  return events.filter(({ revision, created }) => revision >= first && created >= youngest);
};
