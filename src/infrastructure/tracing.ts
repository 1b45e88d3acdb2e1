// Spans of what the service does, made with the API of OpenTelemetry. They cost almost nothing unless the operator loads
// an SDK (examples/tracing.mjs). A span carries route templates, names from the program and ids. It never carries a
// value that a client sent, nor the message of an error, because both may be personal.
import {
  type Context,
  context,
  isSpanContextValid,
  type Span,
  type SpanOptions,
  SpanStatusCode,
  type TracerProvider,
  trace,
} from '@opentelemetry/api';
import { settlesWithin } from './async.js';

const FLUSH_MS = 1_000;

export const tracer = trace.getTracer('clinical-protocols');

/** Runs a task in a span, which ends with the task. Spans that start within the task are children of the span. */
export const inSpan = <T>(name: string, options: SpanOptions, task: (span: Span) => Promise<T>): Promise<T> => {
  const span = tracer.startSpan(name, options);
  return within(span, async () => {
    try {
      return await task(span);
    } catch (error) {
      markFailed(span, error instanceof Error ? error.name : typeof error);
      throw error;
    } finally {
      span.end();
    }
  });
};

/** Runs a task. Spans that start within the task are children of the span. */
export const within = <T>(span: Span, task: () => T): T =>
  // Without an SDK, a span has no ids that a child could name.
  isSpanContextValid(span.spanContext()) ? context.with(trace.setSpan(context.active(), span), task) : task();

/** Marks what a span describes as failed. `type` is the kind of failure. */
export const markFailed = (span: Span, type: string): void => {
  span.setAttribute('error.type', type).setStatus({ code: SpanStatusCode.ERROR });
};

// W3C Trace Context, 3.2: version, trace id, parent id, flags; neither id may be all zeros.
const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?$/;

/**
 * Returns the context of a request: the active span, or the span that a `traceparent` header names. Ignores
 * `tracestate` and `baggage`, in which a client may send anything, because an SDK would export them.
 */
export const callerContext = (traceparent: string | string[] | undefined): Context => {
  const active = context.active();
  if (traceparent === undefined || trace.getSpan(active) !== undefined) return active;
  const [, traceId, spanId, flags = '0'] = TRACEPARENT.exec(String(traceparent)) ?? [];
  if (traceId === undefined || spanId === undefined) return active;
  return trace.setSpanContext(active, { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true });
};

/** The provider of an SDK, of which the API knows only a part. */
interface SdkProvider extends TracerProvider {
  readonly getDelegate?: () => SdkProvider;
  readonly forceFlush?: () => Promise<void>;
}

/** Sends the spans that an SDK still holds, but waits no longer than a stop allows. */
export const flushSpans = async (): Promise<void> => {
  const provider: SdkProvider = trace.getTracerProvider();
  const sdk = provider.getDelegate?.() ?? provider;
  if (sdk.forceFlush !== undefined) await settlesWithin(sdk.forceFlush(), FLUSH_MS);
};
