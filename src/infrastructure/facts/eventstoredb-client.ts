// The one module that calls EventStoreDB's client, narrowed to what the facts need. Every call ends: with its answer, an
// error, or at its deadline.
import {
  BACKWARDS,
  END,
  type EventStoreDBClient,
  type FORWARDS,
  type ReadRevision,
  START,
  type StreamingRead,
  streamNameFilter,
  UnavailableError,
} from '@eventstore/db-client';
import { StreamsClient } from '@eventstore/db-client/generated/streams_grpc_pb.js';
import { DeadlinePassed, withDeadline } from '../async.js';
import { StreamTruncated } from '../errors.js';
import { streamName } from '../stream-name.js';
import { AppendCall } from './eventstoredb-appends.js';
import { connect } from './eventstoredb-connect.js';
import { isMissing, isTimeout } from './eventstoredb-errors.js';
import { fromPosition, METASTREAM, type ReceivedEvent, toRecorded, truncationIn } from './eventstoredb-events.js';
import { Feed } from './eventstoredb-feed.js';
import type { Written } from './eventstoredb-messages.js';
import type { Expected, LogRange, NewEvent, Position, RecordedEvent } from './facts.js';

/** A stretch of a stream, from a revision on (itself included), in one direction. */
export interface StreamRange {
  readonly from: number | 'end';
  readonly direction: typeof FORWARDS | typeof BACKWARDS;
  readonly count: number;
}

// A call that got no response for this long casts doubt on its connection. A call that had less time does not.
const DOUBT_MS = 1_000;
// How many events a subscription buffers on this side before the server has to wait.
const BUFFERED_EVENTS = 64;
// The server sends a checkpoint after so many examined events, matching or not. A checkpoint takes one of the 32 places
// that a live subscription has on the server, so a checkpoint after each event gets the subscription dropped under load.
const EXAMINED_PER_CHECKPOINT = 32;

/** A connection to one EventStoreDB: node or cluster. */
export class EventStoreDbConnection {
  readonly #client: EventStoreDBClient;
  #appends: { readonly node: StreamsClient; readonly call: AppendCall } | undefined;

  /** Connects when it is first used. Throws where `url` is no connection string. */
  constructor(url: string) {
    this.#client = connect(url);
  }

  /** Appends once. Returns undefined if the server responds that the stream is at another revision. */
  append(stream: string, expected: Expected, events: readonly NewEvent[], ms: number): Promise<Written | undefined> {
    return this.#connected(ms, (left, node) => this.#appendsOn(node).append({ stream, expected, events }, left));
  }

  // A call on a connection that was replaced may wait for a node that is no longer the leader.
  #appendsOn(node: StreamsClient): AppendCall {
    if (this.#appends?.node === node && this.#appends.call.isOpen) return this.#appends.call;
    this.#appends?.call.retire();
    const options = this.#client['callArguments']({ requiresLeader: true }, { deadline: Number.POSITIVE_INFINITY });
    const call = new AppendCall(node, options, (error) => void this.#client['handleError'](node, error));
    this.#appends = { node, call };
    return call;
  }

  /** Returns events of a stream; none if it does not exist or was deleted. Rejects with `StreamTruncated` if all are hidden. */
  async readStream(stream: string, range: StreamRange, ms: number): Promise<RecordedEvent[]> {
    const events = await this.#readStream(stream, range, ms);
    if (events === undefined || events.length > 0 || (range.from !== 0 && range.from !== 'end')) return events ?? [];
    // A stream that is there has an event at its beginning and end, and of one that is not the server says so.
    const metadata = await this.truncation(stream, ms);
    if (metadata === undefined) throw new Error(`a read of ${stream} was cut short`);
    throw new StreamTruncated(stream, 'it exists, and none can be read', metadata);
  }

  /** Returns what the metadata of a stream hide or remove of it, as JSON; undefined if nothing. */
  async truncation(stream: string, ms: number): Promise<string | undefined> {
    const last = { from: 'end', direction: BACKWARDS, count: 1 } as const;
    const events = await this.#readStream(`${METASTREAM}${stream}`, last, ms);
    return truncationIn(events?.[0]?.data);
  }

  // Undefined where there is no such stream.
  async #readStream(stream: string, { from, direction, count }: StreamRange, ms: number) {
    const fromRevision: ReadRevision = from === 'end' ? END : BigInt(from);
    const options = { fromRevision, direction, maxCount: count, requiresLeader: true };
    try {
      const read = await this.#connected(ms, (left) => collect(this.#client.readStream(stream, options), left));
      return read.map(toRecorded);
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  }

  /** The position of the last event of the log, be it EventStoreDB's own. */
  async head(ms: number): Promise<Position | undefined> {
    const options = { direction: BACKWARDS, fromPosition: END, maxCount: 1, requiresLeader: true } as const;
    const [last] = await this.#connected(ms, (left) => collect(this.#client.readAll(options), left));
    return last && toRecorded(last).position;
  }

  /** Events of all streams before a position, the last first. The client's read of the log takes no filter. */
  async readLogBackwards(before: Position | undefined, count: number, ms: number): Promise<RecordedEvent[]> {
    const from = before === undefined ? END : fromPosition(before);
    const options = { direction: BACKWARDS, fromPosition: from, maxCount: count, requiresLeader: true } as const;
    return (await this.#connected(ms, (left) => collect(this.#client.readAll(options), left))).map(toRecorded);
  }

  /** Subscribes to the log; `onArrival` is called whenever there may be something to take. */
  subscribe({ aggregates, after }: LogRange, onArrival: () => void): Feed {
    const filter = streamNameFilter({
      prefixes: aggregates.map((aggregate) => streamName(aggregate, '')),
      maxSearchWindow: EXAMINED_PER_CHECKPOINT,
      checkpointInterval: 1,
      checkpointReached: (_, position) => feed.checkpoint(position),
    });
    const from = after === undefined ? START : fromPosition(after);
    const options = { highWaterMark: BUFFERED_EVENTS };
    // A follower may lack events below the head that the leader told.
    const range = { fromPosition: from, filter, requiresLeader: true } as const;
    const feed = new Feed(this.#client.subscribeToAll(range, options), onArrival);
    return feed;
  }

  /** Ends what is open, or gives up on it after `ms`: disposing of the client was seen not to return. */
  async close(ms: number): Promise<void> {
    this.#appends?.call.close();
    await withDeadline(this.#client.dispose(), ms).catch((error: unknown) => {
      if (!(error instanceof DeadlinePassed)) throw error;
    });
  }

  // Makes a call once there is a connection, with the time that is left for it. If no response comes, later calls look for
  // the leader again and use another connection; what is open on this connection goes on.
  async #connected<T>(ms: number, call: (left: number, node: StreamsClient) => Promise<T>): Promise<T> {
    const until = Date.now() + ms;
    const node = await withDeadline(
      this.#client['execute'](StreamsClient, 'streams', async (client) => client),
      ms,
    );
    const began = Date.now();
    try {
      return await call(Math.max(1, until - began), node);
    } catch (error) {
      const isSilent = isTimeout(error) && Date.now() - began >= DOUBT_MS;
      // As for a call that found the connection dead; it does nothing if another call saw to that already.
      if (isSilent) void this.#client['handleError'](node, new UnavailableError());
      throw error;
    }
  }
}

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
