// Reports unreadable personal fields to the log and the metrics, but never their values.
import { LRUCache } from 'lru-cache';
import type { EventPlace } from '../errors.js';
import type { Log } from '../log.js';
import type { UnreadableEvents } from './unreadable.js';
import type { KeyKind } from './wrapping.js';

/** Receives reports of sealed personal fields that read as null. */
export interface SealingWatch {
  /** Reports a person whose key was erased or lost. */
  withoutKey(person: string): void;

  /**
   * Reports an event whose personal fields cannot be opened: it was altered, its sealed part belongs to another event
   * or key, or a personal field was never sealed.
   */
  tampered(event: EventPlace & { readonly type: string }): void;

  /** Reports a key whose record was altered. Its sealed fields read as if the key were lost. */
  damaged(kind: KeyKind, key: string): void;
}

/** Counts reads of events whose personal fields could not be read. */
export interface SealingMetrics {
  withoutKey(): void;
  tampered(): void;
}

const MAX_REPORTED = 10_000;

/**
 * Returns a watch that reports to the log and the metrics, and remembers events that cannot be opened. Logs each person
 * and each event only once.
 */
export const watchSealing = (log: Log, metrics?: SealingMetrics, unreadable?: UnreadableEvents): SealingWatch => {
  const reported = new LRUCache<string, true>({ max: MAX_REPORTED });
  return {
    withoutKey: (person) => {
      metrics?.withoutKey();
      if (reported.has(person)) return;
      reported.set(person, true);
      log.info({ person }, 'the personal fields of this person read as null: their key was erased or lost');
    },
    tampered: ({ stream, revision, id, type }) => {
      metrics?.tampered();
      unreadable?.note({ stream, revision, id });
      if (reported.has(id)) return;
      reported.set(id, true);
      log.error(
        { stream, event: id, type },
        'the personal fields of this event cannot be opened: the event was altered, or they were never sealed',
      );
    },
    damaged: (kind, key) =>
      log.error({ kind, key }, 'a key in the vault was altered and reads as lost: restore the vault from a backup'),
  };
};
