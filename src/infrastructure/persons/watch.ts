// Reports unreadable personal fields to the log and the metrics, but never their values.
import { LRUCache } from 'lru-cache';
import type { EventPlace } from '../errors.js';
import type { KeyKind } from '../keys/wrapping.js';
import type { Log } from '../log.js';

export interface SealingMetrics {
  withoutKey(): void;
  tampered(): void;
}

export type SealingWatch = ReturnType<typeof watchSealing>;

const MAX_REPORTED = 10_000;

/** Returns the functions that report. Each person and each event is logged only once in a thread. */
export const watchSealing = (log: Log, metrics?: SealingMetrics) => {
  const reported = new LRUCache<string, true>({ max: MAX_REPORTED });
  const isFirst = (id: string): boolean => {
    const isNew = !reported.has(id);
    reported.set(id, true);
    return isNew;
  };
  return {
    withoutKey: (person: string): void => {
      metrics?.withoutKey();
      if (!isFirst(person)) return;
      log.info({ person }, 'the personal fields of this person read as null: their key was erased or lost');
    },

    tampered: ({ stream, id, type }: EventPlace & { readonly type: string }): void => {
      metrics?.tampered();
      if (!isFirst(id)) return;
      log.error(
        { stream, event: id, type },
        'the personal fields of this event cannot be opened: the event was altered, or they were never sealed',
      );
    },

    /** Reports a key whose record was altered. Its sealed fields read as if the key were lost. */
    damaged: (kind: KeyKind, key: string): void =>
      log.error({ kind, key }, 'a key in the vault was altered and reads as lost: restore the vault from a backup'),
  };
};
