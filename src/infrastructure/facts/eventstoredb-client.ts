// The only module that calls EventStoreDB's client, narrowed to what the facts need. Every call ends with its response,
// with an error, or at its deadline.
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

/** A range of a stream, from a revision (inclusive), in one direction. */
export interface StreamRange {
  readonly from: number | 'end';
  readonly direction: typeof FORWARDS | typeof BACKWARDS;
  readonly count: number;
}

// A call without a response for this long casts doubt on its connection. A call that had less time does not.
const DOUBT_MS = 1_000;
// How many events a subscription buffers in this process before the server has to wait.
const BUFFERED_EVENTS = 64;
// The server sends a checkpoint after examining this many events, matching or not. Each checkpoint takes one of the 32
// places that a live subscription has on the server. With a checkpoint after each event, the server would drop the
// subscription under load.
const EXAMINED_PER_CHECKPOINT = 32;

/** A connection to one EventStoreDB, which is a node or a cluster. */
export class EventStoreDbConnection {
  readonly #client: EventStoreDBClient;
  #appends: { readonly node: StreamsClient; readonly call: AppendCall } | undefined;

  /** Connects on first use. Throws if `url` is not a connection string. */
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

  /**
   * Returns events of a stream; none if the stream does not exist or was deleted. Rejects with `StreamTruncated` if all
   * of its events are hidden.
   */
  async readStream(stream: string, range: StreamRange, ms: number): Promise<RecordedEvent[]> {
    const events = await this.#readStream(stream, range, ms);
    if (events === undefined || events.length > 0 || (range.from !== 0 && range.from !== 'end')) return events ?? [];
    // An existing stream has an event at its start and its end, and the server reports a stream that does not exist.
    const metadata = await this.truncation(stream, ms);
    if (metadata === undefined) throw new Error(`a read of ${stream} was cut short`);
    throw new StreamTruncated(stream, 'it exists, and none can be read', metadata);
  }

  /** Returns the metadata that hide or remove events of a stream, as JSON; undefined if there are none. */
  async truncation(stream: string, ms: number): Promise<string | undefined> {
    const last = { from: 'end', direction: BACKWARDS, count: 1 } as const;
    const events = await this.#readStream(`${METASTREAM}${stream}`, last, ms);
    return truncationIn(events?.[0]?.data);
  }

  // Returns undefined if there is no such stream.
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

  /** Returns the position of the last event of the log, even if the event is EventStoreDB's own. */
  async head(ms: number): Promise<Position | undefined> {
    const options = { direction: BACKWARDS, fromPosition: END, maxCount: 1, requiresLeader: true } as const;
    const [last] = await this.#connected(ms, (left) => collect(this.#client.readAll(options), left));
    return last && toRecorded(last).position;
  }

  /** Returns events of all streams before a position, the last first. The client's read of the log has no filter. */
  async readLogBackwards(before: Position | undefined, count: number, ms: number): Promise<RecordedEvent[]> {
    const from = before === undefined ? END : fromPosition(before);
    const options = { direction: BACKWARDS, fromPosition: from, maxCount: count, requiresLeader: true } as const;
    return (await this.#connected(ms, (left) => collect(this.#client.readAll(options), left))).map(toRecorded);
  }

  /** Subscribes to the log. Calls `onArrival` whenever there may be something to take. */
  subscribe({ aggregates, after }: LogRange, onArrival: () => void): Feed {
    const filter = streamNameFilter({
      prefixes: aggregates.map((aggregate) => streamName(aggregate, '')),
      maxSearchWindow: EXAMINED_PER_CHECKPOINT,
      checkpointInterval: 1,
      checkpointReached: (_, position) => feed.checkpoint(position),
    });
    const from = after === undefined ? START : fromPosition(after);
    const options = { highWaterMark: BUFFERED_EVENTS };
    // A follower may not have all events below the head that the leader reported.
    const range = { fromPosition: from, filter, requiresLeader: true } as const;
    const feed = new Feed(this.#client.subscribeToAll(range, options), onArrival);
    return feed;
  }

  /** Ends open calls, or gives up after `ms`: disposing of the client was seen not to return. */
  async close(ms: number): Promise<void> {
    this.#appends?.call.close();
    await withDeadline(this.#client.dispose(), ms).catch((error: unknown) => {
      if (!(error instanceof DeadlinePassed)) throw error;
    });
  }

  // Makes a call once there is a connection, with the remaining time. If no response comes, later calls search for the
  // leader again and use another connection. Open calls on this connection continue.
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
      // The same as if a call had found the connection dead. Does nothing if another call has already reported that.
      if (isSilent) void this.#client['handleError'](node, new UnavailableError());
      throw error;
    }
  }
}

// The client's reads have no deadline, and leaving the client's iterator leaves the call open.
const collect = async <E extends { readonly event?: ReceivedEvent }>(
  reading: StreamingRead<E>,
  ms: number,
): Promise<ReceivedEvent[]> => {
  const events: ReceivedEvent[] = [];
  const ended = new Promise<void>((resolve, reject) => {
    reading.on('data', ({ event }: E) => void (event && events.push(event)));
    reading.on('end', resolve);
    // The listener stays: an error after the end of the read would otherwise end the process.
    reading.on('error', reject);
  });
  try {
    await withDeadline(ended, ms);
    return events;
  } finally {
    // Cancelling waits for the connection, which may never come or fail. Then there is no call to end.
    reading.cancel().catch(() => undefined);
  }
};
