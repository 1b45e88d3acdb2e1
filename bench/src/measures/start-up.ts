// How long a start takes until `/readyz` says 200, and the memory that the process holds then: with views that have to
// be built from the log first, and with views that are there.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { mixedEvents, writeLog } from '../lib/log.js';
import { residentMiB, startProduct, untilReady } from '../lib/processes.js';
import { type Spread, spreadOf } from '../lib/stats.js';
import type { Bench, Measure, Row } from '../measure.js';
import { below } from './http.js';

const SETTLED_MS = 1_500;

const startOnce = async (directory: string) => {
  const server = await startProduct(directory);
  try {
    const milliseconds = await untilReady(server);
    await pause(SETTLED_MS);
    return { milliseconds, resident: residentMiB(server.pid) };
  } finally {
    await server.stop();
  }
};

const between = (unit: string, { min, max }: Spread) => `${min.toFixed(0)} to ${max.toFixed(0)} ${unit}`;

const rowsFor = async (bench: Bench, events: number, starts: number): Promise<readonly Row[]> => {
  const directory = below(bench, `log-${events}`);
  bench.say(`writing a log of ${events.toLocaleString('en-GB')} events`);
  await writeLog(join(directory, 'data'), mixedEvents(events));
  const building = await startOnce(directory);
  const built = [];
  for (let start = 0; start < starts; start += 1) built.push(await startOnce(directory));
  rmSync(directory, { recursive: true });
  const size = `${events.toLocaleString('en-GB')} events`;
  const ready = spreadOf(built.map(({ milliseconds }) => milliseconds));
  const resident = spreadOf(built.map((start) => start.resident));
  const rows: Row[] = [
    { what: `start to ready, ${size}`, unit: 'ms', ours: ready.median, notes: [between('ms', ready)] },
    { what: `resident memory, ${size}`, unit: 'MiB', ours: resident.median, notes: [between('MiB', resident)] },
  ];
  if (events === 0) return rows;
  return [
    ...rows,
    { what: `start to ready with views to build, ${size}`, unit: 's', ours: building.milliseconds / 1_000 },
    { what: `resident memory after building them, ${size}`, unit: 'MiB', ours: building.resident },
  ];
};

export const startUp: Measure = {
  name: 'start-up',
  title: 'start and memory by the length of the log',
  run: async (bench) => {
    const rows: Row[] = [];
    const sizes = bench.quick ? [0, 20_000] : [0, 100_000, 1_000_000];
    for (const events of sizes) rows.push(...(await rowsFor(bench, events, bench.quick ? 2 : 5)));
    return rows;
  },
};
