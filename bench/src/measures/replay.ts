// Replay of a log into a fresh store of views against a plain read of the same log.
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { mixedEvents, writeLog } from '../lib/log.js';
import { interleaved } from '../lib/rounds.js';
import { atLeast, median, ratioOf } from '../lib/stats.js';
import { runTask } from '../lib/task.js';
import type { Measure } from '../measure.js';
import { below } from './http.js';

interface Result {
  readonly events: number;
  readonly perSecond: number;
}

export const replay: Measure = {
  name: 'replay',
  title: 'replay of the log into a view',
  run: async (bench) => {
    const factsDirectory = below(bench, 'facts');
    const events = bench.quick ? 20_000 : 100_000;
    await writeLog(factsDirectory, mixedEvents(events));
    const intoFreshViews = async () => {
      const viewsDirectory = mkdtempSync(join(bench.directory, 'views-'));
      try {
        return await runTask<Result>('replay', { factsDirectory, viewsDirectory });
      } finally {
        rmSync(viewsDirectory, { recursive: true });
      }
    };
    const { ours, read } = await interleaved(
      { ours: intoFreshViews, read: () => runTask<Result>('read', { factsDirectory }) },
      bench.quick ? 3 : 7,
    );
    const short = [...ours, ...read].find((sample) => sample.events !== events);
    if (short !== undefined) throw new Error(`${short.events} events were seen, not ${events}`);
    const rates = (samples: readonly Result[]) => samples.map(({ perSecond }) => perSecond);
    const ratio = ratioOf(rates(ours), rates(read));
    return [
      {
        what: `replay of ${events.toLocaleString('en-GB')} events into the view of protocols`,
        unit: 'events/s',
        ours: median(rates(ours)),
        baseline: { name: 'read + JSON.parse', value: median(rates(read)) },
        ratio,
        aim: atLeast(0.4, ratio),
      },
    ];
  },
};
