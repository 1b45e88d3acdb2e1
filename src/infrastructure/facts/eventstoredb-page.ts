// Reads one page of the log through a subscription. The client's own read of the log has no filter, and does not start
// from a position that the server reported only because it passed over events.
import { DeadlinePassed } from '../async.js';
import { Bell } from '../bell.js';
import { later, reaches } from './eventstoredb-events.js';
import type { Feed } from './eventstoredb-feed.js';
import type { LogPage, LogRange, Position, RecordedEvent } from './facts.js';

/** The source of pages. */
export interface LogSource {
  /** How long a page may take, in milliseconds. */
  readonly ms: number;
  head(): Promise<Position | undefined>;
  open(range: LogRange, onArrival: () => void): Feed;
}

/** The maximum number of events in one page. */
export const PAGE_EVENTS = 256;
/** The maximum number of checkpoints in one page: it passes over about 8,000 other events. */
export const PAGE_CHECKPOINTS = 256;

/**
 * Returns the next page of the log, of at most `limit` events. Rejects with `DeadlinePassed` if nothing of the page
 * arrived in time.
 */
export const readPage = async (source: LogSource, range: LogRange, limit: number): Promise<LogPage> => {
  const until = Date.now() + source.ms;
  const end = await source.head();
  if (reaches(range.after, end)) return { events: [], position: range.after, atEnd: true };
  const bell = new Bell();
  const feed = source.open(range, bell.ring);
  try {
    const page = new OpenPage(range.after, end, feed);
    while (!page.isFull(Math.min(limit, PAGE_EVENTS))) {
      const left = until - Date.now();
      if (left <= 0 && page.position === range.after) throw new DeadlinePassed(source.ms);
      if (left <= 0) break;
      await bell.wait(left);
    }
    return page.page();
  } finally {
    feed.close();
  }
};

/** The page in progress. */
class OpenPage {
  position: Position | undefined;
  readonly #end: Position | undefined;
  readonly #feed: Feed;
  readonly #events: RecordedEvent[] = [];

  constructor(after: Position | undefined, end: Position | undefined, feed: Feed) {
    this.position = after;
    this.#end = end;
    this.#feed = feed;
  }

  /** Takes what has arrived. Returns whether the page is full, is at the end, or has passed over enough events. */
  isFull(limit: number): boolean {
    const { events, examined, isAll } = this.#feed.take(limit - this.#events.length);
    this.#events.push(...events);
    this.position = later(this.position, examined);
    if (this.#feed.isCaughtUp) this.position = later(this.position, this.#end);
    const hasPassedOverEnough = isAll && this.#feed.checkpoints >= PAGE_CHECKPOINTS;
    if (this.#events.length >= limit || this.#isAtEnd() || hasPassedOverEnough) return true;
    if (this.#feed.dropped !== undefined) throw this.#feed.dropped;
    return false;
  }

  page(): LogPage {
    return { events: this.#events, position: this.position, atEnd: this.#isAtEnd() };
  }

  #isAtEnd(): boolean {
    return reaches(this.position, this.#end);
  }
}
