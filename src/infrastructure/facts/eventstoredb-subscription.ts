// A subscription to the log that lasts: it resumes where it was after every kind of drop, and says how far it has come.
import { setTimeout as pause } from 'node:timers/promises';
import { abortable } from '../async.js';
import { Bell } from '../bell.js';
import { Dropped, isCallError, isHopeless, isTooSlow, unavailable } from './eventstoredb-errors.js';
import { later, reaches } from './eventstoredb-events.js';
import type { Feed } from './eventstoredb-feed.js';
import { type LogSource, PAGE_CHECKPOINTS, PAGE_EVENTS, readPage } from './eventstoredb-page.js';
import type { LogPage, LogRange, Position, RecordedEvent } from './facts.js';

/** What it is made from. */
export interface LiveSource extends LogSource {
  /** Hears why a subscription was dropped; it is resumed. */
  onDrop(reason: unknown): void;
}

/** How patient it is, in milliseconds. */
export interface Patience {
  /** After how long without a word the log is read on, to pass over events of others. */
  readonly idleMs: number;
  /** How long a subscription may lack an event that the log has before the subscription is given up. */
  readonly silenceMs: number;
  /** The pause before resuming, doubled with every failure up to the longest, with jitter. */
  readonly pauseMs: number;
  readonly longestPauseMs: number;
}

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
        if (page === undefined || this.#signal.aborted) continue;
        isDue = !page.atEnd;
        yield page;
      }
    } catch (error) {
      // What was under way when the signal aborted is given up.
      if (!this.#signal.aborted) throw error;
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
      const isAll = this.#gather(feed);
      const atEnd = isAll && this.#isLive();
      const isPage = this.#hasNews() ? this.#isPage(feed) : atEnd && isDue;
      return isPage ? this.#page(atEnd) : await this.#wait(feed);
    } catch (error) {
      return this.#heal(error);
    }
  }

  async #connect(): Promise<Feed> {
    this.#end = await abortable(this.#source.head(), this.#signal);
    this.#feed = this.#source.open({ ...this.#range, after: this.#reached }, this.#bell.ring);
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

  // Whether the backlog, as it was when the subscription was opened, was handed over.
  #isLive(): boolean {
    return reaches(this.#reached, this.#end);
  }

  // Whether what was gathered makes a page: live at once; of the backlog when it is full or nothing follows, as each page
  // is a commit of who takes it.
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

  // Waits for something to arrive. If nothing does, either events of others advanced the log by less than a checkpoint, or
  // the connection is dead.
  async #listen(feed: Feed): Promise<void> {
    const { idleMs, silenceMs } = this.#patience;
    const ms = this.#isDoubted ? silenceMs : idleMs;
    const until = Date.now() + ms;
    const { arrivals } = feed;
    await this.#bell.heard(ms);
    if (feed.arrivals !== arrivals) this.#isDoubted = false;
    // It may have been rung for what was taken since, or to say that it is over.
    if (Date.now() < until || feed.arrivals !== arrivals) return;
    if (this.#isDoubted) throw new Dropped('it says nothing');
    const isWell = feed.isConfirmed && (await this.#passOver());
    this.#isDoubted = !isWell && feed.arrivals === arrivals;
  }

  // Moves past events of others. False if an event of this subscription is next, which has to arrive first.
  async #passOver(): Promise<boolean> {
    const reading = readPage(this.#source, { ...this.#range, after: this.#reached }, 1);
    const page = await abortable(reading, this.#signal);
    if (page.events.length > 0) return false;
    this.#reached = later(this.#reached, page.position);
    return true;
  }

  async #heal(error: unknown): Promise<undefined> {
    if (!isCallError(error) || this.#signal.aborted) throw error;
    const isNew = this.#feed?.arrivals === 0;
    this.#close();
    if (isHopeless(error) && isNew) throw unavailable(error);
    this.#source.onDrop(error);
    // A burst is too much for any subscription that is live; while it catches up the server waits for it.
    if (!isTooSlow(error) || this.#failures > 0) await pause(this.#pauseMs(), undefined, { signal: this.#signal });
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
