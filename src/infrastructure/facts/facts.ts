// The port of the facts: an append-only log of streams. What is promised here holds for every engine, and no more:
// no transaction spans two streams, positions are ordered but not gapless, a live subscription may lag and resume.
import { EventTooNew } from '../errors.js';

/**
 * A place in the log: opaque, and ordered by plain string comparison (every engine pads to a fixed width).
 * A later commit has a greater position.
 */
export type Position = string;

/** What came with an event beside its payload. No personal data but the address. */
export interface EventMetadata {
  /** ISO 8601 instant at which the event was recorded; within a stream it never goes back. */
  readonly at: string;
  readonly actor: { readonly id: string; readonly roles: readonly string[] };
  /** The `origin` header of the request, where one was sent. */
  readonly origin?: string;
  /** The session in which the actor decided; recorded with decisions about profiles. */
  readonly sessionId?: string;
  /** The address that such a decision came from; null once the actor was erased. */
  readonly address?: string | null;
  /** The address as the log holds it: sealed under the key of the actor (sealing/address.ts). */
  readonly sealedAddress?: string;
  /** The trace that the command belongs to, 32 hex digits (W3C Trace Context). */
  readonly correlationId: string;
  /** What caused it: the id of the request. */
  readonly causationId: string;
  /** The version of the payload's schema. */
  readonly schemaVersion: number;
}

/** An event to append. `id` is a UUID made once for a command, so that a retry is the same append. */
export interface NewEvent {
  readonly id: string;
  readonly type: string;
  readonly data: unknown;
  readonly metadata: EventMetadata;
}

/**
 * What keeps readers from an event as it was recorded. `unreadable`: its personal fields do not open although the key
 * of the person exists, or nobody sealed them; they read as null. `too-new`: it has a version that this program does not
 * know, named in `what`.
 */
export type Flaw = { readonly kind: 'unreadable' } | { readonly kind: 'too-new'; readonly what: string };

/** An event as the log holds it. Revisions count from 0 in each stream. */
export interface RecordedEvent extends NewEvent {
  readonly stream: string;
  readonly revision: number;
  readonly position: Position;
  /** The salted digests of its personal values by JSON pointer, if the log has some (sealing/disclosure.ts). */
  readonly digests?: Readonly<Record<string, unknown>>;
  /** Absent if nothing is wrong with the event. */
  readonly flaw?: Flaw;
}

/** Returns an event that may be interpreted. Throws `EventTooNew` if its version is unknown. */
export const interpretable = (event: RecordedEvent): RecordedEvent => {
  if (event.flaw?.kind === 'too-new') throw new EventTooNew(event, event.flaw.what);
  return event;
};

/** What the stream must be at: its last revision, or that it does not exist. */
export type Expected = number | 'no-stream';

/** Written (also when the same append had been written before), or refused because the stream is elsewhere. */
export type AppendOutcome =
  | { readonly outcome: 'written'; readonly revision: number; readonly position: Position }
  | { readonly outcome: 'conflict' };

/** A stretch of the log. `position` is how far the log was examined, which may be beyond the last event handed over. */
export interface LogPage {
  readonly events: readonly RecordedEvent[];
  readonly position: Position | undefined;
  /** Whether the end of the log, as it was then, is reached. */
  readonly atEnd: boolean;
  /** The length of the payloads as they are stored, if the engine has seen it. */
  readonly bytes?: number;
}

/** Which part of the log: events of streams of these aggregates, after a position (undefined: from the first). */
export interface LogRange {
  readonly aggregates: readonly string[];
  readonly after: Position | undefined;
}

/** Which part of the log, read backwards: events before a position (undefined: from the last). */
export interface LogRangeBackwards {
  readonly aggregates: readonly string[];
  readonly before: Position | undefined;
}

/** A stream whose metadata make the engine hide or remove events. */
export interface Truncation {
  readonly stream: string;
  /** The metadata of the stream, as JSON. */
  readonly metadata: string;
}

/**
 * Names what reads the log in another thread: a module that exports `openLog(file)`, and the file. The function returns a
 * `ThreadLog`.
 */
export interface ThreadReader {
  readonly module: string;
  readonly file: string;
}

/** The log as a thread reads it. */
export type ThreadLog = Pick<Facts, 'readLog'>;

// One page of a log that is read whole takes a few milliseconds, and little memory.
const READ_AT_ONCE = 500;

/** Reads the log from `range.after` to its present end, page by page. */
export async function* logPages(facts: Facts, { aggregates, after }: LogRange): AsyncGenerator<LogPage> {
  for (let from = after, atEnd = false; !atEnd; ) {
    const page = await facts.readLog({ aggregates, after: from }, READ_AT_ONCE);
    yield page;
    from = page.position;
    atEnd = page.atEnd;
  }
}

/** Reads the log from before `range.before` back to its first event, page by page. */
export async function* logPagesBackwards(
  facts: Facts,
  { aggregates, before }: LogRangeBackwards,
): AsyncGenerator<LogPage> {
  for (let from = before, atEnd = false; !atEnd; ) {
    const page = await facts.readLogBackwards({ aggregates, before: from }, READ_AT_ONCE);
    yield page;
    from = page.position;
    atEnd = page.atEnd;
  }
}

/** The event log. Every call rejects with `StoreUnavailable` while the engine cannot answer. */
export interface Facts {
  /** The most bytes that the payloads of one append may have together. */
  readonly maxAppendBytes: number;
  /** Absent if only this object can read the log. */
  readonly threadReader?: ThreadReader;

  /**
   * Appends all of `events` or none. Resolves after they are on stable storage. The same append again (same ids, same
   * `expected`) writes nothing and gives the first outcome. Rejects with `AppendTooLarge` before anything is tried.
   */
  append(stream: string, expected: Expected, events: readonly NewEvent[]): Promise<AppendOutcome>;

  /**
   * The events of a stream from `fromRevision` on, in order; nothing for a stream that does not exist. Rejects with
   * `StreamTruncated` if an event is missing.
   */
  readStream(stream: string, fromRevision?: number): AsyncIterable<RecordedEvent>;

  /** The events of a stream from its last back to its first. Rejects with `StreamTruncated` if an event is missing. */
  readStreamBackwards(stream: string): AsyncIterable<RecordedEvent>;

  /** At most `limit` events of the log in order of position. */
  readLog(range: LogRange, limit: number): Promise<LogPage>;

  /**
   * At most `limit` events of the log before a position, the last of them first. `position` of the page is how far back
   * the log was examined; `atEnd` says that its first event is reached.
   */
  readLogBackwards(range: LogRangeBackwards, limit: number): Promise<LogPage>;

  /** Returns the position of the last event of the log; undefined if the log is empty. */
  head(): Promise<Position | undefined>;

  /**
   * The log from `range.after` on and then what is committed, by any process, until `signal` aborts; each page after
   * the one before it was consumed. The first page comes at once, also where it is empty; after it, one whenever the
   * position advances, also without events, and one that is `atEnd` behind pages that were not. An engine heals a
   * dropped connection itself: no event twice, none skipped.
   */
  subscribe(range: LogRange, signal: AbortSignal): AsyncIterable<LogPage>;

  /**
   * Returns the streams of these aggregates whose metadata make the engine hide or remove events, now or later: by age, by
   * number or below a revision.
   */
  truncations(aggregates: readonly string[]): Promise<readonly Truncation[]>;

  close(): Promise<void>;
}
