// Reads a stream page by page, and checks that it is complete: its revisions count from 0 and follow one another.
import { StreamTruncated } from '../errors.js';
import { PAGE, pagesOf } from '../pages.js';
import { Turns } from '../turns.js';
import type { RecordedEvent, StreamRange } from './facts.js';

/** At most `limit` events from a revision; backwards undefined: from the last event. */
export interface StreamPage {
  readonly from: number | undefined;
  readonly limit: number;
  readonly backwards: boolean;
}

/** Reads a page. `complete`: the stream has no events behind the page. */
type ReadPage = (
  page: StreamPage,
) => Promise<{ readonly events: readonly RecordedEvent[]; readonly complete: boolean }>;

/** Yields the events of a part of a stream. Throws `StreamTruncated` at a gap. */
export async function* eventsOf(
  stream: string,
  { backwards = false, ...range }: StreamRange,
  read: ReadPage,
): AsyncGenerator<RecordedEvent> {
  const [step, first, end] = backwards ? ([-1, undefined, 0] as const) : ([1, 0, Number.POSITIVE_INFINITY] as const);
  const { from = first, to = end, limit = Number.POSITIVE_INFINITY } = range;
  // The number of events from a revision to the end of the range.
  const upTo = (revision: number) => (to - revision) * step + 1;
  let [next, last, left] = [from, 0, limit];
  const room = () => Math.min(left, next === undefined ? left : upTo(next));
  if (room() <= 0) return;
  const pages = pagesOf(
    (place) => read({ from: place, limit: Math.min(room(), PAGE.items), backwards }),
    ({ complete }) => (complete || room() <= 0 ? undefined : next),
    { from },
  );
  for await (const { events } of pages) {
    next = nextAfter(stream, events, next, step);
    last = events.at(-1)?.revision ?? last;
    left -= events.length;
    yield* new Turns().over(events.filter(({ revision }) => upTo(revision) > 0));
  }
  if (backwards && left > 0 && last > to) throw new StreamTruncated(stream, `it begins at revision ${last}, not 0`);
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
