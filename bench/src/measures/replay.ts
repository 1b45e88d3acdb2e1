// Measures the replay of a log into an empty read model, compared with a plain read of the same log.
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { below } from '../lib/below.js';
import { mixedEvents, writeLog } from '../lib/log.js';
import { pairRow } from '../lib/rounds.js';
import { runTask } from '../lib/task.js';
import type { Measure } from '../measure.js';

interface Seen {
  readonly events: number;
  readonly perSecond: number;
}

export const replay: Measure = {
  name: 'replay',
  title: 'replay of the log into a read model',
  run: async (bench) => {
    const dataDirectory = below(bench, 'facts');
    const events = bench.quick ? 20_000 : 100_000;
    await writeLog(dataDirectory, mixedEvents(events));
    const rateOf = async (task: string, options: object) => {
      const seen = await runTask<Seen>(task, { dataDirectory, ...options });
      if (seen.events !== events) throw new Error(`${task} saw ${seen.events} events, not ${events}`);
      return seen.perSecond;
    };
    const ours = async () => {
      const viewsDirectory = mkdtempSync(join(bench.directory, 'views-'));
      try {
        return await rateOf('replay', { viewsDirectory });
      } finally {
        rmSync(viewsDirectory, { recursive: true });
      }
    };
    const what = `replay of ${events.toLocaleString('en-GB')} events`;
    const row = { what, unit: 'events/s', target: 'replay', than: 'read + JSON.parse' } as const;
    return [await pairRow(bench, row, { ours, theirs: () => rateOf('read', {}) })];
  },
};
