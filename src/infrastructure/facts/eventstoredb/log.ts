// Reads pages of the log. Forwards, a page is a part of a filtered subscription: the server reports how far it came, so
// that no work of it is lost, and when everything is read.
import { DeadlinePassed, withDeadline } from '../../async.js';
import { PAGE } from '../../pages.js';
import { aggregateOf } from '../../stream-name.js';
import type { LogPage, LogRange, Position, RecordedEvent } from '../facts.js';
import { DOUBT_MS, type EventStoreDbConnection, type Subscription } from './connection.js';
import { isTimeout } from './errors.js';
import { reaches } from './events.js';
import { type LogMessage, logRequest, subscriptionRequest } from './messages.js';

export type LogConnection = Pick<EventStoreDbConnection, 'read' | 'subscribe'>;

// A page that has advanced by then ends.
const COLLECTING_MS = 900;
// How many windows the server examines between two reports, and which part of the time it has for the first. Each report
// costs the server as much as some hundred events. A slow server may not pass two windows in time. The second try
// repeats at most these two.
const REPORTS = [
  { windowsPerReport: 2, share: 0.5 },
  { windowsPerReport: 1, share: 1 },
] as const;

/** Returns the last event of the log, even if the event is EventStoreDB's own. */
export const readLast = async (connection: LogConnection, ms: number): Promise<RecordedEvent | undefined> =>
  (await connection.read(logRequest(undefined, 1), ms)).events.at(0);

interface CallStart {
  readonly range: LogRange;
  /** A position that the server has committed: the call has passed it when the server reports that it caught up. */
  readonly head: Position | undefined;
  readonly windowsPerReport?: number;
}

export const openCall = async (connection: LogConnection, start: CallStart, ms: number): Promise<LogCall> => {
  const { range, head, windowsPerReport = REPORTS[0].windowsPerReport } = start;
  return new LogCall(await connection.subscribe(subscriptionRequest(range, windowsPerReport), ms), range.after, head);
};

/** A page that is being collected. If it is over, a later page takes what arrives. */
interface Collected {
  readonly events: RecordedEvent[];
  bytes: number;
  atEnd: boolean;
  isOver: boolean;
}

/** A subscription that is read page by page. While nobody reads a page of it, the server has to wait. */
export class LogCall {
  readonly #subscription: Subscription;
  readonly #head: Position | undefined;
  #position: Position | undefined;
  #next: Promise<LogMessage> | undefined;
  #hasEnded = false;

  constructor(subscription: Subscription, after: Position | undefined, head: Position | undefined) {
    this.#subscription = subscription;
    this.#position = after;
    this.#head = head;
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /**
   * Returns what arrives within `ms` milliseconds, up to a full page or the end of the log; undefined if the call does not
   * advance. Rejects if it has ended before.
   */
  async page(limit: number, ms: number): Promise<LogPage | undefined> {
    const after = this.#position;
    const page: Collected = { events: [], bytes: 0, atEnd: false, isOver: false };
    try {
      await withDeadline(this.#collect(page, limit), ms);
    } catch (error) {
      const hasAdvanced = this.#position !== after;
      if (error instanceof DeadlinePassed && !hasAdvanced) return undefined;
      if (!hasAdvanced) throw error;
      this.#hasEnded = !(error instanceof DeadlinePassed);
    } finally {
      page.isOver = true;
    }
    const { events, bytes, atEnd } = page;
    return { events, position: this.#position, bytes, atEnd };
  }

  close(): void {
    this.#subscription.end();
  }

  async #collect(page: Collected, limit: number): Promise<void> {
    while (!page.atEnd && page.events.length < limit && page.bytes < PAGE.bytes) {
      this.#next ??= this.#subscription.next();
      const message = await this.#next;
      if (page.isOver) return;
      this.#next = undefined;
      this.#take(page, message);
    }
  }

  #take(page: Collected, { event, position, isCaughtUp, bytes }: LogMessage): void {
    // The report that everything is read has no position. The server has passed the head, which was read before the call.
    this.#reach(isCaughtUp ? this.#head : position);
    page.atEnd = isCaughtUp;
    if (event === undefined) return;
    page.bytes += bytes;
    if (isFact(event)) page.events.push(event);
  }

  // KurrentDB may report the position 0.
  #reach(position: Position | undefined): void {
    if (!reaches(this.#position, position)) this.#position = position;
  }
}

/** Returns what is known of a range without a call, up to `head` or a part of it. */
type Known = (range: LogRange, limit: number, head: Position | undefined) => LogPage | undefined;

/** Reads the log forwards page by page, in one call for as long as the call lasts. */
export class LogReader {
  readonly #connection: LogConnection;
  readonly #known: Known;
  #call: LogCall | undefined;
  #head: Position | undefined;
  #isClosed = false;

  constructor(connection: LogConnection, known: Known = () => undefined) {
    this.#connection = connection;
    this.#known = known;
  }

  /** Returns the page after `range.after`, which is the position of the previous page. */
  async page(range: LogRange, limit: number, ms: number): Promise<LogPage> {
    try {
      const page = await this.#page(range, limit, ms);
      if (page.atEnd || this.#isClosed || this.#call?.hasEnded) this.rest();
      return page;
    } catch (error) {
      this.rest();
      throw error;
    }
  }

  /** Ends the call. The next page begins another, and may be anywhere in the log. */
  rest(): void {
    this.#call?.close();
    this.#call = undefined;
  }

  close(): void {
    this.#isClosed = true;
    this.rest();
  }

  async #page(range: LogRange, limit: number, ms: number): Promise<LogPage> {
    const until = performance.now() + ms;
    const left = () => Math.max(1, until - performance.now());
    const known = this.#call === undefined ? await this.#withoutCall(range, limit, left()) : undefined;
    if (known !== undefined) return known;
    for (const { windowsPerReport, share } of REPORTS) {
      this.#call ??= await openCall(this.#connection, { range, head: this.#head, windowsPerReport }, left());
      const patience = left() * share;
      const first = Math.min(COLLECTING_MS, patience / 2);
      const page = (await this.#call.page(limit, first)) ?? (await this.#call.page(limit, patience - first));
      if (page !== undefined) return page;
      this.rest();
    }
    const advice = 'the server is too slow, or EventStoreDB 23.10 or later is needed';
    throw new Error(`neither an event nor a report of progress within ${ms} ms: ${advice}`);
  }

  // The head is read first: whatever is committed after it is behind it.
  async #withoutCall(range: LogRange, limit: number, ms: number): Promise<LogPage | undefined> {
    this.#head = (await readLast(this.#connection, ms))?.position;
    if (reaches(range.after, this.#head)) return { events: [], position: range.after, atEnd: true };
    return this.#known(range, limit, this.#head);
  }
}

// How long a filtered read may take. It casts no doubt on the connection, because its silence is no fault.
const FILTERED_MS = DOUBT_MS - 100;
// How many events a read without a filter examines.
const UNFILTERED_EVENTS = 512;

/** A read backwards. Without aggregates, the server does not filter. */
interface BackwardsRead {
  readonly count: number;
  readonly aggregates?: readonly string[];
  readonly ms: number;
}

/**
 * Returns the page before `range.after`. A filtered read does not report how far it came. If it finds none of our events in
 * time, a read without a filter returns a page, which always advances.
 */
export const readBackwards = async (
  connection: LogConnection,
  range: LogRange,
  limit: number,
  ms: number,
): Promise<LogPage> => {
  const { aggregates, after } = range;
  const read = async ({ count, aggregates: filter, ms }: BackwardsRead): Promise<LogPage> => {
    const { events: found, isWhole } = await connection.read(logRequest(after, count, filter), ms);
    const ours = found.filter((event) => isFact(event) && aggregates.includes(aggregateOf(event.stream)));
    const isFull = ours.length >= limit;
    const events = ours.slice(0, limit);
    const position = (isFull ? events : found).at(-1)?.position ?? after;
    return { events, position, atEnd: isWhole && !isFull && found.length < count };
  };
  const filteredMs = Math.min(FILTERED_MS, ms / 2);
  return read({ count: limit, aggregates, ms: filteredMs }).catch((error: unknown) => {
    if (!isTimeout(error)) throw error;
    return read({ count: UNFILTERED_EVENTS, ms: ms - filteredMs });
  });
};

// EventStoreDB itself may write into a stream of ours, for example a tombstone or a link. Such an event is no fact.
const isFact = ({ type }: RecordedEvent): boolean => !type.startsWith('$');
