// Measures what plans a service beyond one machine: the processor time of each tier for a write and a read.
import { setTimeout as pause } from 'node:timers/promises';
import { below } from '../lib/below.js';
import { cpuSecondsOf } from '../lib/cpu.js';
import { startEngine } from '../lib/engines.js';
import { type Load, load, repeating } from '../lib/load.js';
import { type Server, startReady, startWorker } from '../lib/processes.js';
import { anInstitution, post, protocolBody } from '../lib/samples.js';
import type { Bench, Measure, Row } from '../measure.js';

/** Returns the CPU seconds that each tier has used so far. */
type Tiers = Readonly<Record<string, () => number>>;
type Seconds = Readonly<Record<string, number>>;

const used = (tiers: Tiers): Seconds => Object.fromEntries(Object.entries(tiers).map(([name, cpu]) => [name, cpu()]));
const total = (seconds: Seconds): number => Object.values(seconds).reduce((sum, one) => sum + one, 0);

const IDLE_MS = 2_000;
const SETTLED_MS = 120_000;
/** All tiers together use less of a core if they have nothing to do. */
const IDLE_CORES = 0.2;

/** Waits until the tiers have nothing left to do. Returns how many cores each uses then. */
const settled = async (tiers: Tiers): Promise<Seconds> => {
  for (const giveUp = performance.now() + SETTLED_MS; performance.now() < giveUp; ) {
    const [before, at] = [used(tiers), performance.now()];
    await pause(IDLE_MS);
    const seconds = (performance.now() - at) / 1_000;
    const idle = Object.entries(used(tiers)).map(([name, after]) => [name, (after - (before[name] ?? 0)) / seconds]);
    const cores: Seconds = Object.fromEntries(idle);
    if (total(cores) < IDLE_CORES) return cores;
  }
  throw new Error(`the tiers were still busy after ${SETTLED_MS} ms`);
};

/** Returns the microseconds of each tier for a request of a load, with what follows it, without what they use idle. */
const costsOf = async (bench: Bench, tiers: Tiers, one: Load): Promise<Seconds> => {
  await load(one, bench.quick ? 1 : 5);
  const idle = await settled(tiers);
  const [before, at] = [used(tiers), performance.now()];
  const { requests } = await load(one, bench.quick ? 2 : 10);
  await settled(tiers);
  const elapsed = (performance.now() - at) / 1_000;
  const costs = Object.entries(used(tiers)).map(([name, after]) => {
    const spent = after - (before[name] ?? 0) - (idle[name] ?? 0) * elapsed;
    return [name, (Math.max(0, spent) / requests) * 1e6];
  });
  return Object.fromEntries(costs);
};

export const tiers: Measure = {
  name: 'tiers',
  title: 'processor time of each tier',
  run: async (bench) => {
    const names = ['eventstoredb', 'mongodb', 'redis'] as const;
    const [log, mongo, redis] = await Promise.all(
      names.map((name) => startEngine(below(bench, name), name)) as [Starting, Starting, Starting],
    );
    const environment = { ...log.environment, ...mongo.environment, ...redis.environment };
    const [worker, http] = await Promise.all([
      startWorker(below(bench, 'worker'), environment),
      startReady(below(bench, 'http'), { ...environment, ROLES: 'http' }),
    ]);
    const cpuOf =
      ({ pid }: Pick<Server, 'pid'>) =>
      () =>
        cpuSecondsOf(pid);
    const all: Tiers = {
      'http process': cpuOf(http),
      worker: cpuOf(worker),
      'event log': log.cpuSeconds,
      'views and vault': mongo.cpuSeconds,
      Redis: redis.cpuSeconds,
    };
    try {
      const body = protocolBody(await anInstitution(http.url));
      const write = repeating(http, { method: 'POST', path: '/protocols', body });
      const { id } = await post<{ readonly id: string }>(`${http.url}/protocols`, body);
      const writes = await costsOf(bench, all, write);
      const reads = await costsOf(bench, all, repeating(http, { method: 'GET', path: `/protocols/${id}` }));
      await worker.stop();
      const { worker: _, ...others } = all;
      const alone = await costsOf(bench, others, write);
      const row = (tier: string, write: number, read: number): Row => ({
        what: `one write, processor time: ${tier}`,
        unit: 'µs',
        ours: write,
        baseline: { name: 'one read', value: read },
      });
      return [
        ...Object.keys(all).map((tier) => row(tier, writes[tier] ?? Number.NaN, reads[tier] ?? Number.NaN)),
        row('the part of the vault without a worker', alone['views and vault'] ?? Number.NaN, 0),
      ];
    } finally {
      for (const one of [http, worker, log, mongo, redis]) await one.stop();
    }
  },
};

type Starting = ReturnType<typeof startEngine>;
