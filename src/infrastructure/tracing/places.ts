// The places of spans, as other programs and stored data name them.
import type { RemoteSpan, SpanPlace } from './tracing.js';

// W3C Trace Context, 3.2: version, trace id, parent id, flags; neither id may be all zeros. The last bit of the flags
// shows whether the caller records the trace.
const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-[0-9a-f]([0-9a-f])(-.*)?$/;

/** Returns the span that a `traceparent` header names; undefined if it names none. */
export const remoteSpanOf = (traceparent: string | string[] | undefined): RemoteSpan | undefined => {
  const [, traceId, spanId, flags = '0'] = TRACEPARENT.exec(String(traceparent)) ?? [];
  if (traceId === undefined || spanId === undefined) return undefined;
  return { traceId, spanId, isSampled: Number.parseInt(flags, 16) % 2 === 1 };
};

const TRACE_ID = /^(?!0{32})[0-9a-f]{32}$/;
const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/;

/**
 * Returns the place of a request's span, from the trace and the request that every event records; undefined if they
 * name none. The id of the span is the second half of the request's id, which is random in a UUID v7.
 */
export const placeOfRequest = ({ correlationId, causationId }: Cause): SpanPlace | undefined =>
  TRACE_ID.test(correlationId) && UUID.test(causationId)
    ? { traceId: correlationId, spanId: causationId.replaceAll('-', '').slice(16) }
    : undefined;

/** The trace and the id of the request that caused something, as in the metadata of an event. */
export interface Cause {
  readonly correlationId: string;
  readonly causationId: string;
}
