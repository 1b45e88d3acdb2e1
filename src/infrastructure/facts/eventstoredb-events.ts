// Converts the events and positions of EventStoreDB to the types of the port.
import type { EventMetadata, Position, RecordedEvent } from './facts.js';

/** A position in EventStoreDB's transaction log. */
export interface LogPosition {
  readonly commit: bigint;
  readonly prepare: bigint;
}

/** An event as the client returns it. Any program may have written it, so its body and metadata may be anything. */
export interface ReceivedEvent {
  readonly streamId: string;
  readonly id: string;
  readonly revision: bigint;
  readonly type: string;
  readonly data: unknown;
  readonly metadata?: unknown;
  readonly created: Date;
  readonly position?: LogPosition | undefined;
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

/** Returns the later of two positions. Undefined is before the first position. */
export const later = (a: Position | undefined, b: Position | undefined): Position | undefined =>
  (a ?? '') >= (b ?? '') ? a : b;

/** Returns whether `position` is at or after `end`. */
export const reaches = (position: Position | undefined, end: Position | undefined): boolean =>
  (position ?? '') >= (end ?? '');

/**
 * Returns whether EventStoreDB itself wrote an event into a stream of ours, such as a tombstone or a link. Such an
 * event is not a fact.
 */
export const isSystemEvent = ({ type, streamId }: ReceivedEvent): boolean =>
  type.startsWith('$') && !streamId.startsWith(METASTREAM);

/** The prefix that makes the name of a stream the name of the stream with its metadata. */
export const METASTREAM = '$$';

// Metadata that hide events: below a revision, older than a number of seconds, or before a number of last events.
const TRUNCATING = ['$tb', '$maxAge', '$maxCount'];

/** Returns the metadata that hide or remove events of a stream, as JSON; undefined if there are none. */
export const truncationIn = (metadata: unknown): string | undefined => {
  const entries = isFields(metadata) ? Object.entries(metadata) : [];
  // The server treats an invalid limit, and a limit of 0, as no limit.
  const found = entries.filter(([key, value]) => TRUNCATING.includes(key) && typeof value === 'number' && value > 0);
  return found.length === 0 ? undefined : JSON.stringify(Object.fromEntries(found));
};

/**
 * Returns the event in the form of the port. An event of another program keeps its type and body, even if the body is
 * bytes or text that is not JSON. A handler of its type reports it, and all other handlers pass over it. Missing
 * metadata are filled in.
 */
export const toRecorded = (event: ReceivedEvent): RecordedEvent => {
  if (event.position === undefined) {
    throw new TypeError(`event ${event.id} has no position: EventStoreDB 22.6 or later is needed`);
  }
  return {
    id: event.id,
    type: event.type,
    data: event.data,
    metadata: metadataOf(event),
    stream: event.streamId,
    revision: Number(event.revision),
    position: toPosition(event.position),
  };
};

const digits = (value: bigint) => value.toString(16).padStart(16, '0');

type Fields = Readonly<Record<string, unknown>>;

const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null;
const isText = (value: unknown): value is string => typeof value === 'string';
const isTextOrAbsent = (value: unknown): boolean => value === undefined || isText(value);

// The check of each field of the metadata, so that readers of the metadata do not crash.
const VALID: { readonly [K in keyof EventMetadata]-?: (value: unknown) => boolean } = {
  at: (value) => typeof value === 'string' && !Number.isNaN(Date.parse(value)),
  actor: (value) =>
    isFields(value) && isText(value['id']) && Array.isArray(value['roles']) && value['roles'].every(isText),
  origin: isTextOrAbsent,
  sessionId: isTextOrAbsent,
  address: isTextOrAbsent,
  sealedAddress: isTextOrAbsent,
  correlationId: isText,
  causationId: isText,
  schemaVersion: (value) => Number.isInteger(value),
};

const metadataOf = ({ id, created, metadata }: ReceivedEvent): EventMetadata => {
  const given = isFields(metadata) ? metadata : {};
  const valid = Object.entries(VALID).filter(([name, isValid]) => isValid(given[name]));
  if (valid.length === Object.keys(VALID).length) return given as unknown as EventMetadata;
  const { origin, ...filled } = {
    at: created.toISOString(),
    actor: { id: 'unknown', roles: [] },
    origin: undefined,
    correlationId: id.replaceAll('-', ''),
    causationId: id,
    schemaVersion: 1,
    ...Object.fromEntries(valid.map(([name]) => [name, given[name]])),
  };
  return isText(origin) ? { ...filled, origin } : filled;
};
