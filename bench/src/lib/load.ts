// Loads servers with wrk, and reports what each request cost them.
import type { Bench, Row } from '../measure.js';
import type { TargetName } from '../targets.js';
import { cpuSecondsOf } from './cpu.js';
import type { Server } from './processes.js';
import { type Compared, comparedRow, interleaved } from './rounds.js';
import { median } from './stats.js';
import { headersOf, type Repeated, runWrk } from './wrk.js';

export const CONNECTIONS = 32;
/** From this share of a core on, the load generator may be the limit of a figure. */
const GENERATOR_LIMIT = 0.9;

/** A load on a server. */
export interface Load {
  readonly server: Server;
  /** The connections take these requests in turn, again and again. */
  readonly requests: readonly Repeated[];
  /** Default: 32. */
  readonly connections?: number;
  /** Runs before each sample. Is not measured. */
  readonly before?: () => Promise<void>;
}

/** Returns the load of one request that every connection repeats. */
export const repeating = (server: Server, request: Repeated, connections = CONNECTIONS): Load => ({
  server,
  requests: [request],
  connections,
});

/**
 * The result of some seconds of load. Times are in milliseconds. CPU is in cores: 1 means that one core was always
 * busy. It is not a number if the system does not report it.
 */
export interface LoadSample {
  readonly requests: number;
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
  readonly generatorCpu: number;
  readonly serverCpu: number;
}

/** Sends each request once, in this order, over some connections. Rejects if a response was not a success. */
export const sendEach = async (
  { url }: Server,
  requests: Iterable<Repeated>,
  connections = CONNECTIONS,
): Promise<void> => {
  const left = requests[Symbol.iterator]();
  const send = async () => {
    for (let next = left.next(); !next.done; next = left.next()) {
      const { method, path, body } = next.value;
      const sent = {
        method,
        headers: headersOf(next.value),
        ...(body !== undefined && { body: JSON.stringify(body) }),
      };
      const response = await fetch(`${url}${path}`, sent);
      const text = await response.text();
      if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    }
  };
  await Promise.all(Array.from({ length: connections }, send));
};

/** Yields this many requests, taken in turn. */
export function* inTurn(requests: readonly Repeated[], amount: number): Generator<Repeated> {
  for (let sent = 0; sent < amount; sent += requests.length) yield* requests.slice(0, amount - sent);
}

/** Loads a server for some seconds. Rejects if a response was not a success. */
export const load = async ({ server, requests, connections = CONNECTIONS, before }: Load, seconds: number) => {
  await before?.();
  const [used, at] = [cpuSecondsOf(server.pid), performance.now()];
  const result = await runWrk({ url: server.url, requests, connections, seconds });
  const elapsed = (performance.now() - at) / 1_000;
  const sample: LoadSample = {
    requests: result.requests,
    perSecond: (result.requests * 1e6) / result.microseconds,
    p50: result.p50 / 1_000,
    p99: result.p99 / 1_000,
    generatorCpu: result.cpuSeconds / elapsed,
    serverCpu: (cpuSecondsOf(server.pid) - used) / elapsed,
  };
  return sample;
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

export const BARE = 'Express + zod, no store';
const CRUD = 'CRUD, the same fsync';

/** Returns the rows of the product beside Express without a store, and beside CRUD. */
export const rowsBeside = (
  { what, target }: { readonly what: string; readonly target: TargetName },
  { ours, bare, crud }: Readonly<Record<'ours' | 'bare' | 'crud', readonly LoadSample[]>>,
): readonly Row[] => [loadRow({ what, than: BARE }, ours, bare), loadRow({ what, target, than: CRUD }, ours, crud)];

/** Returns the CPU time of the server per request, in microseconds. */
export const cpuEach = (samples: readonly LoadSample[]): readonly number[] =>
  samples.map(({ serverCpu, perSecond }) => (serverCpu / perSecond) * 1e6);

const costNote = (name: string, samples: readonly LoadSample[]): string => {
  const middle = (figure: (sample: LoadSample) => number) => median(samples.map(figure));
  const each = median(cpuEach(samples)).toFixed(0);
  const [server, generator] = [middle(({ serverCpu }) => serverCpu), middle(({ generatorCpu }) => generatorCpu)];
  const times = `p50 ${middle(({ p50 }) => p50).toFixed(1)} ms, p99 ${middle(({ p99 }) => p99).toFixed(1)} ms`;
  const limit = generator < GENERATOR_LIMIT ? '' : ', which may be the limit';
  return `${name}: ${times}; server ${server.toFixed(2)} cores, ${each} µs a request; load generator ${generator.toFixed(2)} cores${limit}`;
};
