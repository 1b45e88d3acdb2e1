// What the measures share that set one figure beside another.
import { interleaved } from '../lib/rounds.js';
import { median, ratioOf } from '../lib/stats.js';
import type { Bench, Row } from '../measure.js';

/** Takes one sample of a figure. */
export type Sample = () => Promise<number>;

/** The line of one figure beside another, both sampled in turn. */
export const pairRow = async (
  bench: Bench,
  row: Pick<Row, 'what' | 'unit'> & { readonly than: string },
  pair: readonly [Sample, Sample],
): Promise<Row & Required<Pick<Row, 'ratio'>>> => {
  const [ours, theirs] = pair;
  const samples = await interleaved({ ours, theirs }, bench.quick ? 3 : 7);
  const ratio = ratioOf(samples.ours, samples.theirs);
  const baseline = { name: row.than, value: median(samples.theirs) };
  return { what: row.what, unit: row.unit, ours: median(samples.ours), baseline, ratio };
};
