// Tests how the ids of a span are read from a traceparent header and from the metadata of an event.
import { describe, expect, it } from 'vitest';
import { placeOfRequest, remoteSpanOf } from '../../../src/infrastructure/tracing/places.js';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';
const NO_TRACE = '0'.repeat(32);

describe('the span that a traceparent names', () => {
  it.each([
    [`00-${TRACE}-${SPAN}-01`, true],
    [`00-${TRACE}-${SPAN}-00`, false],
    [`00-${TRACE}-${SPAN}-03`, true],
    [`00-${TRACE}-${SPAN}-fe`, false],
    [`cc-${TRACE}-${SPAN}-01-of a later version`, true],
  ])('%s is sampled: %s', (header, isSampled) =>
    expect(remoteSpanOf(header)).toEqual({ traceId: TRACE, spanId: SPAN, isSampled }),
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
  ])('%j names no span', (header) => expect(remoteSpanOf(header)).toBeUndefined());
});

describe('the span of the request that recorded an event', () => {
  it('is named by the trace and by the second half of the id of the request', () =>
    expect(placeOfRequest({ correlationId: TRACE, causationId: '0198f2a0-0000-7123-8abc-0123456789ab' })).toEqual({
      traceId: TRACE,
      spanId: '8abc0123456789ab',
    }));

  it.each([
    [NO_TRACE, '0198f2a0-0000-7123-8abc-0123456789ab'],
    ['of another program', '0198f2a0-0000-7123-8abc-0123456789ab'],
    [TRACE, 'a request'],
    [TRACE, ''],
  ])('is unknown with the trace %j and the request %j', (correlationId, causationId) =>
    expect(placeOfRequest({ correlationId, causationId })).toBeUndefined(),
  );
});
