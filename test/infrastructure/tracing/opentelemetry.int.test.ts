// Tests traces with OpenTelemetry in this process: the parents of spans, their attributes, and an unavailable
// collector.
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { OpenTelemetryTracing } from '../../../src/infrastructure/tracing/opentelemetry.js';
import type { NewSpan, Tracing } from '../../../src/infrastructure/tracing/tracing.js';
import { Collector } from '../../support/collector.js';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';
const OTHER_SPAN = '8abc0123456789ab';

const setEnvironment = (values: Readonly<Record<string, string>>): void => {
  for (const [name, value] of Object.entries(values)) vi.stubEnv(name, value);
  onTestFinished(() => void vi.unstubAllEnvs());
};

/** Starts tracing with a collector of its own. `sent` closes the tracing and returns the received spans. */
const traced = async (more: Readonly<Record<string, string>> = {}) => {
  const collector = await Collector.start();
  onTestFinished(() => collector.close());
  setEnvironment({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, ...more });
  const tracing: Tracing = new OpenTelemetryTracing({ onLost: ({ message }) => expect.unreachable(message) });
  const sent = async () => {
    await tracing.close();
    return collector.spans;
  };
  return { tracing, collector, sent };
};

const span = (name: string, more: Partial<NewSpan> = {}): NewSpan => ({
  name,
  kind: 'client',
  attributes: {},
  ...more,
});

const named = <S extends { readonly name: string }>(spans: readonly S[], name: string): S => {
  const found = spans.find((each) => each.name === name);
  if (found === undefined) throw new Error(`there is no span ${name}`);
  return found;
};

describe('a span', () => {
  it('is a child of the span around it, also after other work and beside other spans', async () => {
    const { tracing, sent } = await traced();
    const work = (name: string) =>
      tracing.span(span(name), async () => {
        await new Promise(setImmediate);
        await tracing.span(span(`in ${name}`), async () => {});
      });
    await Promise.all([work('one'), work('other')]);
    const spans = await sent();
    for (const name of ['one', 'other']) {
      const { traceId, spanId, parentSpanId } = named(spans, name);
      expect(parentSpanId ?? '').toBe('');
      expect(named(spans, `in ${name}`)).toMatchObject({ traceId, parentSpanId: spanId });
    }
    expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(2);
  });

  it('has the ids that it is given, and its work can read them', async () => {
    const { tracing, sent } = await traced();
    const place = { traceId: TRACE, spanId: OTHER_SPAN };
    const here = await tracing.span(span('placed', { place }), async () => tracing.currentSpan());
    expect([here, tracing.currentSpan()]).toEqual([place, undefined]);
    await tracing.span(span('elsewhere'), async () => {});
    const spans = await sent();
    expect(named(spans, 'placed')).toMatchObject(place);
    expect(named(spans, 'elsewhere').traceId).not.toBe(TRACE);
  });

  it('continues the trace of a caller', async () => {
    const { tracing, sent } = await traced();
    const parent = { traceId: TRACE, spanId: SPAN, isSampled: true };
    const place = { traceId: TRACE, spanId: OTHER_SPAN };
    await tracing.span(span('called', { parent, place }), async () => {});
    expect(await sent()).toMatchObject([{ ...place, parentSpanId: SPAN }]);
  });

  it('is not recorded, nor are its children, if the caller does not record the trace', async () => {
    const { tracing, sent } = await traced();
    const parent = { traceId: TRACE, spanId: SPAN, isSampled: false };
    await tracing.span(span('called', { parent }), () => tracing.span(span('within'), async () => {}));
    await tracing.span(span('recorded'), async () => {});
    expect((await sent()).map(({ name }) => name)).toEqual(['recorded']);
  });

  it('has its kind, attributes and links', async () => {
    const { tracing, sent } = await traced();
    const links = [{ traceId: TRACE, spanId: SPAN }];
    await tracing.span(
      span('first', { kind: 'consumer', attributes: { stream: 'a', events: 2 }, links }),
      async (it) => {
        it.rename('second');
        it.set({ outcome: 'written' });
      },
    );
    expect(await sent()).toMatchObject([
      { name: 'second', kind: 5, attributes: { stream: 'a', events: 2, outcome: 'written' }, links, isFailed: false },
    ]);
  });

  it('fails with its work, and has only the type of the error', async () => {
    const { tracing, sent, collector } = await traced();
    const error = new RangeError('Maria is too young');
    await expect(
      tracing.span(span('failing'), async () => {
        throw error;
      }),
    ).rejects.toBe(error);
    expect(await sent()).toMatchObject([{ attributes: { 'error.type': 'RangeError' }, isFailed: true }]);
    expect(collector.bytes.includes('Maria')).toBe(false);
  });
});

describe('an export', () => {
  it('names the service and the process, and has the attributes and headers of the operator', async () => {
    const { tracing, sent, collector } = await traced({
      OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20token',
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=ward',
    });
    await tracing.span(span('sent'), async () => {});
    await sent();
    expect(collector.headers.authorization).toBe('Bearer token');
    expect(collector.resources).toMatchObject([
      { 'service.name': 'clinical-protocols', 'process.pid': process.pid, 'deployment.environment.name': 'ward' },
    ]);
  });

  it('has the name that the operator gives the service', async () => {
    const { tracing, sent, collector } = await traced({ OTEL_SERVICE_NAME: 'protocols-north' });
    await tracing.span(span('sent'), async () => {});
    await sent();
    expect(collector.resources).toMatchObject([{ 'service.name': 'protocols-north' }]);
  });
});

describe('an unavailable collector', () => {
  const oneSpan = (tracing: Tracing) => tracing.span(span('lost'), async () => 'done');

  it('fails no work, and is reported once a minute', async () => {
    const collector = await Collector.start((response) => response.writeHead(400).end());
    onTestFinished(() => collector.close());
    setEnvironment({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_BSP_SCHEDULE_DELAY: '1' });
    let now = 0;
    const lost: Error[] = [];
    const tracing = new OpenTelemetryTracing({ onLost: (error) => void lost.push(error), now: () => now });
    // The second batch is sent only when the first batch is known to be lost.
    const twoMoreBatches = async () => {
      const before = collector.bodies.length;
      while (collector.bodies.length < before + 2) {
        expect(await oneSpan(tracing)).toBe('done');
        await new Promise(setImmediate);
      }
    };
    await twoMoreBatches();
    now = 59_999;
    await twoMoreBatches();
    expect(lost).toHaveLength(1);
    now = 60_000;
    await twoMoreBatches();
    await tracing.close();
    expect(lost).toHaveLength(2);
  });

  it('does not delay the close', async () => {
    const collector = await Collector.start(() => {});
    onTestFinished(() => collector.close());
    setEnvironment({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
    const tracing = new OpenTelemetryTracing({ onLost: () => {} });
    expect(await oneSpan(tracing)).toBe('done');
    await tracing.close();
    expect(collector.spans.map(({ name }) => name)).toEqual(['lost']);
  });
});
