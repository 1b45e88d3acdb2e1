// The one module that uses EventStoreDB's client, narrowed to what the facts need. Every call ends: with its answer, an
// error, or at its deadline.
import {
  type AppendExpectedRevision,
  BACKWARDS,
  END,
  EventStoreDBClient,
  type FORWARDS,
  jsonEvent,
  NO_STREAM,
  type ReadRevision,
  START,
  type StreamingRead,
  streamNameFilter,
} from '@eventstore/db-client';
import { isMissing } from './eventstoredb-errors.js';
import { fromPosition, type ReceivedEvent, toPosition, toRecorded } from './eventstoredb-events.js';
import { Feed } from './eventstoredb-feed.js';
import { CallTimeout, withDeadline } from './eventstoredb-waiting.js';
import type { Expected, NewEvent, Position, RecordedEvent } from './facts.js';

/** What was written: the last revision, and the position where the server says it. */
export interface Written {
  readonly revision: number;
  readonly position: Position | undefined;
}

/** A stretch of a stream, from a revision on (itself included), in one direction. */
export interface StreamRange {
  readonly from: number | 'end';
  readonly direction: typeof FORWARDS | typeof BACKWARDS;
  readonly count: number;
}

/** Which part of the log to subscribe to. */
export interface FeedRange {
  readonly aggregates: readonly string[];
  readonly after: Position | undefined;
  /** After how many examined events, matching or not, it is told how far the log was examined. */
  readonly window: number;
}

// How long the deadline that the client and the server know may be late before this side's own ends the call.
const GRACE_MS = 250;
// How many events a subscription buffers on this side before the server has to wait.
const BUFFERED_EVENTS = 64;

/** A connection to one EventStoreDB: node or cluster. */
export class EventStoreDbConnection {
  readonly #client: EventStoreDBClient;

  /** Connects when it is first used. Throws where `url` is no connection string. */
  constructor(url: string) {
    this.#client = EventStoreDBClient.connectionString(url);
    // One Append call for each append. The client's other way is one BatchAppend call for all: it hangs every later
    // append once that call is ended in good order, keeps what is pending in a table of the process, in which an answer
    // that comes late ends the process, and asks for the server's features first, without a deadline.
    Object.assign(this.#client, { supports: async () => false });
  }

  /** Appends once; undefined where the server answers that the stream is elsewhere. */
  async append(
    stream: string,
    expected: Expected,
    events: readonly NewEvent[],
    ms: number,
  ): Promise<Written | undefined> {
    const expectedRevision: AppendExpectedRevision = expected === 'no-stream' ? NO_STREAM : BigInt(expected);
    const options = { expectedRevision, deadline: ms, requiresLeader: true };
    const call = this.#client.appendToStream(stream, events.map(toEventData), options);
    const { success, nextExpectedRevision, position } = await withDeadline(call, ms + GRACE_MS);
    if (!success) return undefined;
    return { revision: Number(nextExpectedRevision), position: position && toPosition(position) };
  }

  /** Events of a stream; none where it does not exist or was deleted. */
  async readStream(stream: string, { from, direction, count }: StreamRange, ms: number): Promise<RecordedEvent[]> {
    const fromRevision: ReadRevision = from === 'end' ? END : BigInt(from);
    const options = { fromRevision, direction, maxCount: count, requiresLeader: true };
    try {
      const events = (await collect(this.#client.readStream(stream, options), ms)).map(toRecorded);
      // A stream that is there has an event at its beginning and end, and of one that is not the server says so.
      if (events.length === 0 && (from === 0 || from === 'end')) throw new Error(`a read of ${stream} was cut short`);
      return events;
    } catch (error) {
      if (isMissing(error)) return [];
      throw error;
    }
  }

  /** The position of the last event of the log, be it EventStoreDB's own. */
  async head(ms: number): Promise<Position | undefined> {
    const options = { direction: BACKWARDS, fromPosition: END, maxCount: 1, requiresLeader: true } as const;
    const [last] = await collect(this.#client.readAll(options), ms);
    return last && toRecorded(last).position;
  }

  /** Subscribes to the log; `onArrival` is called whenever there may be something to take. */
  subscribe({ aggregates, after, window }: FeedRange, onArrival: () => void): Feed {
    const filter = streamNameFilter({
      prefixes: aggregates.map((aggregate) => `${aggregate}-`),
      maxSearchWindow: window,
      checkpointInterval: 1,
      checkpointReached: (_, position) => feed.checkpoint(position),
    });
    const from = after === undefined ? START : fromPosition(after);
    const options = { highWaterMark: BUFFERED_EVENTS };
    const feed = new Feed(this.#client.subscribeToAll({ fromPosition: from, filter }, options), onArrival);
    return feed;
  }

  /** Ends what is open, or gives up on it after `ms`: disposing of the client was seen not to return. */
  async close(ms: number): Promise<void> {
    await withDeadline(this.#client.dispose(), ms).catch((error: unknown) => {
      if (!(error instanceof CallTimeout)) throw error;
    });
  }
}

const toEventData = ({ id, type, data, metadata }: NewEvent) =>
  jsonEvent({ id, type, data: data as Record<string, unknown>, metadata });

// The client's reads have no deadline, and leaving its iterator leaves the call open.
const collect = async <E extends { readonly event?: ReceivedEvent }>(
  reading: StreamingRead<E>,
  ms: number,
): Promise<ReceivedEvent[]> => {
  const events: ReceivedEvent[] = [];
  const ended = new Promise<void>((resolve, reject) => {
    reading.on('data', ({ event }: E) => void (event && events.push(event)));
    reading.on('end', resolve);
    // The listener stays: an error that comes after the end would otherwise end the process.
    reading.on('error', reject);
  });
  try {
    await withDeadline(ended, ms);
    return events;
  } finally {
    // It waits for the connection, which may never come or fail; then there is no call to end.
    reading.cancel().catch(() => undefined);
  }
};
