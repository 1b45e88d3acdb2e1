// Reads pages of the log on SQLite, in the main thread or in a thread with its own connection.
import { openForReading, preparedOnce } from '../sqlite/database.js';
import type { Database } from '../sqlite/driver.js';
import type { LogPage, LogRange, LogRangeBackwards, RecordedEvent, ThreadLog } from './facts.js';
import { type EventRow, toEvent, toPosition } from './sqlite-rows.js';

// Reading a page blocks the event loop. A page of this size takes a few milliseconds.
export const PAGE_EVENTS = 256;
const PAGE_BYTES = 524_288;
// How many rows of other aggregates one page may pass over.
const PAGE_WINDOW = 8_192;

const RANGES = {
  forwards: { range: 'position > ? AND position <= ?', order: 'position' },
  backwards: { range: 'position >= ? AND position < ?', order: 'position DESC' },
};

/** Reads the log on a connection. Throws the errors of SQLite. */
export class SqliteLog {
  readonly #prepared;
  readonly #head;

  constructor(db: Database) {
    this.#prepared = preparedOnce(db);
    this.#head = db.prepareValue<[], number | null>('SELECT max(position) FROM events');
  }

  /** Returns the position of the last event; 0 if the log is empty. */
  head(): number {
    return this.#head.get() ?? 0;
  }

  /** Returns the page of at most `limit` events after a position. */
  page({ aggregates, after }: LogRange, limit: number): LogPage {
    const from = after === undefined ? 0 : Number(after);
    const head = this.head();
    const to = Math.min(head, from + PAGE_WINDOW);
    if (to <= from) return { events: [], position: after, atEnd: true };
    const rows = this.#rows('forwards', [from, to], aggregates);
    const { events, bytes, complete } = pageOf(rows, Math.min(limit, PAGE_EVENTS));
    const position = complete ? toPosition(to) : (events.at(-1)?.position ?? after);
    return { events, position, atEnd: complete && to === head, bytes };
  }

  /** Returns the page of at most `limit` events before a position, the last of them first. */
  pageBackwards({ aggregates, before }: LogRangeBackwards, limit: number): LogPage {
    const from = before === undefined ? this.head() + 1 : Number(before);
    const to = Math.max(0, from - PAGE_WINDOW);
    const rows = this.#rows('backwards', [to, from], aggregates);
    const { events, complete } = pageOf(rows, Math.min(limit, PAGE_EVENTS));
    const atEnd = complete && to === 0;
    return { events, position: complete ? toPosition(to) : events.at(-1)?.position, atEnd };
  }

  #rows(direction: keyof typeof RANGES, positions: readonly [number, number], aggregates: readonly string[]) {
    const { range, order } = RANGES[direction];
    // The streams of an aggregate are those from `<aggregate>-` to before `<aggregate>.`. Without `+`, SQLite would
    // find all of them by their index and sort their events by position.
    const isOfOne = aggregates.map(() => '(+stream >= ? AND +stream < ?)').join(' OR ') || 'false';
    const bounds = aggregates.flatMap((aggregate) => [`${aggregate}-`, `${aggregate}.`]);
    const sql = `SELECT * FROM events WHERE ${range} AND (${isOfOne}) ORDER BY ${order}`;
    return this.#prepared<EventRow>(sql).iterate(...positions, ...bounds);
  }
}

/**
 * Returns the events of at most `limit` rows, and fewer if they are large. `complete` means that these are all rows.
 */
export const pageOf = (rows: Iterable<EventRow>, limit: number) => {
  const events: RecordedEvent[] = [];
  let bytes = 0;
  for (const row of rows) {
    events.push(toEvent(row));
    bytes += row.data.length;
    if (events.length >= limit || bytes >= PAGE_BYTES) return { events, bytes, complete: false };
  }
  return { events, bytes, complete: true };
};

/** Opens the log in a file for the calling thread. */
export const openLog = (file: string): ThreadLog => {
  const log = new SqliteLog(openForReading(file));
  return { readLog: async (range, limit) => log.page(range, limit) };
};
