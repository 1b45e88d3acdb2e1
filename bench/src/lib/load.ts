// The load generator. It runs in this process, separate from the servers, and reports how much CPU it used.
import autocannon from 'autocannon';
import type { Bench, Row } from '../measure.js';
import { cpuSecondsOf, type Server } from './processes.js';
import { type Compared, comparedRow, interleaved } from './rounds.js';
import { median } from './stats.js';

export const CONNECTIONS = 32;

/** A request to repeat. */
export interface Repeated {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH';
  readonly path: string;
  readonly body?: object;
  /** An access token. */
  readonly token?: string;
}

/** A load on a server. */
export interface Load {
  readonly server: Server;
  /** Returns the requests that a connection, counted from 0, repeats in this order. */
  readonly requestsOf: (connection: number) => readonly Repeated[];
  /** Default: 32. */
  readonly connections?: number;
}

/** Returns the load of one request that every connection repeats. */
export const repeating = (server: Server, request: Repeated, connections = CONNECTIONS): Load => ({
  server,
  requestsOf: () => [request],
  connections,
});

/**
 * The result of some seconds of load. Times are in milliseconds. CPU is in cores: 1 means that one core was always
 * busy.
 */
export interface LoadSample {
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
  readonly generatorCpu: number;
  readonly serverCpu: number | undefined;
}

const sentBy = ({ method, path, body, token }: Repeated): autocannon.Request => ({
  method,
  path,
  ...(body !== undefined && { body: JSON.stringify(body) }),
  headers: {
    ...(body !== undefined && { 'content-type': 'application/json' }),
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
  },
});

/** Sends the requests of a load for a time or up to a number. Rejects if a response was not a success. */
const send = async (
  { server: { url }, requestsOf, connections = CONNECTIONS }: Load,
  until: { readonly duration: number } | { readonly amount: number },
): Promise<autocannon.Result> => {
  let connection = 0;
  const setupClient = (client: autocannon.Client) => {
    client.setRequests(requestsOf(connection).map(sentBy));
    connection += 1;
  };
  const result = await autocannon({ url, connections, ...until, setupClient });
  const failures = result.non2xx + result.errors + result.timeouts;
  if (failures > 0) throw new Error(`${failures} requests failed: ${JSON.stringify(result.statusCodeStats)}`);
  return result;
};

/** Sends this many requests. Rejects if a response was not a success. */
export const sendMany = async (load: Load, amount: number): Promise<void> => {
  await send(load, { amount });
};

/** Loads a server for some seconds. Rejects if a response was not a success. */
export const load = async (one: Load, seconds: number): Promise<LoadSample> => {
  const { pid } = one.server;
  const before = { generator: process.cpuUsage(), server: cpuSecondsOf(pid), at: performance.now() };
  const result = await send(one, { duration: seconds });
  const elapsed = (performance.now() - before.at) / 1_000;
  const { user, system } = process.cpuUsage(before.generator);
  const [was, is] = [before.server, cpuSecondsOf(pid)];
  return {
    perSecond: result['2xx'] / result.duration,
    p50: result.latency.p50,
    p99: result.latency.p99,
    generatorCpu: (user + system) / 1e6 / elapsed,
    serverCpu: was === undefined || is === undefined ? undefined : (is - was) / elapsed,
  };
};

/** Warms every server, loads the servers in turn, stops them, and returns the samples of each by round. */
export const loadInTurn = async <Name extends string>(
  bench: Bench,
  contenders: Readonly<Record<Name, Load>>,
): Promise<Readonly<Record<Name, readonly LoadSample[]>>> => {
  const all = Object.entries<Load>(contenders);
  try {
    for (const [, one] of all) await load(one, bench.quick ? 1 : 3);
    const runs = Object.fromEntries(all.map(([name, one]) => [name, () => load(one, bench.quick ? 1 : 3)]));
    return await interleaved(bench, runs as Record<Name, () => Promise<LoadSample>>);
  } finally {
    for (const [, { server }] of all) await server.stop();
  }
};

/** Returns the row of requests per second beside those of a baseline. */
export const loadRow = (
  row: Omit<Compared, 'unit' | 'notes'>,
  ours: readonly LoadSample[],
  theirs: readonly LoadSample[],
): Row => {
  const rates = (samples: readonly LoadSample[]) => samples.map(({ perSecond }) => perSecond);
  const notes = [costNote('ours', ours), costNote(row.than, theirs)];
  return comparedRow({ ...row, unit: 'requests/s', notes }, rates(ours), rates(theirs));
};

const costNote = (name: string, samples: readonly LoadSample[]): string => {
  const middle = (figure: (sample: LoadSample) => number) => median(samples.map(figure));
  const cores = ({ serverCpu = Number.NaN }: LoadSample) => serverCpu;
  const each = middle((sample) => (cores(sample) / sample.perSecond) * 1e6).toFixed(0);
  const [server, generator] = [middle(cores).toFixed(2), middle(({ generatorCpu }) => generatorCpu).toFixed(2)];
  const times = `p50 ${middle(({ p50 }) => p50)} ms, p99 ${middle(({ p99 }) => p99)} ms`;
  return `${name}: ${times}; server ${server} cores, ${each} µs a request; load generator ${generator} cores`;
};
