// Events and positions as EventStoreDB has them, made into those of the port.
import type { EventMetadata, Position, RecordedEvent } from './facts.js';

/** A place in EventStoreDB's transaction log. */
export interface LogPosition {
  readonly commit: bigint;
  readonly prepare: bigint;
}

/** An event as the client hands it over. Anyone may have written it, so nothing is known of its body and metadata. */
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

/** Commit and prepare position, 16 hexadecimal digits each: as many as the log can ever need, so that text order is log order. */
export const toPosition = ({ commit, prepare }: LogPosition): Position => `${digits(commit)}${digits(prepare)}`;

/** Returns the place that a position names. Throws if the position is from another engine. */
export const fromPosition = (position: Position): LogPosition => {
  if (!/^[0-9a-f]{32}$/.test(position)) {
    throw new RangeError(`"${position}" is not a position of EventStoreDB: expected 32 hexadecimal digits`);
  }
  return { commit: BigInt(`0x${position.slice(0, 16)}`), prepare: BigInt(`0x${position.slice(16)}`) };
};

/** The later of two positions; undefined is before the first. */
export const later = (a: Position | undefined, b: Position | undefined): Position | undefined =>
  (a ?? '') >= (b ?? '') ? a : b;

/** Whether everything up to `end` lies at or before `position`. */
export const reaches = (position: Position | undefined, end: Position | undefined): boolean =>
  (position ?? '') >= (end ?? '');

/** Whether EventStoreDB itself wrote an event into a stream of ours, such as a tombstone or a link; it is no fact. */
export const isSystemEvent = ({ type, streamId }: ReceivedEvent): boolean =>
  type.startsWith('$') && !streamId.startsWith(METASTREAM);

/** What the name of a stream follows in the name of the stream that has its metadata. */
export const METASTREAM = '$$';

// Below a revision, older than so many seconds, or beyond the last so many.
const TRUNCATING = ['$tb', '$maxAge', '$maxCount'];

/** Returns what a stream's metadata hide or remove of it, as JSON; undefined if nothing. */
export const truncationIn = (metadata: unknown): string | undefined => {
  const entries = isFields(metadata) ? Object.entries(metadata) : [];
  // The server takes nonsense, and a limit of 0, for no limit.
  const found = entries.filter(([key, value]) => TRUNCATING.includes(key) && typeof value === 'number' && value > 0);
  return found.length === 0 ? undefined : JSON.stringify(Object.fromEntries(found));
};

/**
 * The event as the port has it. A foreign one keeps its type and body, be it text that is no JSON or bytes: what
 * handles its type reports it, what does not passes over it. What its metadata lack is filled in.
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

// What each field of our metadata must be, so that those who read it do not crash.
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
