// Tests the spans of the service in this process: how they are related, what a failed span says, and what a caller may
// decide about them.
import { type Context, context, ROOT_CONTEXT, SpanKind, trace } from '@opentelemetry/api';
import { NodeSDK, tracing } from '@opentelemetry/sdk-node';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { callerContext, flushSpans, inSpan, tracer, within } from '../../src/infrastructure/tracing.js';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';
const NO_TRACE = '0'.repeat(32);

const callerIn = (found: Context) => trace.getSpan(found)?.spanContext();

describe('the span that a traceparent names', () => {
  it.each([
    [`00-${TRACE}-${SPAN}-01`, 1],
    [`00-${TRACE}-${SPAN}-00`, 0],
    [`cc-${TRACE}-${SPAN}-01-of a later version`, 1],
  ])('%s has the flags %i', (header, traceFlags) =>
    expect(callerIn(callerContext(header))).toEqual({ traceId: TRACE, spanId: SPAN, traceFlags, isRemote: true }),
  );

  it.each([
    undefined,
    '',
    TRACE,
    `ff-${TRACE}-${SPAN}-01`,
    `00-${NO_TRACE}-${SPAN}-01`,
    `00-${TRACE}-${'0'.repeat(16)}-01`,
    `00-${TRACE.toUpperCase()}-${SPAN}-01`,
    `00-${TRACE}-${SPAN}-1`,
    `00-${TRACE}-${SPAN}-0g`,
    `00-${TRACE}-${SPAN}`,
  ])('%j names no span', (header) => expect(callerContext(header)).toBe(ROOT_CONTEXT));
});

it('without an SDK, a span is neither recorded nor flushed', async () => {
  expect(await inSpan('none', {}, async (span) => span.isRecording())).toBe(false);
  await flushSpans();
});

describe('with an SDK, a span', () => {
  const exporter = new tracing.InMemorySpanExporter();
  const spanProcessors = [new tracing.SimpleSpanProcessor(exporter)];
  const sdk = new NodeSDK({ spanProcessors, metricReaders: [], logRecordProcessors: [], autoDetectResources: false });
  beforeAll(() => sdk.start());
  beforeEach(() => exporter.reset());
  afterAll(async () => {
    await sdk.shutdown();
    trace.disable();
    context.disable();
  });

  it('is a child of the span around it, also after other work and beside other spans', async () => {
    const work = (name: string) =>
      inSpan(name, {}, async () => {
        await new Promise(setImmediate);
        await inSpan(`in ${name}`, {}, async () => {});
      });
    await Promise.all([work('one'), work('other')]);
    const spans = exporter.getFinishedSpans();
    for (const name of ['one', 'other']) {
      const [outer, inner] = [name, `in ${name}`].map((each) => spans.find((span) => span.name === each));
      expect(inner?.parentSpanContext?.spanId).toBe(outer?.spanContext().spanId);
    }
    expect(new Set(spans.map((span) => span.spanContext().traceId)).size).toBe(2);
  });

  it('fails with its task, and has only the type of the error', async () => {
    const error = new RangeError('Maria is too young');
    await expect(inSpan('failing', { kind: SpanKind.CLIENT }, () => Promise.reject(error))).rejects.toBe(error);
    const [span] = exporter.getFinishedSpans();
    expect(span).toMatchObject({ attributes: { 'error.type': 'RangeError' }, status: { code: 2 }, events: [] });
    expect(span?.status.message).toBeUndefined();
  });

  it('is not recorded, nor are its children, if the caller does not record the trace', async () => {
    const span = tracer.startSpan('called', {}, callerContext(`00-${TRACE}-${SPAN}-00`));
    await within(span, () => inSpan('within', {}, async () => {}));
    span.end();
    expect(exporter.getFinishedSpans()).toEqual([]);
    expect(span.spanContext().traceId).toBe(TRACE);
  });

  it('belongs to the active span rather than to the span that a header names', async () => {
    await inSpan('around', {}, async (around) => {
      expect(callerIn(callerContext(`00-${TRACE}-${SPAN}-01`))).toEqual(around.spanContext());
    });
  });
});
