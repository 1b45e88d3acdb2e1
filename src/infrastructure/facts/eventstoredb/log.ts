// Reads pages of the log. The server filters them. If our events are rare, a filtered read may find none for long, and
// it does not report how far it came. The rest of the time then goes to reads without a filter, which always advance.
import { DeadlinePassed } from '../../async.js';
import { aggregateOf } from '../../stream-name.js';
import type { LogPage, LogRange, Position, RecordedEvent } from '../facts.js';
import { DOUBT_MS, type EventStoreDbConnection } from './connection.js';
import { isTimeout } from './errors.js';
import { later, reaches } from './events.js';
import { logRequest } from './messages.js';

// How long a filtered read may take. It casts no doubt on the connection, because its silence is no fault.
const FILTERED_MS = DOUBT_MS - 100;
// How many events one read without a filter examines.
const UNFILTERED_EVENTS = 512;

/** A part of a page: how much of the log it may read, and in which time. */
interface Part {
  readonly range: LogRange;
  readonly limit: number;
  /** The head of the log before the first read of the page. */
  readonly head: Position | undefined;
  readonly isFiltered: boolean;
  readonly ms: number;
}

/** Returns the position of the last event of the log, even if the event is EventStoreDB's own. */
export const readHead = async (connection: EventStoreDbConnection, ms: number): Promise<Position | undefined> => {
  const request = logRequest({ after: undefined, direction: 'backwards' }, 1);
  return (await connection.read(request, ms)).events.at(0)?.position;
};

/** Returns the page of at most `limit` events. Rejects with `DeadlinePassed` if nothing of it arrived in time. */
export const readPage = async (
  connection: EventStoreDbConnection,
  range: LogRange,
  limit: number,
  ms: number,
): Promise<LogPage> => {
  const until = Date.now() + ms;
  const isBackwards = range.direction === 'backwards';
  // The head is read first: whatever is committed between the two reads is behind it.
  const head = isBackwards ? undefined : await readHead(connection, ms);
  if (!isBackwards && reaches(range.after, head)) return { events: [], position: range.after, atEnd: true };
  const left = () => Math.max(1, until - Date.now());
  const filtered = { range, limit, head, isFiltered: true, ms: Math.min(FILTERED_MS, left() / 2) };
  const found = await readPart(connection, filtered).catch(noneInTime);
  if (found !== undefined && hasAdvanced(found, range)) return found;
  return readUnfiltered(connection, { range, limit, head, isFiltered: false, ms: left() });
};

const readUnfiltered = async (connection: EventStoreDbConnection, part: Part): Promise<LogPage> => {
  const until = Date.now() + part.ms;
  let page: LogPage = { events: [], position: part.range.after, atEnd: false };
  for (let left = part.ms; left > 0 && page.events.length === 0 && !page.atEnd; left = until - Date.now()) {
    const next = await readPart(connection, {
      ...part,
      range: { ...part.range, after: page.position },
      ms: left,
    }).catch(noneInTime);
    if (next === undefined) break;
    page = next;
  }
  if (!hasAdvanced(page, part.range)) throw new DeadlinePassed(part.ms);
  return page;
};

const noneInTime = (error: unknown): undefined => {
  if (!isTimeout(error)) throw error;
};

const hasAdvanced = ({ position, atEnd }: LogPage, { after }: LogRange): boolean => atEnd || position !== after;

const readPart = async (connection: EventStoreDbConnection, part: Part): Promise<LogPage> => {
  const { range, limit, head, isFiltered, ms } = part;
  const { aggregates, after, direction } = range;
  // A read forwards returns the event at its start too.
  const count = isFiltered ? limit + 1 : UNFILTERED_EVENTS;
  const { events: read, isWhole } = await connection.read(
    logRequest(range, count, isFiltered ? aggregates : undefined),
    ms,
  );
  const examined = read.filter(({ position }) => direction === 'backwards' || position > (after ?? ''));
  const events = examined.filter((event) => isFactOf(aggregates, event)).slice(0, limit);
  const isFull = events.length === limit;
  const last = (isFull ? events : examined).at(-1)?.position ?? after;
  const atEnd = isWhole && !isFull && read.length < count;
  return { events, position: atEnd ? later(last, head) : last, atEnd };
};

// EventStoreDB itself may write into a stream of ours, for example a tombstone or a link. Such an event is no fact.
const isFactOf = (aggregates: readonly string[], { stream, type }: RecordedEvent): boolean =>
  !type.startsWith('$') && aggregates.includes(aggregateOf(stream));
