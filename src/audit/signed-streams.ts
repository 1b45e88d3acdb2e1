// The events of users with their indexes in the signed log.
import { setTimeout as pause } from 'node:timers/promises';
import type { Facts, RecordedEvent } from '../infrastructure/facts/facts.js';
import { streamName } from '../infrastructure/stream-name.js';
import type { CurrentCheckpoint, TransparencyLog } from '../transparency/log.js';

/** The sources of signed streams. */
export interface SignedSources {
  /** The facts as they are stored, sealed. */
  readonly sealedFacts: Pick<Facts, 'readStream'>;
  readonly transparencyLog: Pick<TransparencyLog, 'current' | 'indexOf' | 'inclusionProof'>;
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

/** Returns the stored events of a user, starting at a revision. */
export const storedEvents = async (
  { sealedFacts }: Pick<SignedSources, 'sealedFacts'>,
  userId: string,
  fromRevision = 0,
): Promise<readonly RecordedEvent[]> => {
  const events: RecordedEvent[] = [];
  for await (const event of sealedFacts.readStream(streamName('user', userId), fromRevision)) events.push(event);
  return events;
};

/** Returns a checkpoint whose tree contains an event. Rejects with `LogBehind` after the timeout. */
export const coveringCheckpoint = async (
  { transparencyLog, timeoutMs = TIMEOUT_MS }: SignedSources,
  event: RecordedEvent,
): Promise<CurrentCheckpoint> => {
  for (const end = Date.now() + timeoutMs; ; await pause(POLL_MS)) {
    const isInTree = (await transparencyLog.indexOf(event)) !== undefined;
    const checkpoint = isInTree ? await transparencyLog.current() : undefined;
    if (checkpoint !== undefined) return checkpoint;
    if (Date.now() >= end) throw new LogBehind(event);
  }
};

/** Returns an event with its index in the tree. Rejects if the tree does not contain the event. */
export const placeOf = async ({ transparencyLog }: SignedSources, event: RecordedEvent): Promise<Placed> => {
  const index = await transparencyLog.indexOf(event);
  if (index !== undefined) return { event, index };
  const { id, stream, revision } = event;
  throw new Error(
    `event ${id} (${stream}, revision ${revision}) is not in the signed log: run \`npm run cli -- audit prove\``,
  );
};

/**
 * Returns all events of a user in the tree of a checkpoint. `known` are the first events of the user, which the tree
 * contains. More events may have been appended since `known` was read.
 */
export const placedEvents = async (
  sources: SignedSources,
  { size }: CurrentCheckpoint,
  userId: string,
  known: readonly RecordedEvent[],
): Promise<readonly Placed[]> => {
  const placed: Placed[] = [];
  for (const event of known) placed.push(await placeOf(sources, event));
  for (const event of await storedEvents(sources, userId, known.length)) {
    const index = await sources.transparencyLog.indexOf(event);
    if (index === undefined || index >= size) break;
    placed.push({ event, index });
  }
  return placed;
};
