// Reads pages of the log. The server filters them. If our events are rare, a filtered read may find none for long, and
// it does not report how far it came. The rest of the time then goes to reads without a filter, which always advance.
import { DeadlinePassed } from '../../async.js';
import { aggregateOf } from '../../stream-name.js';
import type { LogPage, LogRange, RecordedEvent } from '../facts.js';
import { DOUBT_MS, type EventStoreDbConnection } from './connection.js';
import { isTimeout } from './errors.js';
import { reaches } from './events.js';
import { logRequest, streamsOf } from './messages.js';

// How long a filtered read may take. It casts no doubt on the connection, because its silence is no fault.
const FILTERED_MS = DOUBT_MS - 100;
// How many events one read without a filter examines.
const UNFILTERED_EVENTS = 512;

type LogConnection = Pick<EventStoreDbConnection, 'read'>;

/** A part of a page: how much of the log it may read, and in which time. */
interface Part {
  readonly range: LogRange;
  readonly limit: number;
  /** The last event of the log before the first read of the page. */
  readonly head: RecordedEvent | undefined;
  readonly isFiltered: boolean;
  readonly ms: number;
}

/** Returns the last event of the log, even if the event is EventStoreDB's own. */
export const readLast = async (connection: LogConnection, ms: number): Promise<RecordedEvent | undefined> =>
  (await connection.read(logRequest({ direction: 'backwards' }, 1), ms)).events.at(0);

/** Returns the page of at most `limit` events. Rejects with `DeadlinePassed` if nothing of it arrived in time. */
export const readPage = async (
  connection: LogConnection,
  range: LogRange,
  limit: number,
  ms: number,
): Promise<LogPage> => {
  const until = performance.now() + ms;
  const isBackwards = range.direction === 'backwards';
  // The head is read first: whatever is committed between the two reads is behind it.
  const head = isBackwards ? undefined : await readLast(connection, ms);
  if (!isBackwards && reaches(range.after, head?.position)) return { events: [], position: range.after, atEnd: true };
  const left = () => Math.max(1, until - performance.now());
  const filtered = { range, limit, head, isFiltered: true, ms: Math.min(FILTERED_MS, left() / 2) };
  const found = await readPart(connection, filtered).catch(noneInTime);
  if (found !== undefined && hasAdvanced(found, range)) return found;
  return readUnfiltered(connection, { range, limit, head, isFiltered: false, ms: left() });
};

const readUnfiltered = async (connection: LogConnection, part: Part): Promise<LogPage> => {
  const until = performance.now() + part.ms;
  let page: LogPage = { events: [], position: part.range.after, atEnd: false };
  for (let left = part.ms; left > 0 && page.events.length === 0 && !page.atEnd; left = until - performance.now()) {
    const next = await readPart(connection, {
      ...part,
      range: { ...part.range, after: page.position },
      ms: left,
    }).catch(noneInTime);
    if (next === undefined || next.position === page.position) break;
    page = next;
  }
  if (!hasAdvanced(page, part.range)) throw new DeadlinePassed(part.ms);
  return page;
};

const noneInTime = (error: unknown): undefined => {
  if (!isTimeout(error)) throw error;
};

const hasAdvanced = ({ position, atEnd }: LogPage, { after }: LogRange): boolean => atEnd || position !== after;

const readPart = async (connection: LogConnection, part: Part): Promise<LogPage> => {
  const { range, limit, head, isFiltered, ms } = part;
  const { aggregates, after, direction } = range;
  // A read forwards returns the event at its start too.
  const count = isFiltered ? limit + 1 : UNFILTERED_EVENTS;
  const { events: read, isWhole } = await connection.read(
    logRequest(range, count, isFiltered ? prefixesOf(part) : undefined),
    ms,
  );
  const examined = read.filter(({ position }) => direction === 'backwards' || position > (after ?? ''));
  const events = examined.filter((event) => isFactOf(aggregates, event)).slice(0, limit);
  const isFull = events.length === limit;
  const position = (isFull ? events : examined).at(-1)?.position ?? after;
  const hasAll = head === undefined ? isWhole : reaches(position, head.position);
  return { events, position, atEnd: hasAll && !isFull && read.length < count };
};

// The stream of the head is read too, so that every whole response forwards contains the head. Otherwise, a response that
// a server or a proxy cut short would look whole, and the reader would skip events permanently.
const prefixesOf = ({ range, head }: Part): readonly string[] => [
  ...streamsOf(range.aggregates),
  ...(head === undefined ? [] : [head.stream]),
];

// EventStoreDB itself may write into a stream of ours, for example a tombstone or a link. Such an event is no fact.
const isFactOf = (aggregates: readonly string[], { stream, type }: RecordedEvent): boolean =>
  !type.startsWith('$') && aggregates.includes(aggregateOf(stream));
