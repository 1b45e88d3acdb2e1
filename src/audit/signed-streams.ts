// The events of users with their indexes in the signed log.
import { setTimeout as pause } from 'node:timers/promises';
import { DomainError } from '../domain/errors.js';
import type { Facts, RecordedEvent } from '../infrastructure/facts/facts.js';
import { streamName } from '../infrastructure/stream-name.js';
import type { CurrentCheckpoint, TransparencyLog } from '../transparency/log.js';

/** The sources of signed streams. */
export interface SignedSources {
  /** The facts as they are stored, sealed. */
  readonly sealedFacts: Pick<Facts, 'readStream'>;
  readonly transparencyLog: Pick<TransparencyLog, 'current' | 'indexesOf' | 'inclusionProver'>;
  /** How long to wait for the signed tree to contain the events of a user, in milliseconds. Default: 5 s. */
  readonly timeoutMs?: number;
}

/** An event and the index of its leaf. */
export interface Placed {
  readonly event: RecordedEvent;
  readonly index: number;
}

/** Signals that the signed tree does not contain an event yet. */
export class LogBehind extends Error {
  constructor({ stream, revision }: RecordedEvent) {
    super(`the signed tree does not contain revision ${revision} of ${stream} yet`);
    this.name = 'LogBehind';
  }
}

const TIMEOUT_MS = 5_000;
const POLL_MS = 100;

/**
 * The maximum number of events of a user in evidence. Their work takes a second. A user with a long career has a few
 * hundred, but a program can add as many as it likes.
 */
export const evidenceLimit = 1_000;

/** The events of a user from a revision on, up to and including the first one after `until` (epoch milliseconds). */
interface StreamRange {
  readonly userId: string;
  readonly from: number;
  readonly until: number;
}

/** Returns the stored events of a range. Rejects with `evidence-too-large` if they are too many. */
export const storedEvents = async (
  { sealedFacts }: Pick<SignedSources, 'sealedFacts'>,
  { userId, from, until }: StreamRange,
): Promise<readonly RecordedEvent[]> => {
  const events: RecordedEvent[] = [];
  for await (const event of sealedFacts.readStream(streamName('user', userId), from)) {
    const isAfter = Date.parse(event.metadata.at) > until;
    if (!isAfter && event.revision >= evidenceLimit)
      throw new DomainError('evidence-too-large', { limit: evidenceLimit });
    events.push(event);
    if (isAfter) break;
  }
  return events;
};

/** Returns a checkpoint whose tree contains an event. Rejects with `LogBehind` after the timeout. */
export const coveringCheckpoint = async (
  { transparencyLog, timeoutMs = TIMEOUT_MS }: SignedSources,
  event: RecordedEvent,
): Promise<CurrentCheckpoint> => {
  for (const end = Date.now() + timeoutMs; ; await pause(POLL_MS)) {
    const [index] = await transparencyLog.indexesOf([event]);
    const checkpoint = index === undefined ? undefined : await transparencyLog.current(index + 1);
    if (checkpoint !== undefined) return checkpoint;
    if (Date.now() >= end) throw new LogBehind(event);
  }
};

/** Returns events with their indexes. Rejects if the tree does not contain all of them. */
export const placesOf = async (
  { transparencyLog }: SignedSources,
  events: readonly RecordedEvent[],
): Promise<readonly Placed[]> => {
  const indexes = await transparencyLog.indexesOf(events);
  return events.map((event, at) => {
    const index = indexes[at];
    if (index !== undefined) return { event, index };
    const { id, stream, revision } = event;
    throw new Error(
      `event ${id} (${stream}, revision ${revision}) is not in the signed log: run \`npm run cli -- audit prove\``,
    );
  });
};

/**
 * Returns the events of a range that are in the tree of a checkpoint. `known` are the first events of the range, which
 * the tree contains. More events may have been appended since `known` was read.
 */
export const placedEvents = async (
  sources: SignedSources,
  { size }: CurrentCheckpoint,
  range: Omit<StreamRange, 'from'>,
  known: readonly RecordedEvent[],
): Promise<readonly Placed[]> => {
  const later = await storedEvents(sources, { ...range, from: known.length });
  const indexes = await sources.transparencyLog.indexesOf(later);
  const inTree = later.filter((_, at) => (indexes[at] ?? size) < size);
  return placesOf(sources, [...known, ...inTree]);
};
