// Upcasters: an event recorded in an older schema version reads as if it had been recorded in the current version.
import type { RecordedEvent } from './facts.js';

type Upcaster = (data: never) => unknown;

/** The upcasters from version 1 of every event type that the program knows. */
export type UpcasterTable = ReadonlyMap<string, readonly Upcaster[]>;

/**
 * Returns an event in the current version of its schema. An event of an unknown type stays unchanged. An event of an
 * unknown version gets the flaw `too-new`.
 */
export const upcast = (event: RecordedEvent, all: UpcasterTable): RecordedEvent => {
  const { type, metadata, data } = event;
  const upcasters = all.get(type);
  if (upcasters === undefined) return event;
  const { schemaVersion } = metadata;
  const known = upcasters.length + 1;
  if (schemaVersion === known) return event;
  if (!Number.isInteger(schemaVersion) || schemaVersion < 1 || schemaVersion > known) {
    const what = `schema version ${schemaVersion} of ${type}, of which this version knows 1 to ${known}`;
    return { ...event, flaw: { kind: 'too-new', what } };
  }
  const metadataNow = { ...metadata, schemaVersion: known };
  return { ...event, data: upcastPayload(upcasters, schemaVersion, data), metadata: metadataNow };
};

/** Returns a payload of a schema version in the current shape. `upcasters` are for its type, from version 1. */
export const upcastPayload = (upcasters: readonly Upcaster[], schemaVersion: number, data: unknown): unknown =>
  upcasters.slice(schemaVersion - 1).reduce((before, upcaster) => upcaster(before as never), data);
