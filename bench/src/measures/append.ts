// Measures 50 writers that append single events through the facts port, compared with the plain driver in a
// separate thread with groups of the same mean size.
import { rmSync } from 'node:fs';
import { below } from '../lib/below.js';
import { comparedRow, interleaved } from '../lib/rounds.js';
import { median } from '../lib/stats.js';
import { runTask } from '../lib/task.js';
import type { Measure } from '../measure.js';
import type { AppendOptions, AppendResult } from '../tasks/appending.js';

const WRITERS = 50;

export const append: Measure = {
  name: 'append',
  title: 'append through the facts port',
  run: async (bench) => {
    const milliseconds = bench.quick ? 1_000 : 4_000;
    const runIn = async (task: string, group = 1) => {
      const directory = below(bench, task);
      try {
        const options: AppendOptions = { directory, writers: WRITERS, group, milliseconds };
        return await runTask<AppendResult>(task, options);
      } finally {
        rmSync(directory, { recursive: true, force: true });
      }
    };
    const group = Math.round((await runIn('append-port')).group);
    const { ours, raw } = await interleaved(bench, {
      ours: () => runIn('append-port'),
      raw: () => runIn('append-raw', group),
    });
    const rates = (samples: readonly AppendResult[]) => samples.map(({ perSecond }) => perSecond);
    const notes = [
      `appends per transaction: ${median(ours.map((sample) => sample.group)).toFixed(1)}, the plain driver ${group}`,
    ];
    const row = { what: `append, ${WRITERS} writers`, unit: 'events/s', target: 'append', notes } as const;
    return [comparedRow({ ...row, than: 'plain driver, the same groups' }, rates(ours), rates(raw))];
  },
};
