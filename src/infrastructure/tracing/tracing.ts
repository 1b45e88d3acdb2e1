// The port of the traces: spans of what the service does. A span carries route templates, names of the program's own and
// ids. It never carries a value that a client sent, nor the message of an error: both may be personal.

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

/** A span that begins. */
export interface NewSpan {
  readonly name: string;
  /** `server`: the work for a request. `client`: a call to a store. `consumer`: work that a request caused before. */
  readonly kind: 'server' | 'client' | 'consumer';
  readonly attributes: SpanAttributes;
  /** The span that this span is part of. Absent: the span around the call, if there is one. */
  readonly parent?: RemoteSpan | undefined;
  /** The place of the span, from which others can tell it. The trace is that of the parent, if there is one. */
  readonly place?: SpanPlace | undefined;
  /** The spans that caused the work. */
  readonly links?: readonly SpanPlace[];
}

/** A span that runs. */
export interface Span {
  rename(name: string): void;
  set(attributes: SpanAttributes): void;
  /** Marks the work as failed. `type` is the kind of failure. */
  fail(type: string): void;
}

export interface Tracing {
  /**
   * Does work within a span, which ends with the work and failed if the work rejects. Spans that begin within the work are
   * part of the span. Never fails or delays the work.
   */
  span<T>(start: NewSpan, work: (span: Span) => Promise<T>): Promise<T>;

  /** Returns the place of the span around the call. */
  here(): SpanPlace | undefined;

  /** Sends what was not sent yet, but does not wait longer than a stop can bear. */
  close(): Promise<void>;
}
