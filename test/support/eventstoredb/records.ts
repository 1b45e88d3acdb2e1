// What the test server keeps of an event, and the words that its parts use for versions and outcomes.

/** An event as the log keeps it. */
export interface StoredEvent {
  /** Commit and prepare position; they are the same for every event. */
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

/** An event as it is proposed. */
export type ProposedEvent = Pick<StoredEvent, 'id' | 'type' | 'contentType' | 'data' | 'metadata'>;

/** The version that a stream must be at. */
export type ExpectedVersion = number | 'any' | 'no_stream' | 'stream_exists';

/** What became of a write. `position` is undefined where nothing was written, `revision` -1 where there is no stream. */
export type WriteOutcome =
  | { readonly outcome: 'written'; readonly revision: number; readonly position: number | undefined }
  | { readonly outcome: 'wrong-version'; readonly current: number }
  | { readonly outcome: 'deleted' | 'too-large' | 'timeout' };

/** The most bytes of data that one append may have; metadata and types do not count. */
export const MAX_APPEND_BYTES = 1_048_576;

/** The revision of a tombstone, and the `$tb` of a soft-deleted stream: 2^63 - 1, which a number can only come near. */
export const LAST_REVISION = 2 ** 63;
export const LAST_REVISION_TEXT = '9223372036854775807';

/** A revision as it goes over the wire. */
export const revisionText = (revision: number): string =>
  revision === LAST_REVISION ? LAST_REVISION_TEXT : String(revision);

/** The stream that holds the metadata of a stream. */
export const metastreamOf = (stream: string): string => `$$${stream}`;

/** An event as a line of the file of the log. */
export const toLine = (event: StoredEvent): string =>
  `${JSON.stringify({ ...event, data: event.data.toString('base64'), metadata: event.metadata.toString('base64') })}\n`;

/** The event that `toLine` made a line of. */
export const fromLine = (line: string): StoredEvent => {
  const { data, metadata, ...rest } = JSON.parse(line);
  return { ...rest, data: Buffer.from(data, 'base64'), metadata: Buffer.from(metadata, 'base64') };
};
