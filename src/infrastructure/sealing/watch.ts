// What is told of personal fields that cannot be read: to the log, and to the metrics. Never a value.
import { LRUCache } from 'lru-cache';
import type { EventPlace } from '../errors.js';
import type { Log } from '../log.js';
import type { UnreadableEvents } from './unreadable.js';
import type { KeyKind } from './wrapping.js';

/** Who hears of personal fields that read as null though something is sealed. */
export interface SealingWatch {
  /** The person's key was erased, or lost. */
  withoutKey(person: string): void;

  /**
   * The person's key does not open it: the event was altered, or what is sealed is of another event or another key; or a
   * personal field stands in the clear, where nobody sealed it.
   */
  tampered(event: EventPlace & { readonly type: string }): void;

  /** The record of a key was altered: what it sealed reads as if the key were lost. */
  damaged(kind: KeyKind, key: string): void;
}

/** Counts of events whose personal fields could not be read, one for each time that one was read. */
export interface SealingMetrics {
  withoutKey(): void;
  tampered(): void;
}

const REMEMBERED = 10_000;

/**
 * Reports to the log and the metrics, and remembers events that do not open. Logs each person without a key, and each
 * such event, once.
 */
export const watchSealing = (log: Log, metrics?: SealingMetrics, unreadable?: UnreadableEvents): SealingWatch => {
  const told = new LRUCache<string, true>({ max: REMEMBERED });
  return {
    withoutKey: (person) => {
      metrics?.withoutKey();
      if (told.has(person)) return;
      told.set(person, true);
      log.info({ person }, 'the personal fields of this person read as null: their key was erased or lost');
    },
    tampered: ({ stream, revision, id, type }) => {
      metrics?.tampered();
      unreadable?.note({ stream, revision, id });
      if (told.has(id)) return;
      told.set(id, true);
      log.error(
        { stream, event: id, type },
        'the personal fields of this event do not open: the event was altered, or they were never sealed',
      );
    },
    damaged: (kind, key) =>
      log.error({ kind, key }, 'a key in the vault was altered and reads as lost: restore the vault from a backup'),
  };
};
