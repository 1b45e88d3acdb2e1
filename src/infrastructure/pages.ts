// The loop under every read of a store that has more than one page.
import { setImmediate as nextTurn } from 'node:timers/promises';

/**
 * The size of a page. SQLite reads a page without waiting, which takes a few milliseconds of the event loop. Every engine
 * bounds the bytes of events and documents. The records of the vault are small, so their pages count records only.
 */
export const PAGE = { items: 256, bytes: 524_288 } as const;

interface Walk<Place> {
  readonly from?: Place | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Yields the pages of a store, and gives the event loop a turn after each. `read` returns the page at a place, and
 * `nextOf` the place of the page behind it; undefined behind the last. Throws the reason of `signal` after an abort, so
 * that nobody takes a part of the store for all of it.
 */
export async function* pagesOf<Page, Place>(
  read: (place: Place | undefined) => Promise<Page>,
  nextOf: (page: Page) => Place | undefined,
  { from, signal }: Walk<Place> = {},
): AsyncGenerator<Page> {
  for (let place = from; ; await nextTurn()) {
    signal?.throwIfAborted();
    const page = await read(place);
    yield page;
    place = nextOf(page);
    if (place === undefined) return;
  }
}

/** Returns the first items that a page has room for. `bytesOf` returns the size of an item. `complete`: these are all. */
export const firstPage = <T>(items: Iterable<T>, bytesOf: (item: T) => number, limit: number = PAGE.items) => {
  const page: T[] = [];
  let bytes = 0;
  for (const item of items) {
    page.push(item);
    bytes += bytesOf(item);
    if (page.length >= Math.min(limit, PAGE.items) || bytes >= PAGE.bytes) return { page, bytes, complete: false };
  }
  return { page, bytes, complete: true };
};
