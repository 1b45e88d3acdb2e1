// Measures how the service behaves if twice as many requests arrive as it can serve, regardless of earlier responses.
import { setTimeout as pause } from 'node:timers/promises';
import { below } from '../lib/below.js';
import { Caller } from '../lib/caller.js';
import { peakOf, requestText } from '../lib/connections.js';
import type { OpenLoop, OpenLoopResult } from '../lib/overload.js';
import { residentMiB, type Server, startReady } from '../lib/processes.js';
import { anInstitution, post, protocolBody } from '../lib/samples.js';
import { runTask } from '../lib/task.js';
import type { Bench, Measure, Row } from '../measure.js';

const TIMES = 2;
const PROBES = ['/livez', '/readyz', '/metrics'];
const PROBE_EVERY_MS = 50;
// After so many seconds of overload, the heap has reached its working size. Any later increase counts as growth.
const HEAP_S = 40;

/**
 * Runs `work` and probes the service. Returns the longest time of a probe, in milliseconds. Rejects if a probe fails.
 */
const probing = async <Result>(url: string, work: () => Promise<Result>) => {
  let isOver = false;
  let longest = 0;
  const probe = async (path: string): Promise<void> => {
    const caller = new Caller(url);
    while (!isOver) {
      longest = Math.max(longest, await caller.timed({ method: 'GET', path }));
      await pause(PROBE_EVERY_MS);
    }
    caller.close();
  };
  const probes = Promise.all(PROBES.map(probe));
  // The caller gets the error from `await probes` below. Until then it must not count as unhandled.
  probes.catch(() => undefined);
  const result = await work().finally(() => {
    isOver = true;
  });
  await probes;
  return { result, longest };
};

/** Returns how long after the load the service again responds within 100 ms to a request of the same kind. */
const recovery = async (url: string, send: (caller: Caller) => Promise<number>): Promise<number> => {
  const caller = new Caller(url);
  const startedAt = performance.now();
  while ((await send(caller).catch(() => Number.POSITIVE_INFINITY)) > 100) await pause(5);
  caller.close();
  return performance.now() - startedAt;
};

interface Kind {
  readonly name: string;
  readonly request: string;
  readonly send: (caller: Caller) => Promise<number>;
}

const rowsOf = (
  { name }: Kind,
  found: {
    peak: number;
    seconds: number;
    result: OpenLoopResult;
    longest: number;
    recoveryMs: number;
    grownMiB: number;
  },
): readonly Row[] => {
  const { peak, seconds, result, longest, recoveryMs, grownMiB } = found;
  const what = `${name} at ${TIMES} x the peak`;
  const perSecond = result.accepted / seconds;
  const notes = [
    `${result.accepted} accepted, ${result.shed} refused, ${result.failed} failed, ${result.unsent} found no free connection in ${seconds} s`,
    `accepted: p50 ${result.acceptedP50.toFixed(0)} ms, longest ${result.acceptedMax.toFixed(0)} ms; refused: p99 ${result.shedP99.toFixed(0)} ms`,
    `the load generator was up to ${result.lateP99.toFixed(0)} ms late (p99)`,
    `the last responses arrived ${result.drainMs.toFixed(0)} ms after the last request`,
  ];
  return [
    { what: `${what}, accepted`, unit: 'requests/s', ours: perSecond, baseline: { name: 'peak', value: peak }, notes },
    { what: `${what}, p99 of the accepted`, unit: 'ms', ours: result.acceptedP99, target: 'overload-p99' },
    { what: `${what}, the longest of ${PROBES.join(', ')}`, unit: 'ms', ours: longest, target: 'overload-probes' },
    { what: `${what}, resident memory gained`, unit: 'MiB', ours: grownMiB, target: 'overload-memory' },
    { what: `${what}, until it serves as before`, unit: 'ms', ours: recoveryMs, target: 'overload-recovery' },
  ];
};

const runOne = async (bench: Bench, server: Server, kind: Kind): Promise<readonly Row[]> => {
  const { url, pid } = server;
  const seconds = bench.quick ? 5 : 20;
  const { request } = kind;
  await peakOf(url, bench.quick ? 2 : 4, () => request);
  const peak = await peakOf(url, bench.quick ? 2 : 5, () => request);
  const load = (lasting: number): OpenLoop => ({ url, request, perSecond: Math.round(TIMES * peak), seconds: lasting });
  bench.say(`${kind.name}: ${peak.toFixed(0)} a second at the peak`);
  await runTask<OpenLoopResult>('open-loop', load(HEAP_S));
  const before = residentMiB(pid);
  const { result, longest } = await probing(url, () => runTask<OpenLoopResult>('open-loop', load(seconds)));
  const grownMiB = residentMiB(pid) - before;
  const recoveryMs = await recovery(url, kind.send);
  return rowsOf(kind, { peak, seconds, result, longest, recoveryMs, grownMiB });
};

export const overload: Measure = {
  name: 'overload',
  title: `the service at ${TIMES} times its peak`,
  run: async (bench) => {
    const server = await startReady(below(bench, 'product'));
    try {
      const body = protocolBody(await anInstitution(server.url));
      const { id } = await post<{ readonly id: string }>(`${server.url}/protocols`, body);
      const path = `/protocols/${id}`;
      const kinds: readonly Kind[] = [
        {
          name: 'POST /protocols',
          request: requestText('POST', '/protocols', body),
          send: (caller) => caller.timed({ method: 'POST', path: '/protocols', body }),
        },
        {
          name: 'GET of a protocol',
          request: requestText('GET', path),
          send: (caller) => caller.timed({ method: 'GET', path }),
        },
      ];
      const rows: Row[] = [];
      for (const kind of kinds) rows.push(...(await runOne(bench, server, kind)));
      return rows;
    } finally {
      await server.stop();
    }
  },
};
