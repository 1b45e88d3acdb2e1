// Loads the service with half its peak for a long time: `npm run soak -- [--minutes N]`. Reports figures that must not
// grow, and exits with 1 if one grows. Run nothing else on the machine, because the peak is measured only once, at the
// start.
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { atRate, Connections, peakOf } from './lib/connections.js';
import { residentMiB, type Server, startReady } from './lib/processes.js';
import { readMetrics } from './lib/prometheus.js';
import { faultsOf, type Sample, slopeOf, summaryOf } from './lib/soak-report.js';
import { SoakRequests } from './lib/soak-requests.js';
import { percentile } from './lib/stats.js';

const { values } = parseArgs({ options: { minutes: { type: 'string', default: '20' } } });
const SECONDS = Number(values.minutes) * 60;
const SAMPLE_EVERY_S = 5;
const WARM_UP = 0.25;
const SHARE_OF_PEAK = 0.5;
const CONNECTIONS = 256;
const MAX_P99_MS = 1_000;
const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const WORK = process.env['BENCH_DIR'] ?? join(ROOT, 'bench', 'data');

const say = (text: string) => console.log(text);

/** Returns the bytes of the stores, without the write-ahead logs, because SQLite overwrites those. */
const bytesIn = (directory: string): number =>
  readdirSync(directory)
    .filter((name) => name.endsWith('.sqlite'))
    .reduce((bytes, name) => bytes + statSync(join(directory, name)).size, 0);

const max = (numbers: readonly number[] = []): number => Math.max(0, ...numbers);

const sampleOf = async ({ url, pid }: Server, directory: string, at: number): Promise<Sample> => {
  const metrics = await readMetrics(url);
  return {
    at,
    residentMiB: residentMiB(pid),
    heapMiB: max(metrics.get('nodejs_heap_size_used_bytes')) / 1_048_576,
    descriptors: readdirSync(`/proc/${pid}/fd`).length,
    // Every event of this load belongs to a protocol.
    events: max(metrics.get('projection_events_total')),
    bytes: bytesIn(join(directory, 'data')),
    lagS: max(metrics.get('projection_lag_seconds')),
    delayMs: max(metrics.get('nodejs_eventloop_lag_p99_seconds')) * 1_000,
  };
};

/** Sends the mix at a rate for some time, and returns the samples and the results of the requests. */
const soak = async (server: Server, directory: string, requests: SoakRequests, perSecond: number) => {
  const connections = new Connections(server.url);
  await connections.open(CONNECTIONS);
  const times: number[] = [];
  const statuses = new Map<number, number>();
  // The due times of the requests that wait for a free connection. While the disk is slow, no connection may be free.
  const waiting: number[] = [];
  const sendWaiting = (): void => {
    while (connections.hasFree) {
      const dueAt = waiting.shift();
      if (dueAt === undefined) return;
      void send(dueAt);
    }
  };
  const send = async (dueAt: number): Promise<void> => {
    const response = await connections.send(requests.next());
    requests.learn(response);
    times.push(performance.now() - dueAt);
    statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
    sendWaiting();
  };
  const samples: Sample[] = [];
  const startedAt = performance.now();
  const takeSample = async (): Promise<void> => {
    const sample = await sampleOf(server, directory, (performance.now() - startedAt) / 60_000);
    samples.push(sample);
    if (samples.length % 12 === 1) say(summaryOf(sample));
  };
  const failed: unknown[] = [];
  const sampling = setInterval(() => void takeSample().catch((error) => failed.push(error)), SAMPLE_EVERY_S * 1_000);
  await atRate(perSecond, SECONDS, (dueAt) => {
    waiting.push(dueAt);
    sendWaiting();
  });
  clearInterval(sampling);
  if (failed.length > 0) throw failed[0];
  await takeSample();
  connections.close();
  return { samples, statuses, unsent: waiting.length, p99: percentile(times, 0.99) };
};

const run = async (directory: string): Promise<readonly string[]> => {
  const server = await startReady(directory);
  try {
    const requests = await SoakRequests.on(server.url);
    const peak = await peakOf(server.url, 10, requests.next);
    const perSecond = Math.round(peak * SHARE_OF_PEAK);
    say(`${perSecond} requests a second, half of the peak of ${peak.toFixed(0)}, for ${values.minutes} minutes`);
    const { samples, statuses, unsent, p99 } = await soak(server, directory, requests, perSecond);
    const settled = samples.filter(({ at }) => at >= (SECONDS / 60) * WARM_UP);
    say(`\nresponses by status: ${[...statuses].map(([status, count]) => `${count} x ${status}`).join(', ')}`);
    say(`p99 of all responses: ${p99.toFixed(0)} ms`);
    say(`resident memory after warm-up: ${slopeOf(settled, ({ residentMiB: mib }) => mib).toFixed(2)} MiB a minute`);
    const refused = [...statuses].filter(([status]) => status === 0 || status >= 400);
    const faults = [
      ...faultsOf(settled),
      ...refused.map(([status, count]) => `${count} requests ended with ${status}`),
      ...(p99 <= MAX_P99_MS ? [] : [`the p99 of all responses was ${p99.toFixed(0)} ms`]),
    ];
    return unsent === 0 ? faults : [...faults, `${unsent} requests found no free connection before the end`];
  } finally {
    await server.stop();
  }
};

const main = async (): Promise<void> => {
  if (!(SECONDS > 0)) throw new Error(`--minutes ${values.minutes} is not a number of minutes`);
  mkdirSync(WORK, { recursive: true });
  const directory = mkdtempSync(join(WORK, 'soak-'));
  try {
    const faults = await run(directory);
    for (const fault of faults) say(`not steady: ${fault}`);
    say(faults.length === 0 ? 'steady' : '');
    process.exitCode = faults.length === 0 ? 0 : 1;
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
};

await main();
