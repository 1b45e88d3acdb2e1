// The facts on EventStoreDB: a stream for each aggregate, and `$all` as the log.
import { KeyedQueue, settlesWithin } from '../async.js';
import { StoreUnavailable } from '../errors.js';
import { appendWithRetries, checkAppend, timeLeft } from './eventstoredb/append.js';
import { EventStoreDbConnection } from './eventstoredb/connection.js';
import { isLost, isPermanent, STORE, unavailable } from './eventstoredb/errors.js';
import { fromPosition } from './eventstoredb/events.js';
import { LiveLog } from './eventstoredb/live.js';
import { LogReader, readBackwards, readLast } from './eventstoredb/log.js';
import type { AppendOutcome, Expected, Facts, LogPage, LogRange, NewEvent, Position, StreamRange } from './facts.js';
import { eventsOf } from './revisions.js';
import { type SubscribedLog, subscribe } from './subscribe.js';

export interface EventStoreDbOptions {
  /** The aggregates of the service. One subscription follows the events of all of them. */
  readonly aggregates?: readonly string[];
  /** The deadline of every call, and the time that closing may take, in milliseconds. */
  readonly deadlineMs?: number;
  /** The time after which a subscription reads the log if the server sends nothing, in milliseconds. */
  readonly pollMs?: number;
  /** Called with the first failure of an outage that a subscription notices. The subscription resumes automatically. */
  readonly onOutage?: (reason: Error) => void;
}

// Longer than the 3 s for which a server does not respond to the duplicate of an append in progress.
const DEADLINE_MS = 5_000;
const POLL_MS = 1_000;

/**
 * The facts in the EventStoreDB at `url` (`esdb://…`), which need not be up yet. An event that another program wrote to
 * one of our streams is returned unchanged, except that metadata of another form are replaced.
 */
export class EventStoreDbFacts implements Facts {
  readonly #connection: EventStoreDbConnection;
  readonly #options: Required<EventStoreDbOptions>;
  readonly #live: LiveLog;
  readonly #turns = new KeyedQueue();
  readonly #closing = new AbortController();

  /** Throws if `url` is not a connection string. */
  constructor(url: string, options: EventStoreDbOptions = {}) {
    this.#connection = new EventStoreDbConnection(url);
    this.#options = { aggregates: [], deadlineMs: DEADLINE_MS, pollMs: POLL_MS, onOutage: () => undefined, ...options };
    this.#live = new LiveLog(this.#connection, this.#options);
  }

  async append(stream: string, expected: Expected, events: readonly NewEvent[]): Promise<AppendOutcome> {
    checkAppend(stream, events);
    this.#mustBeOpen();
    const append = { stream, expected, events, until: performance.now() + this.#options.deadlineMs };
    // One after another, so that appends to a stream are applied in the order of their calls.
    return this.#turns.run(stream, () => {
      if (timeLeft(append) <= 0) throw new StoreUnavailable(STORE, new Error('the previous append took too long'));
      return appendWithRetries(this.#connection, append);
    });
  }

  readStream(stream: string, range: StreamRange = {}) {
    return eventsOf(stream, range, async (page) => {
      const read = (ms: number) => this.#connection.readStream(stream, page, ms);
      const { events, isWhole } = await this.#call(read, 'read streams');
      return { events, complete: isWhole && events.length < page.limit };
    });
  }

  async readLog(range: LogRange, limit: number): Promise<LogPage> {
    mustBePosition(range.after);
    if (range.direction === 'backwards') return this.#call((ms) => readBackwards(this.#connection, range, limit, ms));
    const reader = new LogReader(this.#connection, (...known) => this.#live.page(...known));
    try {
      return await this.#call((ms) => reader.page(range, limit, ms));
    } finally {
      reader.close();
    }
  }

  /** The last event of the log may be EventStoreDB's own. Subscriptions reach the positions of such events too. */
  async head(): Promise<Position | undefined> {
    return (await this.#call((ms) => readLast(this.#connection, ms)))?.position;
  }

  async *subscribe(range: LogRange, signal: AbortSignal): AsyncGenerator<LogPage> {
    this.#mustBeOpen();
    mustBePosition(range.after);
    yield* subscribe(this.#subscribedLog(), range, AbortSignal.any([signal, this.#closing.signal]));
    if (!signal.aborted) this.#mustBeOpen();
  }

  /** Waits for appends in progress, at most until the deadline. Then ends everything. */
  async close(): Promise<void> {
    if (this.#closing.signal.aborted) return;
    this.#closing.abort();
    await settlesWithin(this.#turns.ended(), this.#options.deadlineMs);
    this.#connection.close();
  }

  #subscribedLog(): SubscribedLog {
    let isDown = false;
    const reader = new LogReader(this.#connection);
    return {
      pollMs: this.#options.pollMs,
      readLog: async (range, limit) => {
        const known = this.#live.page(range, limit);
        if (known !== undefined) reader.rest();
        const page = known ?? (await this.#call((ms) => reader.page(range, limit, ms)));
        if (page.atEnd) this.#live.follow(page.position);
        isDown = false;
        return page;
      },
      listen: (aggregates, ring, signal) => {
        this.#live.listen(aggregates, ring, signal);
        signal.addEventListener('abort', () => reader.close());
      },
      onFailure: (error) => {
        if (!(error instanceof StoreUnavailable) || isPermanent(error.cause)) throw error;
        if (!isDown) this.#options.onOutage(error);
        isDown = true;
      },
    };
  }

  // Reads, and retries if the connection was lost.
  async #call<T>(call: (ms: number) => Promise<T>, right: 'read $all' | 'read streams' = 'read $all'): Promise<T> {
    this.#mustBeOpen();
    const until = performance.now() + this.#options.deadlineMs;
    try {
      return await call(this.#options.deadlineMs).catch((error: unknown) => {
        if (!isLost(error)) throw error;
        return call(Math.max(1, until - performance.now()));
      });
    } catch (error) {
      throw unavailable(error, right);
    }
  }

  #mustBeOpen(): void {
    if (this.#closing.signal.aborted) throw new StoreUnavailable(STORE, 'it is closed');
  }
}

// An invalid position is not a fault of the connection.
const mustBePosition = (after: Position | undefined): void => {
  if (after !== undefined) fromPosition(after);
};
