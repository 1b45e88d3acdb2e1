// Converts the events and positions of EventStoreDB to the types of the port.
import type { ReadResp } from '@eventstore/db-client/generated/streams_pb.js';
import type { EventMetadata, Position, RecordedEvent } from '../facts.js';
import { receivedEvent } from './client.js';

interface LogPosition {
  readonly commit: bigint;
  readonly prepare: bigint;
}

/**
 * Returns the commit and the prepare position, 16 hexadecimal digits each. That is enough for any log, so text order is
 * log order.
 */
export const toPosition = ({ commit, prepare }: LogPosition): Position => `${digits(commit)}${digits(prepare)}`;

/** Returns the place that a position names. Throws if the position is from another engine. */
export const fromPosition = (position: Position): LogPosition => {
  if (!/^[0-9a-f]{32}$/.test(position)) {
    throw new RangeError(`"${position}" is not a position of EventStoreDB: expected 32 hexadecimal digits`);
  }
  return { commit: BigInt(`0x${position.slice(0, 16)}`), prepare: BigInt(`0x${position.slice(16)}`) };
};

export const reaches = (position: Position | undefined, end: Position | undefined): boolean =>
  (position ?? '') >= (end ?? '');

/**
 * Returns an event of a response in the form of the port. Any program may have written the event. It keeps its type and
 * its body, even if the body is bytes or text that is not JSON: a handler of its type reports it, and all others pass
 * over it. Metadata that are not of our form are replaced, so that readers of metadata do not crash.
 */
export const toRecorded = (received: ReadResp.ReadEvent.RecordedEvent): RecordedEvent => {
  const { id, type, data, metadata, streamId, revision, position, created } = receivedEvent(received);
  if (position === undefined) throw new TypeError(`event ${id} has no position: EventStoreDB 23.10 or later is needed`);
  return {
    id,
    type,
    data,
    metadata: isMetadata(metadata) ? metadata : unknownMetadata(id, created),
    stream: streamId,
    revision: Number(revision),
    position: toPosition(position),
  };
};

const digits = (value: bigint) => value.toString(16).padStart(16, '0');

type Fields = Readonly<Record<string, unknown>>;

const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null;
const isText = (value: unknown): value is string => typeof value === 'string';
const isTextOrAbsent = (value: unknown): boolean => value === undefined || isText(value);

const isActor = (value: unknown): boolean =>
  isFields(value) && isText(value['id']) && Array.isArray(value['roles']) && value['roles'].every(isText);

const VALID: { readonly [K in keyof EventMetadata]-?: (value: unknown) => boolean } = {
  at: (value) => isText(value) && !Number.isNaN(Date.parse(value)),
  clock: isTextOrAbsent,
  actor: isActor,
  origin: isTextOrAbsent,
  sessionId: isTextOrAbsent,
  address: isTextOrAbsent,
  sealedAddress: isTextOrAbsent,
  correlationId: isText,
  causationId: isText,
  schemaVersion: Number.isInteger,
};

const isMetadata = (given: unknown): given is EventMetadata =>
  isFields(given) && Object.entries(VALID).every(([name, isValid]) => isValid(given[name]));

const unknownMetadata = (id: string, created: Date): EventMetadata => ({
  at: created.toISOString(),
  actor: { id: 'unknown', roles: [] },
  correlationId: id.replaceAll('-', ''),
  causationId: id,
  schemaVersion: 1,
});
