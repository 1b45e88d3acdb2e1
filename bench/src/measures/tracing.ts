// What traces cost: the service with an SDK and a collector, against the service without an SDK.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { below } from '../lib/below.js';
import { loadInTurn, loadRow, type Repeated, repeating } from '../lib/load.js';
import { startReady } from '../lib/processes.js';
import { anInstitution, post, protocolBody } from '../lib/samples.js';
import type { Bench, Measure, Row } from '../measure.js';

const EXAMPLE = new URL('../../../examples/tracing.mjs', import.meta.url).href;

/** Starts a collector that reads every trace and keeps none. */
const startCollector = async () => {
  const collector = createServer((request, response) => {
    request.resume().on('end', () => response.setHeader('Content-Type', 'application/json').end('{}'));
  });
  await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve));
  const { port } = collector.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, close: () => collector.closeAllConnections() };
};

const rowOf = async (bench: Bench, name: string, endpoint: string, requestOf: RequestOf): Promise<Row> => {
  const environment = { NODE_OPTIONS: `--import ${EXAMPLE}`, OTEL_EXPORTER_OTLP_ENDPOINT: endpoint };
  const traced = await startReady(below(bench, `${name}-traced`), environment);
  const untraced = await startReady(below(bench, `${name}-untraced`));
  const { ours, theirs } = await loadInTurn(bench, {
    ours: repeating(traced, await requestOf(traced.url)),
    theirs: repeating(untraced, await requestOf(untraced.url)),
  });
  return loadRow({ what: `${name}, traced`, than: 'the same without traces' }, ours, theirs);
};

type RequestOf = (url: string) => Promise<Repeated>;

const posting: RequestOf = async (url) => ({
  method: 'POST',
  path: '/protocols',
  body: protocolBody(await anInstitution(url)),
});

const getting: RequestOf = async (url) => {
  const body = protocolBody(await anInstitution(url));
  const { id } = await post<{ readonly id: string }>(`${url}/protocols`, body);
  return { method: 'GET', path: `/protocols/${id}` };
};

export const tracing: Measure = {
  name: 'tracing',
  title: 'requests with traces',
  run: async (bench) => {
    const collector = await startCollector();
    try {
      return [await rowOf(bench, 'POST', collector.url, posting), await rowOf(bench, 'GET', collector.url, getting)];
    } finally {
      collector.close();
    }
  },
};
