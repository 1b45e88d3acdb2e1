// Reads the history of one stream by revision. A page costs what it shows, however long the stream is.
import type { Facts, Position, RecordedEvent } from '../infrastructure/facts/facts.js';
import { PAGE, pagesOf } from '../infrastructure/pages.js';
import { PAGE_BYTES } from '../infrastructure/views/views.js';

/** A part of a history: from a revision, to a revision, and without events after a time. */
export interface Span {
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  readonly asOf?: string | undefined;
}

/** Yields the events of a part of the history of a stream, oldest first. */
export async function* historyOf(
  facts: Pick<Facts, 'readStream'>,
  stream: string,
  { from = 0, to = Number.POSITIVE_INFINITY, asOf }: Span = {},
): AsyncGenerator<RecordedEvent> {
  const until = asOf === undefined ? Number.POSITIVE_INFINITY : Date.parse(asOf);
  for await (const event of facts.readStream(stream, from)) {
    if (event.revision > to || Date.parse(event.metadata.at) > until) return;
    yield event;
    if (event.revision === to) return;
  }
}

/** A page of a history. `next` is the revision at which the next page starts; undefined on the last page. */
export interface StepsPage<Item> {
  readonly items: readonly Item[];
  readonly next: number | undefined;
}

/** Returns the first items of a history: at most `limit`, and fewer if they exceed the bytes of a page as JSON. */
export const historyPage = async <Item extends { readonly revision: number }>(
  items: AsyncIterable<Item>,
  limit: number,
): Promise<StepsPage<Item>> => {
  const page: Item[] = [];
  let bytes = 0;
  for await (const item of items) {
    bytes += Buffer.byteLength(JSON.stringify(item));
    if (page.length === limit || (page.length > 0 && bytes > PAGE_BYTES)) return { items: page, next: item.revision };
    page.push(item);
  }
  return { items: page, next: undefined };
};

// One less than a page of a store: the event that the next page starts with is then in the same page of the store.
const EVENTS_AT_ONCE = PAGE.items - 1;

/** Yields a history page by page. No read stays open while the consumer takes a page, which may last. */
export const historyPages = (
  read: (from: number | undefined) => AsyncIterable<RecordedEvent>,
  from: number | undefined,
  limit: number = EVENTS_AT_ONCE,
): AsyncGenerator<StepsPage<RecordedEvent>> =>
  pagesOf(
    (place) => historyPage(read(place), limit),
    ({ next }) => next,
    { from },
  );

/**
 * Returns a revision from which a read of a stream meets every event after a position, and few before. Finds it by
 * halving, because later revisions have later positions.
 */
export const revisionNear = async (facts: Facts, stream: string, position: Position): Promise<number> => {
  const at = (revision?: number) => firstOf(facts.readStreamBackwards(stream, revision, 1));
  const last = await at();
  if (last === undefined || last.position <= position) return (last?.revision ?? -1) + 1;
  let [low, high] = [0, last.revision];
  while (high - low > PAGE.items) {
    const middle = Math.floor((low + high) / 2);
    const event = await at(middle);
    if (event !== undefined && event.position <= position) low = middle + 1;
    else high = middle;
  }
  return low;
};

/** Returns the first event; undefined if there is none. */
export const firstOf = async (events: AsyncIterable<RecordedEvent>): Promise<RecordedEvent | undefined> => {
  for await (const event of events) return event;
  return undefined;
};
