// The formats of the audit trail.
import type { EventMetadata, RecordedEvent } from '../infrastructure/facts/facts.js';
import { aggregateIdOf, aggregateOf } from '../infrastructure/stream-name.js';

// The payload includes the stored digests. With its digest, a single disclosed value can be verified.
const payloadOf = ({ data, digests }: RecordedEvent): unknown =>
  digests === undefined ? data : { ...(data as object), digests };

/** Returns an event as auditors see it: a flat object, except for its payload and its actor. */
export const entryOf = (event: RecordedEvent) => {
  const { position, stream, revision, id, type, metadata } = event;
  const { at, actor, origin, correlationId, causationId, schemaVersion } = metadata;
  const category = aggregateOf(stream);
  const head = { position, stream, category, revision, id, type, at, actor, origin: origin ?? null };
  const tail = { correlationId, causationId, schemaVersion, data: payloadOf(event), ...clockOf(metadata) };
  return { ...head, ...sessionOf(metadata), ...tail };
};

// Absent if nothing was recorded, so that the lines of older events stay the same as in older bundles.
const sessionOf = ({ sessionId, address, sealedAddress }: EventMetadata) => ({
  ...(sessionId !== undefined && { sessionId }),
  ...(address !== undefined && { address }),
  ...(sealedAddress !== undefined && { sealedAddress }),
});

// Under `metadata`, because verifiers know which other members an entry has.
const clockOf = ({ clock }: EventMetadata) => clock !== undefined && { metadata: { clock } };

const SHOWN: ReadonlySet<string> = new Set<keyof EventMetadata>([
  ...(['at', 'actor', 'origin', 'sessionId', 'address', 'sealedAddress'] as const),
  ...(['correlationId', 'causationId', 'schemaVersion'] as const),
]);

/**
 * Returns an event as a line of a bundle, from which its leaf in the transparency log can be computed. Metadata that
 * the entry omits or changes is added as `metadata`: the `clock`, and what other programs recorded.
 */
export const lineOf = (event: RecordedEvent) => {
  const others = Object.entries(event.metadata).filter(([name, value]) => !SHOWN.has(name) || value === null);
  return others.length === 0 ? entryOf(event) : { ...entryOf(event), metadata: Object.fromEntries(others) };
};

/**
 * Returns an event in the JSON format of CloudEvents 1.0. Extension names have only lower-case letters and digits
 * (3.1).
 */
const cloudEventOf = (event: RecordedEvent) => {
  const { position, stream, revision, id, type, metadata } = event;
  return {
    specversion: '1.0',
    id,
    source: `/streams/${stream}`,
    type,
    subject: aggregateIdOf(stream),
    time: metadata.at,
    datacontenttype: 'application/json',
    position,
    revision,
    actor: metadata.actor.id,
    ...(metadata.clock !== undefined && { clock: metadata.clock }),
    ...(metadata.origin !== undefined && { origin: metadata.origin }),
    ...(metadata.sessionId !== undefined && { sessionid: metadata.sessionId }),
    ...(typeof metadata.address === 'string' && { address: metadata.address }),
    correlationid: metadata.correlationId,
    causationid: metadata.causationId,
    schemaversion: metadata.schemaVersion,
    data: payloadOf(event),
  };
};

/** Yields pages of events as JSON lines, one text per page. Its reader can leave after any page, even an empty one. */
export async function* asLines(pages: AsyncIterable<readonly RecordedEvent[]>): AsyncGenerator<string> {
  for await (const events of pages) yield events.map((event) => `${JSON.stringify(entryOf(event))}\n`).join('');
}

/** Yields pages of events as one JSON list of CloudEvents (JSON batch format, 4.2), one text per page. */
export async function* asCloudEvents(pages: AsyncIterable<readonly RecordedEvent[]>): AsyncGenerator<string> {
  let before = '[';
  for await (const events of pages) {
    const list = events.map((event) => JSON.stringify(cloudEventOf(event))).join(',');
    yield list === '' ? '' : before + list;
    if (list !== '') before = ',';
  }
  yield before === '[' ? '[]' : ']';
}
