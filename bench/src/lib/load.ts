// The load generator. It runs in this process, apart from every server, and says how much CPU it took.
import autocannon from 'autocannon';
import { cpuSecondsOf, type Server } from './processes.js';
import { median } from './stats.js';

export const CONNECTIONS = 32;

/** A request to repeat. */
export interface Repeated {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body?: string;
  /** An access token. */
  readonly token?: string;
}

/** What came of some seconds of load. CPU is in cores: 1 is one core all the time. */
export interface LoadSample {
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
  readonly generatorCpu: number;
  readonly serverCpu: number | undefined;
}

/** Loads a server for some seconds; throws where an answer was not a success. */
export const load = async ({ url, pid }: Server, request: Repeated, seconds: number): Promise<LoadSample> => {
  const before = { generator: process.cpuUsage(), server: cpuSecondsOf(pid), at: performance.now() };
  const result = await autocannon({
    url: `${url}${request.path}`,
    method: request.method,
    ...(request.body !== undefined && { body: request.body }),
    headers: {
      ...(request.body !== undefined && { 'content-type': 'application/json' }),
      ...(request.token !== undefined && { authorization: `Bearer ${request.token}` }),
    },
    connections: CONNECTIONS,
    duration: seconds,
  });
  const elapsed = (performance.now() - before.at) / 1_000;
  const { user, system } = process.cpuUsage(before.generator);
  const [was, is] = [before.server, cpuSecondsOf(pid)];
  const failures = result.non2xx + result.errors + result.timeouts;
  if (failures > 0) throw new Error(`${failures} of the requests to ${request.path} failed`);
  return {
    perSecond: result['2xx'] / result.duration,
    p50: result.latency.p50,
    p99: result.latency.p99,
    generatorCpu: (user + system) / 1e6 / elapsed,
    serverCpu: was === undefined || is === undefined ? undefined : (is - was) / elapsed,
  };
};

/** What the load generator and the server took, in words. */
export const cpuNote = (name: string, samples: readonly LoadSample[]): string => {
  const servers = samples.flatMap(({ serverCpu }) => serverCpu ?? []);
  const server = servers.length === 0 ? 'unknown' : `${median(servers).toFixed(2)}`;
  const generator = median(samples.map(({ generatorCpu }) => generatorCpu)).toFixed(2);
  const [p50, p99] = [median(samples.map((sample) => sample.p50)), median(samples.map((sample) => sample.p99))];
  const each = median(samples.map(({ serverCpu = Number.NaN, perSecond }) => (serverCpu / perSecond) * 1e6)).toFixed(0);
  const cpu = `CPU in cores: server ${server} (${each} µs a request), load generator ${generator}`;
  return `${name}: p50 ${p50} ms, p99 ${p99} ms; ${cpu}`;
};
