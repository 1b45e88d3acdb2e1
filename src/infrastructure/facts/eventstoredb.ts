// The facts on EventStoreDB: a stream for each aggregate, and `$all` as the log.
import { setTimeout as pause } from 'node:timers/promises';
import { KeyedQueue, settlesWithin } from '../async.js';
import { StoreUnavailable } from '../errors.js';
import { PAGE } from '../pages.js';
import { appendWithRetries, checkAppend, timeLeft } from './eventstoredb/append.js';
import { EventStoreDbConnection } from './eventstoredb/connection.js';
import { isLost, isPermanent, STORE, unavailable } from './eventstoredb/errors.js';
import { fromPosition } from './eventstoredb/events.js';
import { readLast, readPage } from './eventstoredb/log.js';
import { type StreamRange, subscriptionRequest } from './eventstoredb/messages.js';
import type { AppendOutcome, Expected, Facts, LogPage, LogRange, NewEvent, Position, RecordedEvent } from './facts.js';
import { eventsOf } from './revisions.js';
import { type SubscribedLog, subscribe } from './subscribe.js';

export interface EventStoreDbOptions {
  /** The deadline of every call, and the time that closing may take, in milliseconds. */
  readonly deadlineMs?: number;
  /** The time after which a subscription reads the log without being woken, in milliseconds. */
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
  readonly #turns = new KeyedQueue();
  readonly #closing = new AbortController();

  /** Throws if `url` is not a connection string. */
  constructor(url: string, options: EventStoreDbOptions = {}) {
    this.#connection = new EventStoreDbConnection(url);
    this.#options = { deadlineMs: DEADLINE_MS, pollMs: POLL_MS, onOutage: () => undefined, ...options };
  }

  async append(stream: string, expected: Expected, events: readonly NewEvent[]): Promise<AppendOutcome> {
    checkAppend(stream, events);
    this.#mustBeOpen();
    const append = { stream, expected, events, until: performance.now() + this.#options.deadlineMs };
    // One after another, so that appends to a stream are applied in the order of their calls.
    return this.#turns.run(stream, () => {
      if (timeLeft(append) <= 0) throw new StoreUnavailable(STORE, 'the previous append took too long');
      return appendWithRetries(this.#connection, append);
    });
  }

  readStream(stream: string, fromRevision = 0): AsyncGenerator<RecordedEvent> {
    return eventsOf(stream, fromRevision, 1, (from = 0) =>
      this.#page(stream, { from, direction: 'forwards', count: PAGE.items }),
    );
  }

  readStreamBackwards(stream: string, fromRevision?: number, pageSize = PAGE.items): AsyncGenerator<RecordedEvent> {
    const range = { direction: 'backwards', count: Math.min(pageSize, PAGE.items) } as const;
    return eventsOf(stream, fromRevision, -1, (from) => this.#page(stream, { ...range, from: from ?? 'end' }));
  }

  async readLog(range: LogRange, limit: number): Promise<LogPage> {
    // An invalid position is not a fault of the connection.
    if (range.after !== undefined) fromPosition(range.after);
    return this.#call((ms) => readPage(this.#connection, range, limit, ms));
  }

  /** The last event of the log may be EventStoreDB's own. Subscriptions reach the positions of such events too. */
  async head(): Promise<Position | undefined> {
    return (await this.#call((ms) => readLast(this.#connection, ms)))?.position;
  }

  async *subscribe(range: LogRange, signal: AbortSignal): AsyncGenerator<LogPage> {
    this.#mustBeOpen();
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
    return {
      pollMs: this.#options.pollMs,
      readLog: async (range, limit) => {
        const page = await this.readLog(range, limit);
        isDown = false;
        return page;
      },
      listen: (aggregates, ring, signal) => void this.#listen(subscriptionRequest(aggregates), ring, signal),
      onFailure: (error) => {
        if (!(error instanceof StoreUnavailable) || isPermanent(error.cause)) throw error;
        if (!isDown) this.#options.onOutage(error);
        isDown = true;
      },
    };
  }

  // The subscription on the server only wakes the reader, so nothing is lost if the server drops it.
  async #listen(request: Buffer, ring: () => void, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const again = performance.now() + this.#options.pollMs;
      await this.#connection.listen(request, ring, signal);
      await pause(Math.max(0, again - performance.now()), undefined, { ref: false });
    }
  }

  async #page(stream: string, range: StreamRange) {
    const { events, isWhole } = await this.#call((ms) => this.#connection.readStream(stream, range, ms));
    return { events, complete: isWhole && events.length < range.count };
  }

  // Reads, and retries if the connection was lost.
  async #call<T>(call: (ms: number) => Promise<T>): Promise<T> {
    this.#mustBeOpen();
    const until = performance.now() + this.#options.deadlineMs;
    try {
      return await call(this.#options.deadlineMs).catch((error: unknown) => {
        if (!isLost(error)) throw error;
        return call(Math.max(1, until - performance.now()));
      });
    } catch (error) {
      throw unavailable(error);
    }
  }

  #mustBeOpen(): void {
    if (this.#closing.signal.aborted) throw new StoreUnavailable(STORE, 'it is closed');
  }
}
