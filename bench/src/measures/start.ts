// Measures the time from a start until `/readyz` responds with 200, with a log whose read models are built, compared
// with empty stores.
import { join } from 'node:path';
import { below } from '../lib/below.js';
import { mixedEvents, writeLog } from '../lib/log.js';
import { residentMiB, startProduct, untilReady } from '../lib/processes.js';
import { comparedRow, interleaved } from '../lib/rounds.js';
import { median } from '../lib/stats.js';
import type { Measure } from '../measure.js';

interface Started {
  readonly milliseconds: number;
  readonly resident: number;
}

const startOnce = async (directory: string): Promise<Started> => {
  const server = await startProduct(directory);
  try {
    return { milliseconds: await untilReady(server), resident: residentMiB(server.pid) };
  } finally {
    await server.stop();
  }
};

export const start: Measure = {
  name: 'start',
  title: 'start by the length of the log',
  run: async (bench) => {
    const events = bench.quick ? 20_000 : 1_000_000;
    const size = `${events.toLocaleString('en-GB')} events`;
    const [empty, full] = [below(bench, 'empty'), below(bench, 'full')];
    bench.say(`writing a log of ${size}`);
    await writeLog(join(full, 'data'), mixedEvents(events));
    const building = await startOnce(full);
    await startOnce(empty);
    const { ours, theirs } = await interleaved(bench, {
      ours: () => startOnce(full),
      theirs: () => startOnce(empty),
    });
    const times = (starts: readonly Started[]) => starts.map(({ milliseconds }) => milliseconds);
    const [resident, none] = [ours, theirs].map((starts) => median(starts.map((one) => one.resident)).toFixed(0));
    const notes = [
      `resident when ready: ${resident} MiB, without events ${none} MiB`,
      `the first start, which builds the read models: ${(building.milliseconds / 1_000).toFixed(1)} s, ${building.resident.toFixed(0)} MiB`,
    ];
    const row = { what: `start with ${size}`, unit: 'ms', target: 'start', than: 'without events', notes } as const;
    return [comparedRow(row, times(ours), times(theirs))];
  },
};
