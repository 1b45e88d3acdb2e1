// The stored events of the test server, and the types for versions and outcomes.

/** An event in the log. */
export interface StoredEvent {
  /** The commit position, which equals the prepare position. */
  readonly position: number;
  readonly stream: string;
  readonly revision: number;
  readonly id: string;
  readonly type: string;
  readonly contentType: string;
  readonly data: Buffer;
  readonly metadata: Buffer;
  /** Epoch milliseconds. */
  readonly created: number;
}

/** An event in an append. */
export type ProposedEvent = Pick<StoredEvent, 'id' | 'type' | 'contentType' | 'data' | 'metadata'>;

/** The version that a stream must be at. */
export type ExpectedVersion = number | 'no_stream';

/** The outcome of a write. `current` is -1 if there is no stream. */
export type WriteOutcome =
  | { readonly outcome: 'written'; readonly revision: number; readonly position: number }
  | { readonly outcome: 'wrong-version'; readonly current: number }
  | { readonly outcome: 'deleted' | 'too-large' | 'timeout' };

/** The most bytes of data in one append. Metadata and types do not count. */
export const MAX_APPEND_BYTES = 1_048_576;

/** The `$tb` of a soft-deleted stream: 2^63 - 1, rounded to a number. */
export const LAST_REVISION = 2 ** 63;

/** Returns the name of the stream that holds the metadata of a stream. */
export const metastreamOf = (stream: string): string => `$$${stream}`;

/** Returns an event as a line of the log file. */
export const toLine = (event: StoredEvent): string =>
  `${JSON.stringify({ ...event, data: event.data.toString('base64'), metadata: event.metadata.toString('base64') })}\n`;

/** Returns the event in a line of the log file. */
export const fromLine = (line: string): StoredEvent => {
  const { data, metadata, ...rest } = JSON.parse(line);
  return { ...rest, data: Buffer.from(data, 'base64'), metadata: Buffer.from(metadata, 'base64') };
};
