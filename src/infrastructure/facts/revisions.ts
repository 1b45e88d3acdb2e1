// Reads a stream page by page, and checks that it is complete: its revisions count from 0 and follow one another.
import { StreamTruncated } from '../errors.js';
import { pagesOf } from '../pages.js';
import { Turns } from '../turns.js';
import type { RecordedEvent } from './facts.js';

/** Reads a page from a revision. `complete`: the stream has no events behind the page. */
type ReadPage = (
  from: number | undefined,
) => Promise<{ readonly events: readonly RecordedEvent[]; readonly complete: boolean }>;

/**
 * Yields the events of a stream upwards (1), or downwards (-1) to its first event, from a revision or from its last
 * event. Throws `StreamTruncated` at a gap.
 */
export async function* eventsOf(
  stream: string,
  from: number | undefined,
  step: 1 | -1,
  read: ReadPage,
): AsyncGenerator<RecordedEvent> {
  let next = from;
  let last = 0;
  const pages = pagesOf(read, ({ complete }) => (complete || next === -1 ? undefined : next), { from });
  for await (const { events } of pages) {
    next = nextAfter(stream, events, next, step);
    last = events.at(-1)?.revision ?? last;
    yield* new Turns().over(events);
  }
  if (step === -1 && last > 0) throw new StreamTruncated(stream, `it begins at revision ${last}, not 0`);
}

const nextAfter = (stream: string, events: readonly RecordedEvent[], first: number | undefined, step: 1 | -1) => {
  let expected = first;
  for (const { revision } of events) {
    if (expected !== undefined && revision !== expected)
      throw new StreamTruncated(stream, `it continues at revision ${revision}, not ${expected}`);
    expected = revision + step;
  }
  return expected;
};
