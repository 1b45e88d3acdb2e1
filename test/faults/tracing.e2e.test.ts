// Tests the traces of the built service with the SDK that examples/tracing.mjs loads: how spans are related, that they
// have no personal data, and that no request waits for the collector.
import { randomUUID } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { tracedPerson } from '../http/support/erased-person.js';
import { newcomer, trySignUp } from '../http/support/signing-up.js';
import { foundIn, newCanaries } from '../support/canaries.js';
import { Collector, type ReceivedSpan } from '../support/collector.js';
import { temporaryDirectory } from '../support/directory.js';
import { eventually } from '../support/eventually.js';
import { freePort } from '../support/free-port.js';
import { recordedIn } from '../support/recorded.js';
import { Server } from '../support/server.js';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';
const SERVER_KIND = 2;

const EXAMPLE = new URL('../../examples/tracing.mjs', import.meta.url).href;

const serverTo = async (endpoint: string, more: Readonly<Record<string, string>> = {}): Promise<Server> => {
  const loads = { NODE_OPTIONS: `--import ${EXAMPLE}`, OTEL_EXPORTER_OTLP_ENDPOINT: endpoint };
  const environment = { ...loads, OTEL_BSP_SCHEDULE_DELAY: '10', ...more };
  const server = new Server(temporaryDirectory(), environment);
  await server.start();
  onTestFinished(async () => void (await server.stop()));
  return server;
};

const traced = async (environment: Readonly<Record<string, string>> = {}) => {
  const collector = await Collector.start();
  onTestFinished(() => collector.close());
  const server = await serverTo(collector.url, environment);
  /** Returns the one span that matches, once it has arrived. */
  const spanThat = (matches: (span: ReceivedSpan) => boolean): Promise<ReceivedSpan> =>
    eventually(() => {
      const [found, ...others] = collector.spans.filter(matches);
      expect(others).toEqual([]);
      if (found === undefined) throw new Error('the span has not arrived');
      return found;
    });
  const spanOf = (requestId: string | null) =>
    spanThat(({ attributes }) => attributes['request.id'] === (requestId ?? 'none'));
  return { collector, server, spanThat, spanOf };
};

const institution = () => ({ name: `Hospital ${randomUUID()}` });

describe('a request that records an event', () => {
  it('has a span in the trace of its caller, in which its command has a span with the append, and a span in the read model', async () => {
    const { server, spanThat, spanOf } = await traced();
    const headers = { traceparent: `00-${TRACE}-${SPAN}-01` };
    const made = await server.post<{ id: string }>('/admin-service/institutions', institution(), headers);
    const request = await spanOf(made.headers.get('x-request-id'));
    expect(request).toMatchObject({
      traceId: TRACE,
      parentSpanId: SPAN,
      kind: SERVER_KIND,
      name: 'POST /admin-service/institutions',
      attributes: {
        'http.request.method': 'POST',
        'http.route': '/admin-service/institutions',
        'http.response.status_code': 201,
      },
    });
    const command = await spanThat(({ name }) => name === 'CreateInstitution');
    expect(command).toMatchObject({
      traceId: TRACE,
      parentSpanId: request.spanId,
      attributes: { 'command.aggregate': 'institution' },
    });
    const append = await spanThat(({ attributes }) => attributes['facts.stream'] === `institution-${made.body.id}`);
    expect(append).toMatchObject({
      traceId: TRACE,
      parentSpanId: command.spanId,
      name: 'append',
      attributes: { 'facts.events': 1, 'facts.outcome': 'written' },
    });
    const projection = await spanThat(({ name }) => name === 'project institutions');
    expect(projection).toMatchObject({
      attributes: { 'projection.name': 'institutions', 'projection.events': 1 },
    });
    expect(projection.traceId).not.toBe(TRACE);
  });

  it('begins a trace if its caller has none, and its events and its log line have the id of the trace', async () => {
    const { server, spanOf } = await traced();
    const made = await server.post<{ id: string }>('/institutions', institution());
    const requestId = made.headers.get('x-request-id');
    const { traceId, parentSpanId } = await spanOf(requestId);
    expect(parentSpanId ?? '').toBe('');
    const recorded = recordedIn(server.directory, `institution-${made.body.id}`);
    expect(recorded.map(({ metadata }) => metadata.correlationId)).toEqual([traceId]);
    const line = await eventually(() => {
      const found = server.log.find((each) => each['requestId'] === requestId);
      if (found === undefined) throw new Error('the line has not been written');
      return found;
    });
    expect(line['traceId']).toBe(traceId);
  });

  it('has no span if its caller records no trace', async () => {
    const { server, collector, spanOf } = await traced();
    await server.post('/institutions', institution(), { traceparent: `00-${TRACE}-${SPAN}-00` });
    const after = await server.post('/institutions', institution());
    await spanOf(after.headers.get('x-request-id'));
    expect(collector.spans.filter(({ traceId }) => traceId === TRACE)).toEqual([]);
  });
});

it('a job has a span, which a stop sends', async () => {
  const { server, collector } = await traced({ OTEL_BSP_SCHEDULE_DELAY: '600000' });
  await trySignUp(server, newcomer());
  await eventually(() => expect(readdirSync(join(server.directory, 'outbox'))).toHaveLength(1));
  expect(await server.stop()).toBe(0);
  const job = collector.spans.find(({ name }) => name === 'process notifications');
  expect(job).toMatchObject({
    attributes: { 'job.queue': 'notifications', 'job.attempt': 1 },
  });
});

it('a request to an unknown path has a span with the status 404, named after its method', async () => {
  const { server, spanOf } = await traced();
  const unknown = await server.get(`/nowhere/${randomUUID()}`);
  const span = await spanOf(unknown.headers.get('x-request-id'));
  expect(span).toMatchObject({ name: 'GET', isFailed: false, attributes: { 'http.response.status_code': 404 } });
  expect(span.attributes).not.toHaveProperty(['http.route']);
});

it('no trace has personal data', async () => {
  const { server, collector, spanOf } = await traced();
  const canaries = newCanaries();
  const { userId } = await tracedPerson(server, canaries);
  const [name, email] = [canaries.firstName, canaries.email].map(encodeURIComponent);
  const headers = { 'User-Agent': canaries.email, Authorization: `Bearer ${canaries.email}`, tracestate: `a=${email}` };
  await server.get(`/nowhere/${name}?email=${email}`, headers);
  await server.get(`/users/${email}`);
  await server.post('/auth-service/signin', { email: canaries.email, password: canaries.lastName });
  await server.post('/auth-service/password', { email: canaries.email });
  const last = await server.get(`/users/${userId}`);
  await spanOf(last.headers.get('x-request-id'));
  await server.stop();
  expect(collector.spans.map(({ name }) => name)).toEqual(
    expect.arrayContaining([
      'append',
      'project users',
      'process notifications',
      'PATCH /users/{id}/profiles/{profileId}/approve',
    ]),
  );
  expect(foundIn(collector.bytes, canaries)).toEqual([]);
  // The resource of the spans names the service, and neither the process with its arguments nor the machine.
  expect(collector.bytes.toString()).not.toMatch(/"(process|host)\./);
});

const collectorThat = async (respond: Parameters<typeof Collector.start>[0]): Promise<string> => {
  const collector = await Collector.start(respond);
  onTestFinished(() => collector.close());
  return collector.url;
};

it.each([
  ['refuses connections', async () => `http://127.0.0.1:${await freePort()}`],
  ['never responds', () => collectorThat(() => {})],
  ['fails', () => collectorThat((response) => response.writeHead(500).end())],
])('a collector that %s fails no request, and does not keep the service from stopping', async (_, endpoint) => {
  const server = await serverTo(await endpoint(), { OTEL_EXPORTER_OTLP_TIMEOUT: '100' });
  for (let n = 0; n < 3; n += 1) expect((await server.post('/institutions', institution())).status).toBe(201);
  expect(await server.stop()).toBe(0);
});

it('the service ignores the variables of an SDK that is not loaded', async () => {
  const server = await serverTo('not a URL', { NODE_OPTIONS: '' });
  expect((await server.post('/institutions', institution())).status).toBe(201);
});
