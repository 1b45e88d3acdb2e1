// A lasting subscription to the log: it resumes after every kind of drop, and reports how far it has come.
import { setTimeout as pause } from 'node:timers/promises';
import { abortable } from '../async.js';
import { Bell } from '../bell.js';
import { Dropped, isCallError, isPermanent, isTooSlow, unavailable } from './eventstoredb-errors.js';
import { later, reaches } from './eventstoredb-events.js';
import type { Feed } from './eventstoredb-feed.js';
import { type LogSource, PAGE_CHECKPOINTS, PAGE_EVENTS, readPage } from './eventstoredb-page.js';
import type { LogPage, LogRange, Position, RecordedEvent } from './facts.js';

/** The dependencies of a follower. */
export interface LiveSource extends LogSource {
  /** Called with the reason when a subscription was dropped. The follower resumes it. */
  onDrop(reason: unknown): void;
}

/** The timeouts of a follower, in milliseconds. */
export interface FollowerTimeouts {
  /** After how long without events the follower reads ahead in the log, to pass over other events. */
  readonly idleMs: number;
  /** How long a subscription may miss an event that the log has before the follower gives up the subscription. */
  readonly silenceMs: number;
  /** The pause before resuming, doubled after every failure up to the longest pause, with jitter. */
  readonly pauseMs: number;
  readonly longestPauseMs: number;
}

// How long a page of the backlog waits for more events after the last one.
const LINGER_MS = 10;

export class LogFollower {
  readonly #source: LiveSource;
  readonly #range: LogRange;
  readonly #signal: AbortSignal;
  readonly #timeouts: FollowerTimeouts;
  readonly #bell = new Bell();
  /** The position up to which pages were handed over. */
  #position: Position | undefined;
  /** The events of the next page so far, and its position. */
  #gathered: RecordedEvent[] = [];
  #reached: Position | undefined;
  /**
   * The head of the log when the subscription was opened. Everything up to it is examined once the subscription has
   * caught up.
   */
  #end: Position | undefined;
  #feed: Feed | undefined;
  #failures = 0;
  #checkpoints = 0;
  #hasLingered = false;
  #isSuspect = false;

  constructor(source: LiveSource, range: LogRange, signal: AbortSignal, timeouts: FollowerTimeouts) {
    this.#source = source;
    this.#range = range;
    this.#signal = signal;
    this.#timeouts = timeouts;
    this.#position = range.after;
    this.#reached = range.after;
  }

  /** Yields the pages until the signal aborts. Rejects only if resuming would fail again in the same way. */
  async *pages(): AsyncGenerator<LogPage> {
    this.#signal.addEventListener('abort', this.#bell.ring);
    try {
      for (let isDue = true; !this.#signal.aborted; ) {
        const page = await this.#next(isDue);
        if (page === undefined || this.#signal.aborted) continue;
        isDue = !page.atEnd;
        yield page;
      }
    } catch (error) {
      // Calls in progress when the signal aborted are abandoned.
      if (!this.#signal.aborted) throw error;
    } finally {
      this.#signal.removeEventListener('abort', this.#bell.ring);
      this.#close();
    }
  }

  // One step: connects, takes a page, recovers, or waits. Returns undefined if there is no page yet. A page is also due
  // without news: at first, and to report the end of the log after pages that were not at the end.
  async #next(isDue: boolean): Promise<LogPage | undefined> {
    try {
      const feed = this.#feed ?? (await this.#connect());
      const isAll = this.#gather(feed);
      const atEnd = isAll && this.#isLive();
      const isPage = this.#hasNews() ? this.#isPage(feed) : atEnd && isDue;
      return isPage ? this.#page(atEnd) : await this.#wait(feed);
    } catch (error) {
      return this.#recover(error);
    }
  }

  async #connect(): Promise<Feed> {
    this.#end = await abortable(this.#source.head(), this.#signal);
    this.#feed = this.#source.open({ ...this.#range, after: this.#reached }, this.#bell.ring);
    return this.#feed;
  }

  // Takes what has arrived. Returns whether that was all.
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

  // Returns whether the backlog that existed when the subscription was opened was handed over.
  #isLive(): boolean {
    return reaches(this.#reached, this.#end);
  }

  // Returns whether the gathered events make a page. Live events make one immediately. Events of the backlog make one
  // when the page is full or nothing follows, because the consumer commits each page.
  #isPage(feed: Feed): boolean {
    const isFull = this.#gathered.length >= PAGE_EVENTS || feed.checkpoints >= this.#checkpoints + PAGE_CHECKPOINTS;
    return isFull || this.#isLive() || this.#hasLingered || feed.dropped !== undefined;
  }

  async #wait(feed: Feed): Promise<undefined> {
    if (feed.dropped !== undefined) throw feed.dropped;
    await (this.#hasNews() ? this.#linger(feed) : this.#listen(feed));
    return undefined;
  }

  async #linger(feed: Feed): Promise<void> {
    const { arrivals } = feed;
    const until = Date.now() + LINGER_MS;
    for (let left = LINGER_MS; left > 0 && feed.arrivals === arrivals; left = until - Date.now()) {
      await this.#bell.wait(left);
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

  // Waits for something to arrive. If nothing does, either other events advanced the log by less than a checkpoint, or
  // the connection is dead.
  async #listen(feed: Feed): Promise<void> {
    const { idleMs, silenceMs } = this.#timeouts;
    const ms = this.#isSuspect ? silenceMs : idleMs;
    const until = Date.now() + ms;
    const { arrivals } = feed;
    await this.#bell.wait(ms);
    if (feed.arrivals !== arrivals) this.#isSuspect = false;
    // The bell may have rung for events that were taken since, or because the subscription is over.
    if (Date.now() < until || feed.arrivals !== arrivals) return;
    if (this.#isSuspect) throw new Dropped('it delivers nothing');
    const isHealthy = feed.isConfirmed && (await this.#passOver());
    this.#isSuspect = !isHealthy && feed.arrivals === arrivals;
  }

  // Moves past other events. Returns false if an event of this subscription is next, which has to arrive first.
  async #passOver(): Promise<boolean> {
    const reading = readPage(this.#source, { ...this.#range, after: this.#reached }, 1);
    const page = await abortable(reading, this.#signal);
    if (page.events.length > 0) return false;
    this.#reached = later(this.#reached, page.position);
    return true;
  }

  async #recover(error: unknown): Promise<undefined> {
    if (!isCallError(error) || this.#signal.aborted) throw error;
    const isNew = this.#feed?.arrivals === 0;
    this.#close();
    if (isPermanent(error) && isNew) throw unavailable(error);
    this.#source.onDrop(error);
    // A burst is too much for any live subscription. While the subscription catches up, the server waits for it.
    if (!isTooSlow(error) || this.#failures > 0) await pause(this.#pauseMs(), undefined, { signal: this.#signal });
    this.#failures += 1;
    return undefined;
  }

  #pauseMs(): number {
    const { pauseMs, longestPauseMs } = this.#timeouts;
    return Math.min(pauseMs * 2 ** this.#failures, longestPauseMs) * (0.5 + Math.random() / 2);
  }

  #close(): void {
    this.#feed?.close();
    this.#feed = undefined;
    this.#isSuspect = false;
    this.#checkpoints = 0;
  }
}
