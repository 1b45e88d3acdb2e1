// What sealing costs a replay: the same people with their personal fields sealed, and as plain text.
import { openEmbedded, writePeople } from '../lib/people.js';
import { ratesOf, replaying } from '../lib/replays.js';
import { interleaved } from '../lib/rounds.js';
import { atLeast, median, ratioOf } from '../lib/stats.js';
import type { Bench, Measure } from '../measure.js';
import { below } from './http.js';

const DECISIONS = 3;
const EVENTS_EACH = 2 + DECISIONS;

const prepare = async (bench: Bench, how: 'facts' | 'sealedFacts', people: number) => {
  const dataDirectory = below(bench, how);
  const stores = await openEmbedded(dataDirectory);
  // `facts` seals what goes through it; `sealedFacts` is the engine itself, which stores what it is given.
  await writePeople(stores[how], people, DECISIONS);
  await stores.close();
  return replaying(bench, { dataDirectory, projection: 'users', from: how });
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
    const [ours, theirs] = [ratesOf(samples.sealed, events), ratesOf(samples.plain, events)];
    const ratio = ratioOf(ours, theirs);
    const baseline = { name: 'the same, nothing sealed', value: median(theirs) };
    const what = `replay of ${events.toLocaleString('en-GB')} sealed events into the view of users`;
    return [{ what, unit: 'events/s', ours: median(ours), baseline, ratio, aim: atLeast(0.5, ratio) }];
  },
};
