// Measures what plans a service beyond one machine: the processor time of each tier for a write and a read.
import { setTimeout as pause } from 'node:timers/promises';
import { below } from '../lib/below.js';
import { cpuSecondsOf } from '../lib/cpu.js';
import { type Engine, type EngineName, startEngine } from '../lib/engines.js';
import { type Load, load, repeating } from '../lib/load.js';
import { type Server, startReady, startWorker } from '../lib/processes.js';
import { anInstitution, post, protocolBody } from '../lib/samples.js';
import type { Measure, Row } from '../measure.js';

/** Returns the CPU seconds that each tier has used so far. */
type Tiers = Readonly<Record<string, () => number>>;
type Seconds = Readonly<Record<string, number>>;

const used = (tiers: Tiers): Seconds => Object.fromEntries(Object.entries(tiers).map(([name, cpu]) => [name, cpu()]));
const total = (seconds: Seconds): number => Object.values(seconds).reduce((sum, one) => sum + one, 0);

const IDLE_MS = 2_000;
// The stand-in of MongoDB takes longer for a write the more documents it has. After ten seconds of load it needs minutes.
const SECONDS = 3;
const SETTLED_MS = 300_000;
/** All tiers together use less of a core if they have nothing to do. */
const IDLE_CORES = 0.2;

/** Waits until the tiers have nothing left to do. Returns how many cores each uses then. */
const settled = async (tiers: Tiers): Promise<Seconds> => {
  let cores: Seconds = {};
  for (const giveUp = performance.now() + SETTLED_MS; performance.now() < giveUp; ) {
    const [before, at] = [used(tiers), performance.now()];
    await pause(IDLE_MS);
    const seconds = (performance.now() - at) / 1_000;
    const idle = Object.entries(used(tiers)).map(([name, after]) => [name, (after - (before[name] ?? 0)) / seconds]);
    cores = Object.fromEntries(idle);
    if (total(cores) < IDLE_CORES) return cores;
  }
  throw new Error(`after ${SETTLED_MS} ms, the tiers still use these cores: ${JSON.stringify(cores)}`);
};

/** Returns the microseconds of each tier for a request of a load, with what follows it, without what they use idle. */
const costsOf = async (tiers: Tiers, one: Load): Promise<Seconds> => {
  await load(one, 1);
  const idle = await settled(tiers);
  const [before, at] = [used(tiers), performance.now()];
  const { requests } = await load(one, SECONDS);
  await settled(tiers);
  const elapsed = (performance.now() - at) / 1_000;
  const costs = Object.entries(used(tiers)).map(([name, after]) => {
    const spent = after - (before[name] ?? 0) - (idle[name] ?? 0) * elapsed;
    return [name, (Math.max(0, spent) / requests) * 1e6];
  });
  return Object.fromEntries(costs);
};

interface Processes {
  readonly http: Server;
  readonly worker: Omit<Server, 'url'>;
  readonly log: Engine;
  readonly mongo: Engine;
  readonly redis: Engine;
}

const rowsOf = async ({ http, worker, log, mongo, redis }: Processes): Promise<readonly Row[]> => {
  const others: Tiers = {
    'http process': () => cpuSecondsOf(http.pid),
    'event log': log.cpuSeconds,
    'views and vault': mongo.cpuSeconds,
    Redis: redis.cpuSeconds,
  };
  const all: Tiers = { ...others, worker: () => cpuSecondsOf(worker.pid) };
  const body = protocolBody(await anInstitution(http.url));
  const write = repeating(http, { method: 'POST', path: '/protocols', body });
  const { id } = await post<{ readonly id: string }>(`${http.url}/protocols`, body);
  const writes = await costsOf(all, write);
  const reads = await costsOf(all, repeating(http, { method: 'GET', path: `/protocols/${id}` }));
  await worker.stop();
  const alone = await costsOf(others, write);
  const row = (tier: string, ours = Number.NaN, read = Number.NaN): Row => ({
    what: `one write, processor time: ${tier}`,
    unit: 'µs',
    ours,
    baseline: { name: 'one read', value: read },
  });
  const vault = row('the part of the vault without a worker', alone['views and vault'], 0);
  return [...Object.keys(all).map((tier) => row(tier, writes[tier], reads[tier])), vault];
};

export const tiers: Measure = {
  name: 'tiers',
  title: 'processor time of each tier',
  run: async (bench) => {
    const running: { stop(): Promise<void> }[] = [];
    const keep = <P extends { stop(): Promise<void> }>(process: P): P => {
      running.unshift(process);
      return process;
    };
    try {
      const engine = async (name: EngineName) => keep(await startEngine(below(bench, name), name));
      const [log, mongo, redis] = [await engine('eventstoredb'), await engine('mongodb'), await engine('redis')];
      const environment = { ...log.environment, ...mongo.environment, ...redis.environment };
      const worker = keep(await startWorker(below(bench, 'worker'), environment));
      const http = keep(await startReady(below(bench, 'http'), { ...environment, ROLES: 'http' }));
      return await rowsOf({ http, worker, log, mongo, redis });
    } finally {
      for (const one of running) await one.stop();
    }
  },
};
