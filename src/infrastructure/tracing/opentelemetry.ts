// Traces with the SDK of OpenTelemetry, sent with OTLP over HTTP. The SDK reads the OTEL_ variables itself. Nothing is
// registered globally and no module is patched: the program starts every span itself.
import { AsyncLocalStorage } from 'node:async_hooks';
import { hostname } from 'node:os';
import {
  type Span as ApiSpan,
  type Context,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import {
  BasicTracerProvider,
  BatchSpanProcessor,
  type IdGenerator,
  RandomIdGenerator,
} from '@opentelemetry/sdk-trace-base';
import { settlesWithin } from '../async.js';
import type { NewSpan, RemoteSpan, Span, SpanAttributes, SpanPlace, Tracing } from './tracing.js';

const SERVICE = 'clinical-protocols';
const FLUSH_MS = 1_000;
const REPORT_INTERVAL_MS = 60_000;

const KINDS = { server: SpanKind.SERVER, client: SpanKind.CLIENT, consumer: SpanKind.CONSUMER } as const;

/** The options of the traces. */
export interface OpenTelemetryOptions {
  /** Called, at most once a minute, with the error when spans could not be sent. They are lost. */
  readonly onLost: (error: Error) => void;
  /** Returns the milliseconds since any fixed moment. */
  readonly now?: () => number;
}

/**
 * Sends traces to the collector of `OTEL_EXPORTER_OTLP_ENDPOINT`. If the collector is unavailable, spans are lost and
 * nothing waits.
 */
export class OpenTelemetryTracing implements Tracing {
  readonly #provider: BasicTracerProvider;
  readonly #tracer: Tracer;
  readonly #ids = new PlacedIds();
  readonly #activeSpan = new AsyncLocalStorage<ApiSpan>();

  constructor(options: OpenTelemetryOptions) {
    this.#provider = new BasicTracerProvider({
      idGenerator: this.#ids,
      resource: defaultResource()
        .merge(resourceFromAttributes({ 'service.name': SERVICE, 'host.name': hostname(), 'process.pid': process.pid }))
        .merge(detectResources({ detectors: [envDetector] })),
      // The processor holds 2,048 spans and drops the spans beyond that.
      spanProcessors: [new BatchSpanProcessor(new ReportingExporter(options))],
    });
    this.#tracer = this.#provider.getTracer(SERVICE);
  }

  span<T>(start: NewSpan, work: (span: Span) => Promise<T>): Promise<T> {
    const span = this.#begin(start);
    return this.#activeSpan.run(span, async () => {
      try {
        return await work(new OpenTelemetrySpan(span));
      } catch (error) {
        fail(span, error instanceof Error ? error.name : typeof error);
        throw error;
      } finally {
        span.end();
      }
    });
  }

  currentSpan(): SpanPlace | undefined {
    const activeSpan = this.#activeSpan.getStore()?.spanContext();
    return activeSpan && { traceId: activeSpan.traceId, spanId: activeSpan.spanId };
  }

  async close(): Promise<void> {
    await settlesWithin(this.#provider.shutdown(), FLUSH_MS);
  }

  #begin({ name, kind, attributes, parent, place, links = [] }: NewSpan): ApiSpan {
    const linked = links.map((link) => ({ context: { ...link, traceFlags: TraceFlags.NONE, isRemote: true } }));
    const options = { kind: KINDS[kind], attributes, links: linked };
    return this.#ids.placedAt(place, () => this.#tracer.startSpan(name, options, this.#contextOf(parent)));
  }

  #contextOf(parent: RemoteSpan | undefined): Context {
    if (parent !== undefined) return trace.setSpanContext(ROOT_CONTEXT, remote(parent));
    const activeSpan = this.#activeSpan.getStore();
    return activeSpan === undefined ? ROOT_CONTEXT : trace.setSpan(ROOT_CONTEXT, activeSpan);
  }
}

const remote = ({ isSampled, ...place }: RemoteSpan) => ({
  ...place,
  traceFlags: isSampled ? TraceFlags.SAMPLED : TraceFlags.NONE,
  isRemote: true,
});

class OpenTelemetrySpan implements Span {
  readonly #span: ApiSpan;

  constructor(span: ApiSpan) {
    this.#span = span;
  }

  rename(name: string): void {
    this.#span.updateName(name);
  }

  set(attributes: SpanAttributes): void {
    this.#span.setAttributes(attributes);
  }

  fail(type: string): void {
    fail(this.#span, type);
  }
}

// The message and the stack of an error may hold what a client sent.
const fail = (span: ApiSpan, type: string): void => {
  span.setAttribute('error.type', type).setStatus({ code: SpanStatusCode.ERROR });
};

/** Generates random ids, except for a span that starts at a given place. */
class PlacedIds implements IdGenerator {
  readonly #random = new RandomIdGenerator();
  #place: SpanPlace | undefined;

  /** Starts a span at a place. The SDK requests the ids of a span before `begin` returns. */
  placedAt(place: SpanPlace | undefined, begin: () => ApiSpan): ApiSpan {
    this.#place = place;
    try {
      return begin();
    } finally {
      this.#place = undefined;
    }
  }

  generateTraceId(): string {
    return this.#place?.traceId ?? this.#random.generateTraceId();
  }

  generateSpanId(): string {
    return this.#place?.spanId ?? this.#random.generateSpanId();
  }
}

/** An exporter that reports failures. The SDK itself reports none. */
class ReportingExporter extends OTLPTraceExporter {
  readonly #onLost: (error: Error) => void;
  readonly #now: () => number;
  #reportedAt = Number.NEGATIVE_INFINITY;

  constructor({ onLost, now = () => performance.now() }: OpenTelemetryOptions) {
    super();
    this.#onLost = onLost;
    this.#now = now;
  }

  override export(...[spans, done]: Parameters<OTLPTraceExporter['export']>): void {
    super.export(spans, (result) => {
      if (result.error !== undefined) this.#report(result.error);
      done(result);
    });
  }

  #report(error: Error): void {
    const now = this.#now();
    if (now - this.#reportedAt < REPORT_INTERVAL_MS) return;
    this.#reportedAt = now;
    this.#onLost(error);
  }
}
