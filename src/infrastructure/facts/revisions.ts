// Checks whether a stream is complete: its revisions count from 0 and follow one another.
import { StreamTruncated } from '../errors.js';
import type { RecordedEvent } from './facts.js';

/** Throws `StreamTruncated` unless the revisions go up (1) or down (-1) from `first`, if that is known, without a gap. */
export const mustFollow = (
  stream: string,
  events: readonly RecordedEvent[],
  first: number | undefined,
  step: 1 | -1,
): void => {
  let expected = first;
  for (const { revision } of events) {
    if (expected !== undefined && revision !== expected)
      throw new StreamTruncated(stream, `it continues at revision ${revision}, not ${expected}`);
    expected = revision + step;
  }
};

/** Throws `StreamTruncated` unless the first event of a stream has revision 0. */
export const mustBeFirst = (stream: string, revision: number): void => {
  if (revision !== 0) throw new StreamTruncated(stream, `it begins at revision ${revision}, not 0`);
};
