// The messages of EventStoreDB's calls, in the encoding of Protocol Buffers. Requests are encoded here, because the
// generated classes take ten times as long for an append: they build a list of single bytes.
import streams, { type BatchAppendResp, type ReadResp } from '@eventstore/db-client/generated/streams_pb.js';
import { streamName } from '../../stream-name.js';
import type { Append, LogRange, NewEvent, Position, RecordedEvent } from '../facts.js';
import type { StreamPage } from '../revisions.js';
import { fromPosition, toPosition, toRecorded } from './events.js';

/** The result of an append: the last revision, and the position if the server reports it. */
export interface Written {
  readonly revision: number;
  readonly position: Position | undefined;
}

/** `correlationId` is the id that the response carries. */
export const requestOf = (correlationId: string, { stream, expected, events }: Append): Buffer =>
  message(
    bytes(1, text(2, correlationId)),
    bytes(2, bytes(1, text(3, stream)), expected === 'no-stream' ? bytes(3) : integer(2, expected)),
    ...events.map((event) => bytes(3, proposed(event))),
    integer(4, 1),
  );

const proposed = ({ id, type, data, metadata }: NewEvent): Buffer =>
  message(
    bytes(1, text(2, id)),
    bytes(2, text(1, 'type'), text(2, type)),
    bytes(2, text(1, 'content-type'), text(2, 'application/json')),
    text(3, JSON.stringify(metadata)),
    text(4, JSON.stringify(data)),
  );

export const streamRequest = (stream: string, { from, limit, backwards }: StreamPage): Buffer =>
  readRequest(
    bytes(1, bytes(1, text(3, stream)), from === undefined ? bytes(4) : integer(2, from)),
    inDirection(backwards),
    integer(5, limit),
    bytes(8),
  );

/** Returns the request for the last `count` events of the log before a position: of these aggregates, or of all streams. */
export const logRequest = (before: Position | undefined, count: number, aggregates?: readonly string[]): Buffer => {
  const filter = aggregates === undefined ? bytes(8) : filtered(aggregates, 1);
  const place = before === undefined ? bytes(3) : placeOf(before);
  return readRequest(bytes(2, place), inDirection(true), integer(5, count), filter);
};

/**
 * Returns the request for a subscription to the events of these aggregates after a position. The server reports its
 * progress each time after it has examined so many windows.
 */
export const subscriptionRequest = ({ aggregates, after }: LogRange, windowsPerReport: number): Buffer =>
  readRequest(
    bytes(2, after === undefined ? bytes(2) : placeOf(after)),
    bytes(6),
    filtered(aggregates, windowsPerReport),
  );

// Without the last field the server would send ids as numbers.
const readRequest = (...options: readonly Buffer[]): Buffer => bytes(1, ...options, bytes(9, bytes(2)));

const inDirection = (backwards: boolean): Buffer => integer(3, backwards ? 1 : 0);

const placeOf = (position: Position): Buffer => {
  const { commit, prepare } = fromPosition(position);
  return bytes(1, integer(1, Number(commit)), integer(2, Number(prepare)));
};

// How many events the server examines at a time.
const SEARCH_WINDOW = 1_024;

const filtered = (aggregates: readonly string[], windowsPerReport: number): Buffer => {
  const streams = aggregates.map((aggregate) => text(2, streamName(aggregate, '')));
  return bytes(7, bytes(1, ...streams), integer(3, SEARCH_WINDOW), integer(5, windowsPerReport));
};

const message = (...fields: readonly Uint8Array[]): Buffer => Buffer.concat(fields);

// A field is its number and wire type, then its value. Wire type 2 is a length and that many bytes. Wire type 0 is an
// integer with 7 bits in each byte.
const bytes = (field: number, ...parts: readonly Uint8Array[]): Buffer => {
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  return Buffer.concat([Buffer.of((field << 3) | 2, ...varint(length)), ...parts]);
};

const text = (field: number, value: string): Buffer => bytes(field, Buffer.from(value));

const integer = (field: number, value: number): Buffer => Buffer.of(field << 3, ...varint(value));

// Divides, because a revision may have more than 32 bits.
const varint = (value: number): readonly number[] =>
  value < 128 ? [value] : [(value % 128) + 128, ...varint(Math.floor(value / 128))];

/** Signals that the server did not append. `type` is the type of the client's own error. */
export class AppendFailed extends Error {
  constructor(
    readonly type: string,
    message: string,
  ) {
    super(message);
    this.name = 'AppendFailed';
  }
}

const WRONG_VERSION = 'event_store.client.WrongExpectedVersion';
const TYPES: Readonly<Record<string, string>> = {
  'event_store.client.StreamDeleted': 'stream-deleted',
  'event_store.client.AccessDenied': 'access-denied',
  'event_store.client.MaximumAppendSizeExceeded': 'maximum-append-size-exceeded',
  'event_store.client.BadRequest': 'invalid-argument',
  // Not ready, busy, or without a leader.
  'google.protobuf.Empty': 'unavailable',
};

/** Returns what was written; undefined if the stream is at another revision. Otherwise throws `AppendFailed`. */
export const writtenIn = (response: BatchAppendResp): Written | undefined => {
  const success = response.getSuccess();
  if (success === undefined) return throwUnlessWrongVersion(response);
  const position = success.getPosition();
  return {
    revision: Number(success.getCurrentRevision()),
    position:
      position &&
      toPosition({ commit: BigInt(position.getCommitPosition()), prepare: BigInt(position.getPreparePosition()) }),
  };
};

const throwUnlessWrongVersion = (response: BatchAppendResp): undefined => {
  const error = response.getError();
  const type = error?.getDetails()?.getTypeName() ?? '';
  if (type === WRONG_VERSION) return undefined;
  throw new AppendFailed(TYPES[type] ?? '', error?.getMessage() ?? 'a response without a result');
};

/** A message of a subscription to the log. */
export interface LogMessage {
  readonly event: RecordedEvent | undefined;
  /** How far the server has examined the log, if the message says so. */
  readonly position: Position | undefined;
  /** Whether the server has examined everything that was committed before. Only 23.10 and later report so. */
  readonly isCaughtUp: boolean;
  /** The length of the message. */
  readonly bytes: number;
}

export const logMessageIn = (message: Buffer): LogMessage => {
  const response = streams.ReadResp.deserializeBinary(message);
  const recorded = response.getEvent()?.getEvent();
  const event = recorded && toRecorded(recorded);
  const position = event?.position ?? reachedIn(response.getCheckpoint());
  return { event, position, isCaughtUp: response.hasCaughtUp(), bytes: message.length };
};

const reachedIn = (checkpoint: ReadResp.Checkpoint | undefined): Position | undefined =>
  checkpoint &&
  toPosition({ commit: BigInt(checkpoint.getCommitPosition()), prepare: BigInt(checkpoint.getPreparePosition()) });
