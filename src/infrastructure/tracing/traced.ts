// Wraps the stores and the read models, with a span for each append, batch and job. Without tracing, none of this runs.
import type { Facts, RecordedEvent } from '../facts/facts.js';
import type { Handler, Job, Work } from '../work/work.js';
import { placeOfRequest } from './places.js';
import type { SpanPlace, Tracing } from './tracing.js';

/** Returns facts that run each append in a span. */
export const tracedFacts = (facts: Facts, tracing: Tracing): Facts => ({
  maxAppendBytes: facts.maxAppendBytes,
  append: (stream, expected, events) => {
    const attributes = { 'facts.stream': stream, 'facts.events': events.length };
    return tracing.span({ name: 'append', kind: 'client', attributes }, async (span) => {
      const appended = await facts.append(stream, expected, events);
      span.set({ 'facts.outcome': appended.outcome });
      return appended;
    });
  },
  readStream: (stream, fromRevision) => facts.readStream(stream, fromRevision),
  readStreamBackwards: (stream) => facts.readStreamBackwards(stream),
  readLog: (range, limit) => facts.readLog(range, limit),
  head: () => facts.head(),
  subscribe: (range, signal) => facts.subscribe(range, signal),
  truncations: (aggregates) => facts.truncations(aggregates),
  close: () => facts.close(),
});

/** Returns job queues that run each job in a span, which links to the request that caused the job. */
export const tracedWork = (work: Work, tracing: Tracing): Work => ({
  enqueue: (job) => work.enqueue(job),
  process: (queue, handler) => work.process(queue, tracedHandler(handler, tracing)),
  deadLetters: (queue) => work.deadLetters(queue),
  countDeadLetters: (queue) => work.countDeadLetters(queue),
  retry: (queue, id) => work.retry(queue, id),
  pending: (queue) => work.pending(queue),
  close: () => work.close(),
});

const tracedHandler =
  (handler: Handler, tracing: Tracing): Handler =>
  (job, signal) => {
    const { queue, id, attempt } = job;
    const attributes = { 'job.queue': queue, 'job.id': id, 'job.attempt': attempt };
    const start = { name: `process ${queue}`, kind: 'consumer', attributes, links: causeOf(job) } as const;
    return tracing.span(start, () => handler(job, signal));
  };

// Only jobs that a request caused have a cause.
const causeOf = ({ data }: Job): readonly SpanPlace[] => {
  const { cause } = (data ?? {}) as { readonly cause?: SpanPlace };
  return cause === undefined ? [] : [cause];
};

// The maximum number of links that OpenTelemetry keeps for one span.
const MAX_LINKS = 128;

/**
 * Returns a function that folds each batch in a span, which links to the requests that recorded the events. Batches
 * without events have no span: a read model receives one with every event of other aggregates.
 */
export const tracedBatches =
  (tracing: Tracing) =>
  <T>(projection: string, events: readonly RecordedEvent[], fold: () => Promise<T>): Promise<T> => {
    if (events.length === 0) return fold();
    const attributes = { 'projection.name': projection, 'projection.events': events.length };
    return tracing.span({ name: `project ${projection}`, kind: 'consumer', attributes, links: linksTo(events) }, fold);
  };

const linksTo = (events: readonly RecordedEvent[]): readonly SpanPlace[] => {
  const places = new Map<string, SpanPlace>();
  for (const { metadata } of events.slice(-MAX_LINKS)) {
    const place = placeOfRequest(metadata);
    if (place !== undefined) places.set(metadata.causationId, place);
  }
  return [...places.values()];
};
