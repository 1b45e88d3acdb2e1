// Converts rows of the facts on SQLite to events of the port.
import { EventDamaged } from '../../errors.js';
import { parsedPayload } from '../../sealing/payload.js';
import type { Position, RecordedEvent } from '../facts.js';

export interface EventRow {
  readonly position: number;
  readonly stream: string;
  readonly revision: number;
  readonly id: string;
  readonly type: string;
  readonly data: string;
  readonly metadata: string;
}

export const toPosition = (position: number): Position => String(position).padStart(16, '0');

/** Returns the event of a row. Throws `EventDamaged` if the row is not as an append wrote it. */
export const toEvent = (row: EventRow): RecordedEvent => {
  const { stream, revision, id, type } = row;
  const position = toPosition(row.position);
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
