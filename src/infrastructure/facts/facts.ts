// The port of the facts: an append-only log of streams. Every engine gives the guarantees stated here, and no others:
// no transaction spans two streams, positions are ordered but not gapless, a live subscription may lag and resume.
import { EventTooNew } from '../errors.js';
import { PAGE, pagesOf } from '../pages.js';

/**
 * A position in the log. It is opaque, and ordered by plain string comparison (every engine pads it to a fixed width).
 * A later commit has a greater position.
 */
export type Position = string;

/** The metadata of an event. The address is the only personal data in it. */
export interface EventMetadata {
  /** The time at which the event was recorded (ISO 8601). It never goes back within a stream. */
  readonly at: string;
  /** The time of the process's clock, if it was more than a minute behind `at`. */
  readonly clock?: string;
  readonly actor: { readonly id: string; readonly roles: readonly string[] };
  readonly origin?: string;
  /** The session in which the actor decided. It is recorded with decisions about profiles. */
  readonly sessionId?: string;
  /** The address from which such a decision came; null once the actor was erased. */
  readonly address?: string | null;
  /** The address as the log holds it, sealed with the key of the actor (persons/address.ts). */
  readonly sealedAddress?: string;
  /** The trace that the command belongs to, 32 hex digits (W3C Trace Context). */
  readonly correlationId: string;
  readonly causationId: string;
  readonly schemaVersion: number;
}

/** The member of a payload that holds its sealed personal values (persons/payload.ts). It is the last member. */
export const SEALED = 'sealed';

/** An event to append. `id` is a UUID that is created once for a command, so that a retry is the same append. */
export interface NewEvent {
  readonly id: string;
  readonly type: string;
  readonly data: unknown;
  readonly metadata: EventMetadata;
}

/**
 * What prevents readers from using an event as it was recorded. `unreadable`: its personal fields cannot be opened
 * although the key of the person exists, or they were never sealed; they read as null. `too-new`: it has a version,
 * named in `what`, that this program does not know.
 */
export type Flaw = { readonly kind: 'unreadable' } | { readonly kind: 'too-new'; readonly what: string };

/** An event as the log holds it. Revisions count from 0 in each stream. */
export interface RecordedEvent extends NewEvent {
  readonly stream: string;
  readonly revision: number;
  readonly position: Position;
  /** The salted digests of the personal values by JSON pointer, if the log has them (persons/disclosure.ts). */
  readonly digests?: Readonly<Record<string, unknown>>;
  readonly flaw?: Flaw;
}

/** Returns the event if it may be interpreted. Throws `EventTooNew` if its version is unknown. */
export const interpretable = (event: RecordedEvent): RecordedEvent => {
  if (event.flaw?.kind === 'too-new') throw new EventTooNew(event, event.flaw.what);
  return event;
};

/** What the stream must be at: its last revision, or that it does not exist. */
export type Expected = number | 'no-stream';

export interface Append {
  readonly stream: string;
  readonly expected: Expected;
  readonly events: readonly NewEvent[];
}

/** The result of an append: written, now or by the same append before, or rejected because of the stream's revision. */
export type AppendOutcome =
  | { readonly outcome: 'written'; readonly revision: number; readonly position: Position }
  | { readonly outcome: 'conflict' };

/** A page of the log. `position` is how far the log was examined, which may be beyond the last event of the page. */
export interface LogPage {
  readonly events: readonly RecordedEvent[];
  readonly position: Position | undefined;
  /** Whether the page reaches the end of the log as it was then, or the first event of a log read backwards. */
  readonly atEnd: boolean;
  /** The length of the payloads as they are stored, if the engine knows it. */
  readonly bytes?: number;
}

/** A part of the log: events in streams of these aggregates. */
export interface LogRange {
  readonly aggregates: readonly string[];
  /** The position after which the read starts; undefined: from the first event, or backwards from the last. */
  readonly after: Position | undefined;
  /** Backwards, the read returns the events before `after`, the last of them first. Default: forwards. */
  readonly direction?: 'forwards' | 'backwards';
}

/** A part of a stream, with the revisions `from` and `to`. Both ends are open by default. */
export interface StreamRange {
  /** The revision that the read begins with; backwards the greatest one. */
  readonly from?: number | undefined;
  /** The revision that the read ends with; backwards the least one. */
  readonly to?: number | undefined;
  /** The maximum number of events. The engine reads no more. */
  readonly limit?: number;
  readonly backwards?: boolean;
}

/** Reads a range of the log to the present end of the log, or backwards to its first event, page by page. */
export const logPages = (facts: Pick<Facts, 'readLog'>, range: LogRange, signal?: AbortSignal) =>
  pagesOf(
    (after) => facts.readLog({ ...range, after }, PAGE.items),
    ({ atEnd, position }) => (atEnd ? undefined : position),
    { from: range.after, signal },
  );

/** Returns the first event of a read; undefined if there is none. */
export const firstOf = async (events: AsyncIterable<RecordedEvent>): Promise<RecordedEvent | undefined> => {
  for await (const event of events) return event;
  return undefined;
};

/** Yields the events up to a position, page by page. Ignores later events, so that every read finds the same. */
export async function* eventsUntil(
  facts: Pick<Facts, 'readLog'>,
  range: LogRange,
  end: Position,
  signal?: AbortSignal,
): AsyncGenerator<readonly RecordedEvent[]> {
  for await (const { events, position } of logPages(facts, range, signal)) {
    yield events.filter((event) => event.position <= end);
    if ((position ?? '') >= end) return;
  }
}

/** The event log. Every call rejects with `StoreUnavailable` while the engine is unavailable. */
export interface Facts {
  /**
   * Appends all of `events` or none. Resolves after they are on stable storage. The same append again (same ids, same
   * `expected`) writes nothing and returns the first outcome. Rejects with `AppendTooLarge` before it tries anything.
   */
  append(stream: string, expected: Expected, events: readonly NewEvent[]): Promise<AppendOutcome>;

  /** Returns the events of a range, in order or backwards; none if there is no stream. Rejects with `StreamTruncated`. */
  readStream(stream: string, range?: StreamRange): AsyncIterable<RecordedEvent>;

  /** Returns at most `limit` events of the log, in order of position or backwards. */
  readLog(range: LogRange, limit: number): Promise<LogPage>;

  /** Returns the position of the last event of the log; undefined if the log is empty. */
  head(): Promise<Position | undefined>;

  /**
   * Yields the log from `range.after`, and then what any process commits, until `signal` aborts. Yields each page after
   * the consumer has finished the previous one. The first page comes immediately, even if it is empty. After it, a page
   * comes whenever the position advances, even without events, and a page with `atEnd` follows pages without it. If a
   * connection drops, the engine resumes automatically: it repeats no event and skips none.
   */
  subscribe(range: LogRange, signal: AbortSignal): AsyncIterable<LogPage>;

  close(): Promise<void>;
}
