// The facts on EventStoreDB: a stream for each aggregate, and `$all` as the log.
import { StoreUnavailable } from '../errors.js';
import { type Append, appendSurely, check, MAX_APPEND_BYTES, timeLeft } from './eventstoredb-append.js';
import { EventStoreDbConnection, type FeedRange, type StreamRange } from './eventstoredb-client.js';
import { isLost, STORE, unavailable } from './eventstoredb-errors.js';
import { fromPosition } from './eventstoredb-events.js';
import { readPage } from './eventstoredb-page.js';
import { LogFollower, type Patience } from './eventstoredb-subscription.js';
import { CallTimeout, withDeadline } from './eventstoredb-waiting.js';
import type { AppendOutcome, Expected, Facts, LogPage, LogRange, NewEvent, Position, RecordedEvent } from './facts.js';

/** How patient the engine is, in milliseconds, and who hears of its troubles. */
export interface EventStoreDbOptions extends Partial<Patience> {
  /** After how long every call is answered, and how long closing may take. */
  readonly deadlineMs?: number;
  /** Hears why a subscription was dropped; it resumes by itself. */
  readonly onDrop?: (reason: Error) => void;
}

// Longer than the 3 s for which a server leaves the duplicate of an append that is under way without an answer.
const DEADLINE_MS = 5_000;
const PATIENCE: Patience = { silenceMs: 5_000, pauseMs: 50, longestPauseMs: 5_000 };
const DISPOSE_MS = 2_000;
// How many events are read from a stream in one call.
const STREAM_PAGE = 128;

/**
 * The facts in the EventStoreDB that `url` names (`esdb://…`); it need not be up yet. One instance for a process. An
 * event that another program wrote to one of our streams is handed over as it is, with what its metadata lack filled in.
 */
export class EventStoreDbFacts implements Facts {
  readonly maxAppendBytes = MAX_APPEND_BYTES;
  readonly #connection: EventStoreDbConnection;
  readonly #deadlineMs: number;
  readonly #patience: Patience;
  readonly #onDrop: (reason: Error) => void;
  readonly #turns = new Map<string, Promise<unknown>>();
  readonly #closing = new AbortController();

  /** Throws where `url` is no connection string. */
  constructor(url: string, { deadlineMs = DEADLINE_MS, onDrop, ...patience }: EventStoreDbOptions = {}) {
    this.#connection = new EventStoreDbConnection(url);
    this.#deadlineMs = deadlineMs;
    this.#patience = { ...PATIENCE, ...patience };
    this.#onDrop = onDrop ?? (() => undefined);
  }

  async append(stream: string, expected: Expected, events: readonly NewEvent[]): Promise<AppendOutcome> {
    check(stream, events);
    this.#mustBeOpen();
    return this.#inTurn({ stream, expected, events, until: Date.now() + this.#deadlineMs });
  }

  async *readStream(stream: string, fromRevision = 0): AsyncGenerator<RecordedEvent> {
    for (let from = fromRevision; ; ) {
      const events = await this.#read(stream, { from, direction: 'forwards', count: STREAM_PAGE });
      yield* events;
      const last = events.at(-1);
      if (last === undefined || events.length < STREAM_PAGE) return;
      from = last.revision + 1;
    }
  }

  async *readStreamBackwards(stream: string): AsyncGenerator<RecordedEvent> {
    for (let from: StreamRange['from'] = 'end'; ; ) {
      const events = await this.#read(stream, { from, direction: 'backwards', count: STREAM_PAGE });
      yield* events;
      const last = events.at(-1);
      if (last === undefined || last.revision === 0 || events.length < STREAM_PAGE) return;
      from = last.revision - 1;
    }
  }

  async readLog(range: LogRange, limit: number): Promise<LogPage> {
    checkPosition(range);
    return this.#call((ms) => readPage(this.#source(ms), range, { events: limit, ms }));
  }

  /** The last event of the log may be EventStoreDB's own: live subscriptions reach the positions of those too. */
  async head(): Promise<Position | undefined> {
    return this.#call((ms) => this.#connection.head(ms));
  }

  async *subscribe(range: LogRange, signal: AbortSignal): AsyncGenerator<LogPage> {
    this.#mustBeOpen();
    checkPosition(range);
    const either = AbortSignal.any([signal, this.#closing.signal]);
    yield* new LogFollower(this.#source(this.#deadlineMs), range, either, this.#patience).pages();
    if (!signal.aborted) this.#mustBeOpen();
  }

  /** Appends under way may end first; then, or after the deadline, everything is ended. */
  async close(): Promise<void> {
    if (this.#closing.signal.aborted) return;
    this.#closing.abort();
    const underWay = Promise.allSettled(this.#turns.values());
    await withDeadline(underWay, this.#deadlineMs).catch((error: unknown) => {
      if (!(error instanceof CallTimeout)) throw error;
    });
    await this.#connection.close(DISPOSE_MS);
  }

  // Appends to a stream are tried one after the other, so that they are applied in the order of their calls.
  #inTurn(append: Append): Promise<AppendOutcome> {
    const { stream } = append;
    const task = () => {
      if (timeLeft(append) <= 0) throw new StoreUnavailable(STORE, 'the append before this one took too long');
      return appendSurely(this.#connection, append);
    };
    const mine = (this.#turns.get(stream) ?? Promise.resolve()).then(task, task);
    this.#turns.set(stream, mine);
    const leave = () => void (this.#turns.get(stream) === mine && this.#turns.delete(stream));
    mine.then(leave, leave);
    return mine;
  }

  #read(stream: string, range: StreamRange): Promise<RecordedEvent[]> {
    return this.#call((ms) => this.#connection.readStream(stream, range, ms));
  }

  // Reads, which are tried once more where the connection was lost.
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
      head: () => this.#connection.head(ms),
      open: (range: FeedRange, onArrival: () => void) => this.#connection.subscribe(range, onArrival),
      onDrop: (reason: unknown) => this.#onDrop(reason instanceof Error ? reason : new Error(String(reason))),
    };
  }

  #mustBeOpen(): void {
    if (this.#closing.signal.aborted) throw new StoreUnavailable(STORE, 'it is closed');
  }
}

// A position that is none is no trouble of the connection, which could be healed.
const checkPosition = ({ after }: LogRange): void => {
  if (after !== undefined) fromPosition(after);
};
