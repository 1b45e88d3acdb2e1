// Append of one event through the facts port, by 1 and by 50 writers at once, against emmett-sqlite and against plain
// better-sqlite3 with groups of the same mean size.
import { rmSync } from 'node:fs';
import { interleaved } from '../lib/rounds.js';
import { atLeast, median, ratioOf } from '../lib/stats.js';
import { runTask } from '../lib/task.js';
import type { Bench, Measure, Row } from '../measure.js';
import type { AppendOptions, AppendResult } from '../tasks/appending.js';
import { below } from './http.js';

const rowsFor = async (bench: Bench, writers: number): Promise<readonly Row[]> => {
  const milliseconds = bench.quick ? 1_500 : 6_000;
  const runIn = async (task: string, group = 1) => {
    const directory = below(bench, task);
    try {
      const options: AppendOptions = { directory, writers, group, milliseconds };
      return await runTask<AppendResult>(task, options);
    } finally {
      rmSync(directory, { recursive: true, force: true });
    }
  };
  const group = Math.round((await runIn('append-port')).group);
  const { ours, emmett, raw } = await interleaved(
    {
      ours: () => runIn('append-port'),
      emmett: () => runIn('append-emmett'),
      raw: () => runIn('append-raw', group),
    },
    bench.quick ? 3 : 7,
  );
  const rates = (samples: readonly AppendResult[]) => samples.map(({ perSecond }) => perSecond);
  const row = (name: string, samples: readonly AppendResult[]) => ({
    what: `append of one event, ${writers} ${writers === 1 ? 'writer' : 'writers'}`,
    unit: 'events/s',
    ours: median(rates(ours)),
    baseline: { name, value: median(rates(samples)) },
    ratio: ratioOf(rates(ours), rates(samples)),
    notes: [
      `ours: ${ours[0]?.note}; ${median(ours.map((sample) => sample.group)).toFixed(1)} appends to a transaction`,
      `${name}: ${samples[0]?.note}; ${samples[0]?.group} to a transaction`,
    ],
  });
  const besideEmmett = row('emmett-sqlite 0.38.5', emmett);
  return [
    { ...besideEmmett, aim: atLeast(20, besideEmmett.ratio) },
    row('better-sqlite3, groups of the same size', raw),
  ];
};

export const append: Measure = {
  name: 'append',
  title: 'append through the facts port',
  run: async (bench) => [...(await rowsFor(bench, 1)), ...(await rowsFor(bench, 50))],
};
