// Checks whether a stream is complete: its revisions count from 0 and follow one another.
import { StreamTruncated } from '../errors.js';
import type { RecordedEvent } from './facts.js';

/** Returns what is wrong with revisions that go up (1) or down (-1) from `first`; undefined if nothing is. */
export const gapIn = (
  events: readonly RecordedEvent[],
  first: number | undefined,
  step: 1 | -1,
): string | undefined => {
  let expected = first;
  for (const { revision } of events) {
    if (expected !== undefined && revision !== expected) return `it continues at revision ${revision}, not ${expected}`;
    expected = revision + step;
  }
  return undefined;
};

/** Returns what is wrong with a stream whose first event has a revision other than 0. */
export const beginsAt = (revision: number): string => `it begins at revision ${revision}, not 0`;

/** Throws `StreamTruncated` if something is wrong with a stream. */
export const mustBeWhole = (stream: string, gap: string | undefined): void => {
  if (gap !== undefined) throw new StreamTruncated(stream, gap);
};
