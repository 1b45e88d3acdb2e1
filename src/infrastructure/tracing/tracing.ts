// The port of the traces: spans of what the service does. A span carries route templates, names from the program and
// ids. It never carries a value that a client sent, nor the message of an error, because both may be personal.

/** The place of a span: its trace and its own id, in hexadecimal digits (W3C Trace Context). */
export interface SpanPlace {
  readonly traceId: string;
  readonly spanId: string;
}

/** The span of another program that a request belongs to. */
export interface RemoteSpan extends SpanPlace {
  /** Whether the other program records the trace. If it does not, this program does not either. */
  readonly isSampled: boolean;
}

export type SpanAttributes = Readonly<Record<string, string | number>>;

/** A span to start. */
export interface NewSpan {
  readonly name: string;
  /** `server`: the work for a request. `client`: a call to a store. `consumer`: work that an earlier request caused. */
  readonly kind: 'server' | 'client' | 'consumer';
  readonly attributes: SpanAttributes;
  /** The parent of the span. Default: the span around the call, if there is one. */
  readonly parent?: RemoteSpan | undefined;
  /** The place of the span, so that other programs can derive it. A parent and its child have the same trace. */
  readonly place?: SpanPlace | undefined;
  /** The spans that caused the work. */
  readonly links?: readonly SpanPlace[];
}

/** A running span. */
export interface Span {
  rename(name: string): void;
  set(attributes: SpanAttributes): void;
  /** Marks the work as failed. `type` is the kind of failure. */
  fail(type: string): void;
}

export interface Tracing {
  /**
   * Runs work in a span. The span ends with the work, and fails if the work rejects. Spans that start within the work
   * are part of the span. Never fails or delays the work.
   */
  span<T>(start: NewSpan, work: (span: Span) => Promise<T>): Promise<T>;

  /** Returns the place of the span around the call. */
  currentSpan(): SpanPlace | undefined;

  /** Sends the spans that were not sent yet, but does not wait longer than a stop allows. */
  close(): Promise<void>;
}
