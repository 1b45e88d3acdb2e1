// What is committed from now on reaches all readers of the process through one subscription, which is drained at once into
// a bounded memory. A server drops a subscription that is not drained, or in a burst. Nothing is lost then: a reader that
// the memory does not serve reads pages of the log.
import { firstPage, PAGE } from '../../pages.js';
import { aggregateOf } from '../../stream-name.js';
import { Bells } from '../bells.js';
import type { LogPage, LogRange, Position, RecordedEvent } from '../facts.js';
import { reaches } from './events.js';
import { type LogCall, type LogConnection, LogReader, openCall } from './log.js';

// The most that the memory holds: a few seconds of writes.
const EVENTS = 4_096;
const BYTES = 8_388_608;
// The server sends events one by one. A reader that took each alone would commit each alone.
const RING_MS = 10;

interface Remembered {
  readonly event: RecordedEvent;
  readonly bytes: number;
}

/** The memory: all events of some aggregates in a part of the log. */
class Recent {
  readonly #aggregates: readonly string[];
  readonly #remembered: Remembered[] = [];
  #bytes = 0;
  #after: Position;
  #position: Position | undefined;

  constructor({ aggregates, after }: LogRange) {
    this.#aggregates = aggregates;
    this.#after = after ?? '';
    this.#position = after;
  }

  /** The part of the log behind the memory. */
  get rest(): LogRange {
    return { aggregates: this.#aggregates, after: this.#position };
  }

  get isEmpty(): boolean {
    return this.#remembered.length === 0;
  }

  add({ events, position, bytes = 0 }: LogPage): void {
    for (const event of events) this.#remembered.push({ event, bytes: bytes / events.length });
    if (events.length > 0) this.#bytes += bytes;
    if (!reaches(this.#position, position)) this.#position = position;
    while (this.#remembered.length > EVENTS || this.#bytes > BYTES) this.#forget();
  }

  #forget(): void {
    const oldest = this.#remembered.shift();
    this.#bytes -= oldest?.bytes ?? this.#bytes;
    this.#after = oldest?.event.position ?? this.#after;
  }

  /** Returns the page after `range.after`; undefined if the memory does not cover it, or knows nothing up to `head`. */
  page({ aggregates, after }: LogRange, limit: number, head: Position | undefined): LogPage | undefined {
    const from = after ?? '';
    if (from < this.#after || !isWithin(aggregates, this.#aggregates)) return undefined;
    const first = this.#remembered.findLastIndex(({ event }) => event.position <= from) + 1;
    const rest = this.#remembered.slice(first);
    const found = rest.filter(({ event }) => aggregates.includes(aggregateOf(event.stream)));
    const { page, bytes, complete } = firstPage(found, (remembered) => remembered.bytes, limit);
    // The reader may be ahead.
    const end = reaches(after, this.#position) ? after : this.#position;
    const position = complete ? end : page.at(-1)?.event.position;
    const isUseless = position === after && !reaches(after, head);
    const atEnd = complete && reaches(position, head);
    return isUseless ? undefined : { events: page.map(({ event }) => event), position, bytes, atEnd };
  }
}

const isWithin = (some: readonly string[], all: readonly string[]): boolean => some.every((each) => all.includes(each));

interface LiveOptions {
  /** What is followed at least. */
  readonly aggregates: readonly string[];
  /** The time after which the log is read if the server sends nothing, in milliseconds. */
  readonly pollMs: number;
  readonly deadlineMs: number;
}

export class LiveLog {
  readonly #connection: LogConnection;
  readonly #options: LiveOptions;
  readonly #bells = new Bells({ pauseMs: RING_MS });
  #following: { readonly aggregates: readonly string[]; readonly end: AbortController } | undefined;
  #recent: Recent | undefined;
  #notBefore = 0;

  constructor(connection: LogConnection, options: LiveOptions) {
    this.#connection = connection;
    this.#options = options;
  }

  /** Calls `ring` until `signal` aborts, when there are events of these aggregates, or when the memory is lost. */
  listen(aggregates: readonly string[], ring: () => void, signal: AbortSignal): void {
    this.#bells.add(aggregates, ring, signal);
    if (this.#following !== undefined && !isWithin(aggregates, this.#following.aggregates)) this.#stop();
    signal.addEventListener('abort', () => {
      if (this.#bells.aggregates.length === 0) this.#stop();
    });
  }

  /**
   * Returns the page after `range.after` if the memory has it. If `head` is given, only a page that reaches this position
   * is at the end of the log.
   */
  page(range: LogRange, limit: number, head?: Position): LogPage | undefined {
    return this.#recent?.page(range, limit, head);
  }

  /** Follows the log after a position, at which a reader has reached its end, unless it is already followed. */
  follow(after: Position | undefined): void {
    const began = performance.now();
    if (this.#following !== undefined || began < this.#notBefore) return;
    const listening = this.#bells.aggregates;
    if (listening.length === 0) return;
    const aggregates = [...new Set([...this.#options.aggregates, ...listening])];
    const following = { aggregates, end: new AbortController() };
    const ended = () => {
      if (this.#following !== following) return;
      // A server that accepts a subscription and drops it at once is not asked again and again.
      this.#notBefore = this.#recent === undefined || this.#recent.isEmpty ? began + this.#options.pollMs : 0;
      this.#stop();
    };
    this.#following = following;
    // The readers report the error, because they read pages now.
    this.#follow({ aggregates, after }, following.end.signal).then(ended, ended);
  }

  async #follow(range: LogRange, signal: AbortSignal): Promise<void> {
    const call = await openCall(this.#connection, { range, head: range.after }, this.#options.deadlineMs);
    const reader = new LogReader(this.#connection);
    const close = () => {
      call.close();
      reader.close();
    };
    signal.addEventListener('abort', close);
    try {
      if (signal.aborted) return;
      this.#recent = new Recent(range);
      await this.#drain(call, reader, this.#recent);
    } finally {
      close();
    }
  }

  // Ends if a read finds what the subscription should have sent.
  async #drain(call: LogCall, reader: LogReader, recent: Recent): Promise<void> {
    const { pollMs, deadlineMs } = this.#options;
    for (;;) {
      const sent = await call.page(1, pollMs);
      // The server does not report each event of others, and a broken connection may be silent.
      const page = sent ?? (await reader.page(recent.rest, PAGE.items, deadlineMs));
      reader.rest();
      if (sent === undefined && page.events.length > 0) return;
      recent.add(page);
      for (const { stream } of page.events) this.#bells.appended(stream);
    }
  }

  #stop(): void {
    this.#following?.end.abort();
    this.#following = undefined;
    this.#recent = undefined;
    this.#bells.ringAll();
  }
}
