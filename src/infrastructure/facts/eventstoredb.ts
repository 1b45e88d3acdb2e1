// The facts on EventStoreDB: a stream for each aggregate, and `$all` as the log.
import { KeyedQueue, settlesWithin } from '../async.js';
import { StoreUnavailable, StreamTruncated } from '../errors.js';
import { aggregateOf } from '../stream-name.js';
import { appendWithRetries, checkAppend, MAX_APPEND_BYTES, timeLeft } from './eventstoredb-append.js';
import { EventStoreDbConnection, type StreamRange } from './eventstoredb-client.js';
import { isLost, STORE, unavailable } from './eventstoredb-errors.js';
import { fromPosition, METASTREAM, truncationIn } from './eventstoredb-events.js';
import { readPage } from './eventstoredb-page.js';
import { SharedSubscription } from './eventstoredb-shared.js';
import { type FollowerTimeouts, LogFollower } from './eventstoredb-subscription.js';
import type {
  AppendOutcome,
  Expected,
  Facts,
  LogPage,
  LogRange,
  NewEvent,
  Position,
  RecordedEvent,
  Truncation,
} from './facts.js';
import { beginsAt, gapIn } from './revisions.js';

/** The timeouts of the engine, in milliseconds, and the callbacks for its errors. */
export interface EventStoreDbOptions extends Partial<FollowerTimeouts> {
  /** The deadline of every call, and the time that closing may take. */
  readonly deadlineMs?: number;
  /**
   * The aggregates whose events advance the position of every subscriber immediately, even a subscriber of other
   * aggregates.
   */
  readonly aggregates?: readonly string[];
  /** Called with the reason when a subscription was dropped. The subscription resumes automatically. */
  readonly onDrop?: (reason: Error) => void;
}

// Longer than the 3 s for which a server does not respond to the duplicate of an append in progress.
const DEADLINE_MS = 5_000;
const TIMEOUTS: FollowerTimeouts = { idleMs: 250, silenceMs: 5_000, pauseMs: 50, longestPauseMs: 5_000 };
const DISPOSE_MS = 2_000;
// How many events one call reads from a stream.
const STREAM_PAGE = 512;
// How many events of all streams, ours and others, one call reads backwards.
const LOG_PAGE = 256;

/**
 * The facts in the EventStoreDB at `url` (`esdb://…`), which need not be up yet. A process must have only one instance.
 * An event that another program wrote to one of our streams is returned unchanged, except that missing metadata are
 * filled in.
 */
export class EventStoreDbFacts implements Facts {
  readonly maxAppendBytes = MAX_APPEND_BYTES;
  readonly #connection: EventStoreDbConnection;
  readonly #deadlineMs: number;
  readonly #onDrop: (reason: Error) => void;
  readonly #shared: SharedSubscription;
  readonly #turns = new KeyedQueue();
  readonly #closing = new AbortController();

  /** Throws if `url` is not a connection string. */
  constructor(url: string, { deadlineMs = DEADLINE_MS, aggregates = [], onDrop, ...given }: EventStoreDbOptions = {}) {
    const patience = { ...TIMEOUTS, ...given };
    this.#connection = new EventStoreDbConnection(url);
    this.#deadlineMs = deadlineMs;
    this.#onDrop = onDrop ?? (() => undefined);
    const follow = (range: LogRange, signal: AbortSignal) =>
      new LogFollower(this.#source(deadlineMs), range, AbortSignal.any([signal, this.#closing.signal]), patience);
    this.#shared = new SharedSubscription((range, signal) => follow(range, signal).pages(), aggregates);
  }

  async append(stream: string, expected: Expected, events: readonly NewEvent[]): Promise<AppendOutcome> {
    checkAppend(stream, events);
    this.#mustBeOpen();
    const append = { stream, expected, events, until: Date.now() + this.#deadlineMs };
    // One after another, so that appends to a stream are applied in the order of their calls.
    return this.#turns.run(stream, () => {
      if (timeLeft(append) <= 0) throw new StoreUnavailable(STORE, 'the previous append took too long');
      return appendWithRetries(this.#connection, append);
    });
  }

  async *readStream(stream: string, fromRevision = 0): AsyncGenerator<RecordedEvent> {
    for (let from = fromRevision; ; from += STREAM_PAGE) {
      const events = await this.#read(stream, { from, direction: 'forwards', count: STREAM_PAGE });
      await this.#mustBeWhole(stream, gapIn(events, from, 1));
      yield* events;
      if (events.length < STREAM_PAGE) return;
    }
  }

  async *readStreamBackwards(stream: string): AsyncGenerator<RecordedEvent> {
    for (let from: number | undefined; ; ) {
      const events = await this.#read(stream, { from: from ?? 'end', direction: 'backwards', count: STREAM_PAGE });
      await this.#mustBeWhole(stream, gapIn(events, from, -1));
      yield* events;
      const first = events.at(-1)?.revision ?? (from ?? -1) + 1;
      if (first === 0) return;
      if (events.length < STREAM_PAGE) await this.#mustBeWhole(stream, beginsAt(first));
      from = first - 1;
    }
  }

  async readLog(range: LogRange, limit: number): Promise<LogPage> {
    checkPosition(range);
    if (range.direction === 'backwards') return this.#readBackwards(range, limit);
    return this.#call((ms) => readPage(this.#source(ms), range, limit));
  }

  async #readBackwards({ aggregates, after: before }: LogRange, limit: number): Promise<LogPage> {
    const examined = await this.#call((ms) => this.#connection.readLogBackwards(before, LOG_PAGE, ms));
    const isOurs = ({ stream, type }: RecordedEvent) =>
      aggregates.includes(aggregateOf(stream)) && !type.startsWith('$');
    const events = examined.filter(isOurs).slice(0, limit);
    const isCut = events.length === limit && events.at(-1) !== examined.at(-1);
    const position = (isCut ? events : examined).at(-1)?.position ?? before;
    return { events, position, atEnd: !isCut && examined.length < LOG_PAGE };
  }

  /** The last event of the log may be EventStoreDB's own. Live subscriptions reach the positions of such events too. */
  async head(): Promise<Position | undefined> {
    return this.#call((ms) => this.#connection.head(ms));
  }

  async *subscribe(range: LogRange, signal: AbortSignal): AsyncGenerator<LogPage> {
    this.#mustBeOpen();
    checkPosition(range);
    yield* this.#shared.subscribe(range, AbortSignal.any([signal, this.#closing.signal]));
    if (!signal.aborted) this.#mustBeOpen();
  }

  /** Reads the metadata of all streams of the aggregates. The last metadata of a stream are in force. */
  async truncations(aggregates: readonly string[]): Promise<readonly Truncation[]> {
    const found = new Map<string, string>();
    const range = { aggregates: aggregates.map((aggregate) => `${METASTREAM}${aggregate}`), after: undefined };
    for await (const { events, atEnd } of this.subscribe(range, new AbortController().signal)) {
      for (const event of events) {
        const stream = event.stream.slice(METASTREAM.length);
        const metadata = truncationIn(event.data);
        if (metadata === undefined) found.delete(stream);
        else found.set(stream, metadata);
      }
      if (atEnd) break;
    }
    return [...found].map(([stream, metadata]) => ({ stream, metadata }));
  }

  /** Waits for appends in progress, at most until the deadline. Then ends everything. */
  async close(): Promise<void> {
    if (this.#closing.signal.aborted) return;
    this.#closing.abort();
    await settlesWithin(this.#turns.ended(), this.#deadlineMs);
    await this.#connection.close(DISPOSE_MS);
  }

  #read(stream: string, range: StreamRange): Promise<RecordedEvent[]> {
    return this.#call((ms) => this.#connection.readStream(stream, range, ms));
  }

  async #mustBeWhole(stream: string, gap: string | undefined): Promise<void> {
    if (gap === undefined) return;
    throw new StreamTruncated(stream, gap, await this.#call((ms) => this.#connection.truncation(stream, ms)));
  }

  // Reads, and retries if the connection was lost.
  async #call<T>(call: (ms: number) => Promise<T>): Promise<T> {
    this.#mustBeOpen();
    const until = Date.now() + this.#deadlineMs;
    try {
      return await call(this.#deadlineMs).catch((error: unknown) => {
        if (!isLost(error)) throw error;
        return call(Math.max(1, until - Date.now()));
      });
    } catch (error) {
      throw unavailable(error);
    }
  }

  #source(ms: number) {
    return {
      ms,
      head: () => this.#connection.head(ms),
      open: (range: LogRange, onArrival: () => void) => this.#connection.subscribe(range, onArrival),
      onDrop: (reason: unknown) => this.#onDrop(reason instanceof Error ? reason : new Error(String(reason))),
    };
  }

  #mustBeOpen(): void {
    if (this.#closing.signal.aborted) throw new StoreUnavailable(STORE, 'it is closed');
  }
}

// An invalid position is not a fault of the connection, which the engine could repair.
const checkPosition = ({ after }: Pick<LogRange, 'after'>): void => {
  if (after !== undefined) fromPosition(after);
};
