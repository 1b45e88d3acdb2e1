// What is told of personal fields that cannot be read: to the log, and to the metrics. Never a value.
import { LRUCache } from 'lru-cache';
import type { Log } from '../log.js';
import type { KeyKind } from './wrapping.js';

/** Who hears of personal fields that read as null though something is sealed. */
export interface SealingWatch {
  /** The person's key was erased, or lost. */
  withoutKey(person: string): void;

  /** The person's key does not open it: it was altered, moved from another event, or sealed with another key. */
  tampered(event: { readonly stream: string; readonly id: string; readonly type: string }): void;

  /** The record of a key was altered: what it sealed reads as if the key were lost. */
  damaged(kind: KeyKind, key: string): void;
}

/** Counts of events whose personal fields could not be read, one for each time that one was read. */
export interface SealingMetrics {
  withoutKey(): void;
  tampered(): void;
}

const PERSONS_REMEMBERED = 10_000;

/** Tells the log and the metrics; of a person without a key, the log hears once. */
export const watchSealing = (log: Log, metrics?: SealingMetrics): SealingWatch => {
  const told = new LRUCache<string, true>({ max: PERSONS_REMEMBERED });
  return {
    withoutKey: (person) => {
      metrics?.withoutKey();
      if (told.has(person)) return;
      told.set(person, true);
      log.info({ person }, 'the personal fields of this person read as null: their key was erased or lost');
    },
    tampered: ({ stream, id, type }) => {
      metrics?.tampered();
      log.error({ stream, event: id, type }, 'the personal fields of this event do not open: altered or moved');
    },
    damaged: (kind, key) =>
      log.error({ kind, key }, 'a key in the vault was altered and reads as lost: restore the vault from a backup'),
  };
};
