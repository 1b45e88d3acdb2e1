// What sealing costs a replay: the same people with their personal fields sealed, and as plain text.
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { openEmbedded, writePeople } from '../lib/people.js';
import { interleaved } from '../lib/rounds.js';
import { atLeast, median, ratioOf } from '../lib/stats.js';
import { runTask } from '../lib/task.js';
import type { Bench, Measure } from '../measure.js';
import { below } from './http.js';

interface Result {
  readonly events: number;
  readonly perSecond: number;
}

const DECISIONS = 3;
const EVENTS_EACH = 2 + DECISIONS;

const prepare = async (bench: Bench, how: 'facts' | 'sealedFacts', people: number) => {
  const dataDirectory = below(bench, how);
  const stores = openEmbedded(dataDirectory);
  // `facts` seals what goes through it; `sealedFacts` is the engine itself, which stores what it is given.
  await writePeople(stores[how], people, DECISIONS);
  await stores.close();
  return async () => {
    const viewsDirectory = mkdtempSync(join(bench.directory, 'views-'));
    try {
      return await runTask<Result>('replay-people', { dataDirectory, viewsDirectory });
    } finally {
      rmSync(viewsDirectory, { recursive: true });
    }
  };
};

export const sealedReplay: Measure = {
  name: 'sealed-replay',
  title: 'replay of people, sealed and plain',
  run: async (bench) => {
    const people = bench.quick ? 2_000 : 20_000;
    const sealed = await prepare(bench, 'facts', people);
    const plain = await prepare(bench, 'sealedFacts', people);
    const samples = await interleaved({ sealed, plain }, bench.quick ? 3 : 7);
    const events = people * EVENTS_EACH;
    const short = [...samples.sealed, ...samples.plain].find((sample) => sample.events !== events);
    if (short !== undefined) throw new Error(`${short.events} events were seen, not ${events}`);
    const [ours, theirs] = [samples.sealed, samples.plain].map((all) => all.map(({ perSecond }) => perSecond));
    const ratio = ratioOf(ours ?? [], theirs ?? []);
    const baseline = { name: 'the same, nothing sealed', value: median(theirs ?? []) };
    const what = `replay of ${events.toLocaleString('en-GB')} sealed events into the view of users`;
    return [{ what, unit: 'events/s', ours: median(ours ?? []), baseline, ratio, aim: atLeast(0.5, ratio) }];
  },
};
