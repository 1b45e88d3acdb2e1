// What the measures over HTTP share: servers side by side, loaded in turn.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { CONNECTIONS, cpuNote, type LoadSample, load, type Repeated } from '../lib/load.js';
import type { Server } from '../lib/processes.js';
import { interleaved } from '../lib/rounds.js';
import { median, ratioOf } from '../lib/stats.js';
import type { Bench, Row } from '../measure.js';

/** A server and the request that it is to answer. */
export interface Contender {
  readonly server: Server;
  readonly request: Repeated;
}

/** A directory of its own below that of the measure. */
export const below = ({ directory }: Bench, name: string): string => {
  const path = join(directory, name);
  mkdirSync(path, { recursive: true });
  return path;
};

/** Warms every server, loads them in turn, stops them, and gives the samples of each by round. */
export const loadInTurn = async <Name extends string>(bench: Bench, contenders: Readonly<Record<Name, Contender>>) => {
  const all = Object.entries<Contender>(contenders);
  try {
    for (const [, { server, request }] of all) await load(server, request, bench.quick ? 1 : 4);
    const runs = Object.fromEntries(
      all.map(([name, { server, request }]) => [name, () => load(server, request, bench.quick ? 2 : 8)]),
    ) as Record<Name, () => Promise<LoadSample>>;
    return await interleaved(runs, bench.quick ? 3 : 7);
  } finally {
    for (const [, { server }] of all) await server.stop();
  }
};

/** The line of the table for the product beside one of its baselines. */
export const loadRow = (
  what: string,
  ours: readonly LoadSample[],
  baseline: { readonly name: string; readonly samples: readonly LoadSample[] },
): Row & Required<Pick<Row, 'ratio'>> => {
  const rates = (samples: readonly LoadSample[]) => samples.map(({ perSecond }) => perSecond);
  return {
    what,
    unit: 'requests/s',
    ours: median(rates(ours)),
    baseline: { name: baseline.name, value: median(rates(baseline.samples)) },
    ratio: ratioOf(rates(ours), rates(baseline.samples)),
    notes: [`${CONNECTIONS} connections`, cpuNote('ours', ours), cpuNote(baseline.name, baseline.samples)],
  };
};
