// Replay of a log into a fresh store of views against a plain read of the same log.
import { mixedEvents, writeLog } from '../lib/log.js';
import { type Replayed, ratesOf, replaying } from '../lib/replays.js';
import { interleaved } from '../lib/rounds.js';
import { atLeast, median, ratioOf } from '../lib/stats.js';
import { runTask } from '../lib/task.js';
import type { Measure } from '../measure.js';
import { below } from './http.js';

export const replay: Measure = {
  name: 'replay',
  title: 'replay of the log into a view',
  run: async (bench) => {
    const directory = below(bench, 'facts');
    const events = bench.quick ? 20_000 : 100_000;
    await writeLog(directory, mixedEvents(events));
    const samples = await interleaved(
      {
        ours: replaying(bench, { dataDirectory: directory, projection: 'protocols' }),
        read: () => runTask<Replayed>('read', { factsDirectory: directory }),
      },
      bench.quick ? 3 : 7,
    );
    const [ours, read] = [ratesOf(samples.ours, events), ratesOf(samples.read, events)];
    const ratio = ratioOf(ours, read);
    const baseline = { name: 'read + JSON.parse', value: median(read) };
    const what = `replay of ${events.toLocaleString('en-GB')} events into the view of protocols`;
    return [{ what, unit: 'events/s', ours: median(ours), baseline, ratio, aim: atLeast(0.4, ratio) }];
  },
};
