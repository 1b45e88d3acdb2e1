// The facts in the schema versions of this program: events recorded in an older version read as if they had been
// recorded in the current version. Only this module applies upcasters, so every reader sees one shape.
import type { Facts, LogPage, RecordedEvent } from './facts.js';

/** Converts the payload of one schema version to the payload of the next. */
export type Upcaster = (data: never) => unknown;

/**
 * Returns facts that upcast every event that is read. `upcasters` has every event type that the program knows, with the
 * upcasters from version 1. An event of an unknown type stays unchanged. An event of an unknown version gets the flaw
 * `too-new`.
 */
export const withUpcasters = (facts: Facts, upcasters: ReadonlyMap<string, readonly Upcaster[]>): Facts => {
  const readable = (event: RecordedEvent): RecordedEvent => upcast(event, upcasters);
  const page = (read: LogPage): LogPage => ({ ...read, events: read.events.map(readable) });
  return {
    maxAppendBytes: facts.maxAppendBytes,
    append: (stream, expected, events) => facts.append(stream, expected, events),
    readStream: (stream, fromRevision) => mapped(facts.readStream(stream, fromRevision), readable),
    readStreamBackwards: (stream) => mapped(facts.readStreamBackwards(stream), readable),
    readLog: async (range, limit) => page(await facts.readLog(range, limit)),
    readLogBackwards: async (range, limit) => page(await facts.readLogBackwards(range, limit)),
    head: () => facts.head(),
    subscribe: (range, signal) => mapped(facts.subscribe(range, signal), page),
    truncations: (aggregates) => facts.truncations(aggregates),
    close: () => facts.close(),
  };
};

/** Returns an event in the current version of its schema, as `withUpcasters` reads it. */
export const upcast = (event: RecordedEvent, all: ReadonlyMap<string, readonly Upcaster[]>): RecordedEvent => {
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

async function* mapped<T>(items: AsyncIterable<T>, map: (item: T) => T): AsyncGenerator<T> {
  for await (const item of items) yield map(item);
}
