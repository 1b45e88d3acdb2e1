// One page of the log, read through a subscription: the client's own read of it takes no filter, and refuses to start
// from a position that was told for the sake of events passed over.
import { Bell } from '../bell.js';
import type { FeedRange } from './eventstoredb-client.js';
import { later, reaches } from './eventstoredb-events.js';
import type { Feed } from './eventstoredb-feed.js';
import { CallTimeout } from './eventstoredb-waiting.js';
import type { LogPage, LogRange, Position, RecordedEvent } from './facts.js';

/** Where pages come from. */
export interface LogSource {
  head(): Promise<Position | undefined>;
  open(range: FeedRange, onArrival: () => void): Feed;
}

/** How much a page may have, and after how long it must be there. */
export interface PageLimits {
  readonly events: number;
  readonly ms: number;
}

/** The most events of one page. */
export const PAGE_EVENTS = 256;
/** How many events are examined between two words of the position while there is a backlog. */
export const BACKLOG_WINDOW = 256;
/** How many such words one page may wait for its events: it passes over some 8,000 of others. */
export const PAGE_CHECKPOINTS = 32;

/** The next page of the log. Rejects where nothing of it came in time. */
export const readPage = async (source: LogSource, range: LogRange, limits: PageLimits): Promise<LogPage> => {
  const until = Date.now() + limits.ms;
  const end = await source.head();
  if (reaches(range.after, end)) return { events: [], position: range.after, atEnd: true };
  const bell = new Bell();
  const feed = source.open({ ...range, window: BACKLOG_WINDOW }, bell.ring);
  try {
    const left = { ...limits, ms: until - Date.now() };
    return await filled(new Filling(range.after, end, feed), bell, left);
  } finally {
    feed.close();
  }
};

const filled = async (filling: Filling, bell: Bell, { events, ms }: PageLimits): Promise<LogPage> => {
  const until = Date.now() + ms;
  for (;;) {
    const page = filling.take(Math.min(events, PAGE_EVENTS));
    if (page !== undefined) return page;
    const left = until - Date.now();
    if (left <= 0) return filling.rest() ?? late(ms);
    await bell.heard(left);
  }
};

const late = (ms: number): never => {
  throw new CallTimeout(ms);
};

class Filling {
  readonly #after: Position | undefined;
  readonly #end: Position | undefined;
  readonly #feed: Feed;
  readonly #events: RecordedEvent[] = [];
  #position: Position | undefined;

  constructor(after: Position | undefined, end: Position | undefined, feed: Feed) {
    this.#after = after;
    this.#position = after;
    this.#end = end;
    this.#feed = feed;
  }

  /** The page, as soon as it is full, at the end, or has passed over enough. */
  take(most: number): LogPage | undefined {
    const { events, examined, isAll } = this.#feed.take(most - this.#events.length);
    this.#events.push(...events);
    this.#position = later(this.#position, examined);
    if (this.#feed.isCaughtUp) this.#position = later(this.#position, this.#end);
    const hasPassedOverEnough = isAll && this.#feed.checkpoints >= PAGE_CHECKPOINTS;
    if (this.#events.length >= most || this.#isAtEnd() || hasPassedOverEnough) return this.#page();
    if (this.#feed.dropped !== undefined) throw this.#feed.dropped;
    return undefined;
  }

  /** What there is when time is up, if anything. */
  rest(): LogPage | undefined {
    return this.#position === this.#after ? undefined : this.#page();
  }

  #isAtEnd(): boolean {
    return reaches(this.#position, this.#end);
  }

  #page(): LogPage {
    return { events: this.#events, position: this.#position, atEnd: this.#isAtEnd() };
  }
}
