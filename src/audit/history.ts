// Reads the history of one stream by revision. A page costs what it shows, however long the stream is.
import {
  type Facts,
  firstOf,
  type Position,
  type RecordedEvent,
  type StreamRange,
} from '../infrastructure/facts/facts.js';
import { PAGE, pagesOf } from '../infrastructure/pages.js';
import { PAGE_BYTES } from '../infrastructure/views/views.js';

/** Returns whether an event was recorded after a time, if there is one. */
export const isAfter = ({ metadata }: RecordedEvent, asOf: string | null | undefined): boolean =>
  typeof asOf === 'string' && Date.parse(metadata.at) > Date.parse(asOf);

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

/** Yields a part of a stream page by page. No read stays open while the consumer takes a page, which may last. */
export const historyPages = (
  facts: Pick<Facts, 'readStream'>,
  stream: string,
  range: StreamRange,
  limit: number = EVENTS_AT_ONCE,
): AsyncGenerator<StepsPage<RecordedEvent>> =>
  pagesOf(
    (from) => historyPage(facts.readStream(stream, { ...range, from }), limit),
    ({ next }) => next,
    { from: range.from },
  );

/**
 * Returns a revision from which a read of a stream meets every event after a position, and few before. Finds it by
 * halving, because later revisions have later positions.
 */
export const revisionNear = async (facts: Facts, stream: string, position: Position): Promise<number> => {
  const at = (revision?: number) => firstOf(facts.readStream(stream, { from: revision, limit: 1, backwards: true }));
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
