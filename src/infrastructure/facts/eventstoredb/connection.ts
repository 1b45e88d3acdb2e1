// The calls of a process to EventStoreDB. Each call ends with its response, with an error, or at its deadline.
import { convertToCommandError, StreamNotFoundError, UnavailableError } from '@eventstore/db-client';
import type { StreamsClient } from '@eventstore/db-client/generated/streams_grpc_pb.js';
import streams, { type ReadResp } from '@eventstore/db-client/generated/streams_pb.js';
import { DeadlinePassed, withDeadline } from '../../async.js';
import { StreamTruncated } from '../../errors.js';
import { PAGE } from '../../pages.js';
import type { Expected, NewEvent, RecordedEvent } from '../facts.js';
import type { StreamPage } from '../revisions.js';
import { AppendCall } from './batch-append.js';
import { EventStoreClient } from './client.js';
import { CallEnded, isMissing, isTimeout } from './errors.js';
import { toRecorded } from './events.js';
import { type LogMessage, logMessageIn, logRequest, streamRequest, type Written } from './messages.js';

/** A call without a response for this long casts doubt on its connection. A call that had less time does not. */
export const DOUBT_MS = 1_000;

const READ = '/event_store.client.streams.Streams/Read';

export interface Reading {
  readonly events: readonly RecordedEvent[];
  readonly isWhole: boolean;
}

/** A subscription to the log that the server has confirmed. */
export interface Subscription {
  /** Returns the next message. Rejects when the subscription has ended, for whatever reason. */
  next(): Promise<LogMessage>;
  end(): void;
}

const NOTHING: Reading = { events: [], isWhole: true };

export class EventStoreDbConnection {
  readonly #client: EventStoreClient;
  readonly #calls = new Set<{ cancel(): void }>();
  #appends: { readonly node: StreamsClient; readonly call: AppendCall } | undefined;

  constructor(url: string) {
    this.#client = new EventStoreClient(url);
  }

  /** Appends once. Returns undefined if the server responds that the stream is at another revision. */
  append(stream: string, expected: Expected, events: readonly NewEvent[], ms: number): Promise<Written | undefined> {
    return this.#connected(ms, (left, node) => this.#appendsOn(node).append({ stream, expected, events }, left));
  }

  // A call on a connection that was replaced may wait for a node that is no longer the leader.
  #appendsOn(node: StreamsClient): AppendCall {
    if (this.#appends?.node === node && this.#appends.call.isOpen) return this.#appends.call;
    this.#appends?.call.retire();
    const call = new AppendCall(node, this.#client.callArguments(), (error) => this.#client.failed(node, error));
    this.#appends = { node, call };
    return call;
  }

  /** Returns events of a stream; none if it does not exist or was deleted. Rejects as `read`, and with `StreamTruncated`. */
  async readStream(stream: string, page: StreamPage, ms: number): Promise<Reading> {
    const until = performance.now() + ms;
    const left = () => Math.max(1, until - performance.now());
    const found = await this.#eventsOf(stream, page, left());
    if (!isHidden(found, page)) return found ?? NOTHING;
    // A proxy may have ended the call in good order. Then it ends other calls too, or a repeated call shows the events.
    const again = await this.#eventsOf(stream, page, left());
    const { events: log } = await this.read(logRequest(undefined, 1), left());
    if (log.length === 0) throw new Error(`a read of ${stream} was cut short`);
    if (isHidden(again, page)) throw new StreamTruncated(stream, 'it exists, and none can be read');
    return again ?? NOTHING;
  }

  // Returns undefined if there is no such stream.
  #eventsOf(stream: string, page: StreamPage, ms: number): Promise<Reading | undefined> {
    return this.read(streamRequest(stream, page), ms).catch((error: unknown) => {
      if (!isMissing(error)) throw error;
      return undefined;
    });
  }

  /**
   * Returns what arrives before the deadline, and no more than a page may take. The caller reads on from there. Rejects
   * with `DeadlinePassed` if nothing arrives.
   */
  read(request: Buffer, ms: number): Promise<Reading> {
    return this.#connected(ms, async (left, node) => {
      const call = this.#open(node, request);
      const events: RecordedEvent[] = [];
      try {
        return { events, isWhole: await withDeadline(collect(call, events), left) };
      } catch (error) {
        if (!(error instanceof DeadlinePassed) || events.length === 0) throw error;
        return { events, isWhole: false };
      } finally {
        this.#end(call);
      }
    });
  }

  /** Subscribes to the log. Rejects unless the server confirms the subscription within `ms` milliseconds. */
  subscribe(request: Buffer, ms: number): Promise<Subscription> {
    return this.#connected(ms, async (left, node) => {
      const call = this.#open(node, request);
      const responses: AsyncIterator<Buffer> = call[Symbol.asyncIterator]();
      let isEnded = false;
      const end = () => {
        isEnded = true;
        this.#end(call);
      };
      const received = async (): Promise<LogMessage> => {
        const { done, value } = await responses.next();
        if (done) throw new CallEnded('the server ended a subscription to the log');
        return logMessageIn(value);
      };
      const next = () =>
        received().catch((thrown: Error) => {
          const error = convertToCommandError(thrown);
          if (!isEnded) this.#client.failed(node, error);
          throw error;
        });
      try {
        await withDeadline(received(), left);
      } catch (error) {
        end();
        throw error;
      }
      return { next, end };
    });
  }

  close(): void {
    this.#appends?.call.close();
    for (const call of this.#calls) call.cancel();
  }

  #open(node: StreamsClient, request: Buffer) {
    const [metadata, options] = this.#client.callArguments();
    const asIs = (bytes: Buffer): Buffer => bytes;
    const call = node.makeServerStreamRequest(READ, asIs, asIs, request, metadata, options);
    this.#calls.add(call);
    // The listener stays: an error after the end of the call would otherwise end the process.
    call.on('error', () => undefined);
    return call;
  }

  #end(call: { cancel(): void }): void {
    this.#calls.delete(call);
    call.cancel();
  }

  // Makes a call once there is a connection, with the remaining time. If no response comes, later calls search for the
  // leader again and use another connection. Open calls on this connection continue.
  async #connected<T>(ms: number, call: (left: number, node: StreamsClient) => Promise<T>): Promise<T> {
    const until = performance.now() + ms;
    const node = await withDeadline(this.#client.node(), ms);
    const began = performance.now();
    try {
      return await call(Math.max(1, until - began), node);
    } catch (thrown) {
      if (!(thrown instanceof Error)) throw thrown;
      const error = convertToCommandError(thrown);
      const isSilent = isTimeout(error) && performance.now() - began >= DOUBT_MS;
      // The client treats silence as a connection that it has found dead.
      this.#client.failed(node, isSilent ? new UnavailableError() : error);
      throw error;
    }
  }
}

// The server reports a stream that does not exist, and any other stream has an event at its start and its end.
const isHidden = (found: Reading | undefined, { from }: StreamPage): boolean =>
  found?.events.length === 0 && (from === 0 || from === undefined);

/** Collects events up to the bytes of a page. Returns whether these are all of the response. */
const collect = async (call: AsyncIterable<Buffer>, events: RecordedEvent[]): Promise<boolean> => {
  let size = 0;
  for await (const bytes of call) {
    const response: ReadResp = streams.ReadResp.deserializeBinary(bytes);
    const missing = response.getStreamNotFound()?.getStreamIdentifier()?.getStreamName_asB64();
    if (missing !== undefined) throw new StreamNotFoundError(null as never, missing);
    const event = response.getEvent()?.getEvent();
    if (event !== undefined) events.push(toRecorded(event));
    size += bytes.length;
    // A read forwards of the log returns the event at its start, too, so that one event is no progress.
    if (size > PAGE.bytes && events.length > 1) return false;
  }
  return true;
};
