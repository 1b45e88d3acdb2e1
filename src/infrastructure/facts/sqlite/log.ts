// Reads pages of the log on SQLite.
import { EventDamaged } from '../../errors.js';
import { firstPage } from '../../pages.js';
import { preparedOnce } from '../../sqlite/database.js';
import type { Database } from '../../sqlite/driver.js';
import { type LogPage, type LogRange, type Position, type RecordedEvent, SEALED } from '../facts.js';

export interface EventRow {
  readonly position: number;
  readonly stream: string;
  readonly revision: number;
  readonly id: string;
  readonly type: string;
  readonly data: string;
  readonly metadata: string;
}

// How many rows of other aggregates one page may pass over.
const PAGE_WINDOW = 8_192;

const RANGES = {
  forwards: { range: 'position > ? AND position <= ?', order: 'position' },
  backwards: { range: 'position >= ? AND position < ?', order: 'position DESC' },
};

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

  /** Returns the page of at most `limit` events after a position, or before it. */
  page(range: LogRange, limit: number): LogPage {
    const { low, high, end, isLast } = windowOf(range, this.head());
    if (low >= high) return { events: [], position: range.after, atEnd: true };
    const rows = this.#rows(range, [low, high]);
    const { events, bytes, complete } = eventPage(rows, limit);
    const position = complete ? positionOf(end) : (events.at(-1)?.position ?? range.after);
    return { events, position, atEnd: complete && isLast, bytes };
  }

  #rows({ aggregates, direction = 'forwards' }: LogRange, positions: readonly [number, number]) {
    const { range, order } = RANGES[direction];
    // The streams of an aggregate are those from `<aggregate>-` to before `<aggregate>.`. Without `+`, SQLite would
    // find all of them by their index and sort their events by position.
    const isOfOne = aggregates.map(() => '(+stream >= ? AND +stream < ?)').join(' OR ') || 'false';
    const bounds = aggregates.flatMap((aggregate) => [`${aggregate}-`, `${aggregate}.`]);
    const sql = `SELECT * FROM events WHERE ${range} AND (${isOfOne}) ORDER BY ${order}`;
    return this.#prepared<EventRow>(sql).iterate(...positions, ...bounds);
  }
}

/** Returns the bounds of the positions that a page examines, its last position, and whether the range ends there. */
const windowOf = ({ after, direction }: LogRange, head: number) => {
  if (direction === 'backwards') {
    const high = after === undefined ? head + 1 : Number(after);
    const low = Math.max(0, high - PAGE_WINDOW);
    return { low, high, end: low, isLast: low === 0 };
  }
  const low = after === undefined ? 0 : Number(after);
  const high = Math.min(head, low + PAGE_WINDOW);
  return { low, high, end: high, isLast: high === head };
};

/** Returns the events of a page of rows. In a damaged file, a payload may be something other than a text. */
export const eventPage = (rows: Iterable<EventRow>, limit?: number) => {
  const { page, ...rest } = firstPage(rows, ({ data }) => String(data).length, limit);
  return { events: page.map(toEvent), ...rest };
};

export const positionOf = (position: number): Position => String(position).padStart(16, '0');

/** Returns the event of a row. Throws `EventDamaged` if the row is not as an append wrote it. */
const toEvent = (row: EventRow): RecordedEvent => {
  const { stream, revision, id, type } = row;
  const position = positionOf(row.position);
  const damaged = (what: string) => new EventDamaged({ stream, revision, id, position }, what);
  const isTyped = isText(stream) && isText(id) && isText(type) && Number.isSafeInteger(revision);
  // In a damaged file, any column may have a value of any type.
  if (!isTyped || !isText(row.data) || !isText(row.metadata)) throw damaged('a column has a value of another type');
  try {
    return { id, type, data: parsedPayload(row.data), metadata: JSON.parse(row.metadata), stream, revision, position };
  } catch {
    throw damaged('its payload or its metadata is not JSON');
  }
};

const isText = (value: unknown): value is string => typeof value === 'string';

const SEALED_MEMBER = `,"${SEALED}":"`;

/**
 * Parses the stored text of a payload. Damage can turn a character of the sealed text into one that JSON does not allow
 * there. In that case, the open members are still returned, with the sealed text as it is, which cannot be opened.
 * Throws `SyntaxError` if the damage is elsewhere.
 */
export const parsedPayload = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch (error) {
    const start = text.lastIndexOf(SEALED_MEMBER);
    if (start < 0) throw error;
    return { ...JSON.parse(`${text.slice(0, start)}}`), [SEALED]: text.slice(start + SEALED_MEMBER.length) };
  }
};
