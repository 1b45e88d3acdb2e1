// A subscription to the log that lasts: it resumes where it was after every kind of drop, and says how far it has come.
import { Bell } from '../bell.js';
import { Dropped, isCallError, isHopeless, isTooSlow, unavailable } from './eventstoredb-errors.js';
import { later, reaches } from './eventstoredb-events.js';
import type { Feed } from './eventstoredb-feed.js';
import { BACKLOG_WINDOW, type LogSource, PAGE_CHECKPOINTS, PAGE_EVENTS } from './eventstoredb-page.js';
import { pause, unlessAborted } from './eventstoredb-waiting.js';
import type { LogPage, LogRange, Position, RecordedEvent } from './facts.js';

/** What it is made from. */
export interface LiveSource extends LogSource {
  /** Hears why a subscription was dropped; it is resumed. */
  onDrop(reason: unknown): void;
}

/** How patient it is, in milliseconds. */
export interface Patience {
  /** After how long without a word a subscription is doubted, and after as long again given up. */
  readonly silenceMs: number;
  /** The pause before resuming, doubled with every failure up to the longest, with jitter. */
  readonly pauseMs: number;
  readonly longestPauseMs: number;
}

// While live, the position is told after every event, so that who waits for a position that others' events advanced
// does not wait for another 255 of them.
const LIVE_WINDOW = 1;
// A page of the backlog is given so long to fill up after what came last.
const LINGER_MS = 10;

export class LogFollower {
  readonly #source: LiveSource;
  readonly #range: LogRange;
  readonly #signal: AbortSignal;
  readonly #patience: Patience;
  readonly #bell = new Bell();
  /** Up to where pages were handed over. */
  #position: Position | undefined;
  /** What the next page has so far, and up to where. */
  #gathered: RecordedEvent[] = [];
  #reached: Position | undefined;
  /** The head of the log when the subscription was opened: examined for certain once that has caught up. */
  #end: Position | undefined;
  #feed: Feed | undefined;
  #isLive = false;
  #failures = 0;
  #checkpoints = 0;
  #hasLingered = false;
  #isDoubted = false;

  constructor(source: LiveSource, range: LogRange, signal: AbortSignal, patience: Patience) {
    this.#source = source;
    this.#range = range;
    this.#signal = signal;
    this.#patience = patience;
    this.#position = range.after;
    this.#reached = range.after;
  }

  /** The pages, until the signal aborts. Rejects only where resuming would fail again in the same way. */
  async *pages(): AsyncGenerator<LogPage> {
    this.#signal.addEventListener('abort', this.#bell.ring);
    try {
      for (let isDue = true; !this.#signal.aborted; ) {
        const page = await this.#next(isDue);
        if (this.#signal.aborted) return;
        if (page === undefined) continue;
        isDue = !page.atEnd;
        yield page;
      }
    } finally {
      this.#signal.removeEventListener('abort', this.#bell.ring);
      this.#close();
    }
  }

  // One step: connects, takes a page, heals, or waits. Undefined where there is no page yet. One is due also without
  // news at first, and to tell of the end behind pages that were not at it.
  async #next(isDue: boolean): Promise<LogPage | undefined> {
    try {
      const feed = this.#feed ?? (await this.#connect());
      if (feed === undefined) return undefined;
      const isAll = this.#gather(feed);
      const atEnd = isAll && reaches(this.#reached, this.#end);
      const isPage = this.#hasNews() ? atEnd || this.#isPage(feed) : atEnd && isDue;
      return isPage ? this.#page(atEnd) : await this.#wait(feed);
    } catch (error) {
      return this.#heal(error);
    }
  }

  async #connect(): Promise<Feed | undefined> {
    if (!this.#isLive) {
      this.#end = await unlessAborted(this.#source.head(), this.#signal);
      this.#isLive = reaches(this.#reached, this.#end);
    }
    if (this.#signal.aborted) return undefined;
    const window = this.#isLive ? LIVE_WINDOW : BACKLOG_WINDOW;
    const range = { aggregates: this.#range.aggregates, after: this.#reached, window };
    this.#feed = this.#source.open(range, this.#bell.ring);
    return this.#feed;
  }

  // Takes what has arrived; gives whether that was all.
  #gather(feed: Feed): boolean {
    const { events, examined, isAll } = feed.take(PAGE_EVENTS - this.#gathered.length);
    this.#gathered.push(...events);
    const caughtUpTo = feed.isCaughtUp ? this.#end : undefined;
    this.#reached = later(later(this.#reached, examined), caughtUpTo);
    return isAll;
  }

  #hasNews(): boolean {
    return this.#reached !== this.#position;
  }

  // Whether what was gathered makes a page: live at once; of the backlog when it is full or nothing follows, as each page
  // is a commit of who takes it.
  #isPage(feed: Feed): boolean {
    const isFull = this.#gathered.length >= PAGE_EVENTS || feed.checkpoints >= this.#checkpoints + PAGE_CHECKPOINTS;
    return isFull || this.#isLive || this.#hasLingered || feed.dropped !== undefined;
  }

  async #wait(feed: Feed): Promise<undefined> {
    if (feed.dropped !== undefined) throw feed.dropped;
    if (this.#hasNews()) await this.#linger(feed);
    else if (!this.#isLive && (feed.isCaughtUp || reaches(this.#reached, this.#end))) this.#goLive();
    else await this.#listen(feed);
    return undefined;
  }

  async #linger(feed: Feed): Promise<void> {
    const { arrivals } = feed;
    const until = Date.now() + LINGER_MS;
    for (let left = LINGER_MS; left > 0 && feed.arrivals === arrivals; left = until - Date.now()) {
      await this.#bell.heard(left);
      if (this.#signal.aborted || feed.dropped !== undefined) return;
    }
    this.#hasLingered = feed.arrivals === arrivals;
  }

  #page(atEnd: boolean): LogPage {
    const page = { events: this.#gathered, position: this.#reached, atEnd };
    this.#gathered = [];
    this.#position = this.#reached;
    this.#checkpoints = this.#feed?.checkpoints ?? 0;
    this.#hasLingered = false;
    this.#failures = 0;
    return page;
  }

  // The backlog is behind: from here on the position is told after every event.
  #goLive(): void {
    this.#close();
    this.#isLive = true;
  }

  // Waits for something to arrive. An idle log is told from a connection that says nothing by the head.
  async #listen(feed: Feed): Promise<void> {
    const doubtAt = Date.now() + this.#patience.silenceMs;
    const { arrivals } = feed;
    await this.#bell.heard(this.#patience.silenceMs);
    if (feed.arrivals !== arrivals) this.#isDoubted = false;
    // It may have been rung for what was taken since, or to say that it is over.
    if (Date.now() < doubtAt || feed.arrivals !== arrivals) return;
    if (this.#isDoubted) throw new Dropped('it says nothing');
    const head = await unlessAborted(this.#source.head(), this.#signal);
    this.#isDoubted = !feed.isConfirmed || !reaches(this.#reached, head);
  }

  async #heal(error: unknown): Promise<undefined> {
    if (!isCallError(error)) throw error;
    const isNew = this.#feed?.arrivals === 0;
    this.#close();
    this.#isLive = false;
    if (this.#signal.aborted) return undefined;
    if (isHopeless(error) && isNew) throw unavailable(error);
    this.#source.onDrop(error);
    // A burst is too much for any subscription that is live; while it catches up the server waits for it.
    if (!isTooSlow(error) || this.#failures > 0) await pause(this.#pauseMs(), this.#signal);
    this.#failures += 1;
    return undefined;
  }

  #pauseMs(): number {
    const { pauseMs, longestPauseMs } = this.#patience;
    return Math.min(pauseMs * 2 ** this.#failures, longestPauseMs) * (0.5 + Math.random() / 2);
  }

  #close(): void {
    this.#feed?.close();
    this.#feed = undefined;
    this.#isDoubted = false;
    this.#checkpoints = 0;
  }
}
