// Rounds in which product and baseline take turns, so that a temporary disturbance of the machine affects both.
import type { Bench, Row } from '../measure.js';
import { median, ratioOf } from './stats.js';

/** Returns the number of rounds in a run. A result is the median over the rounds. */
export const roundsOf = ({ quick }: Pick<Bench, 'quick'>): number => (quick ? 3 : 5);

/** Runs every contender once per round, forwards and backwards in turn, and returns the samples of each by round. */
export const interleaved = async <Name extends string, Sample>(
  bench: Pick<Bench, 'quick'>,
  contenders: Readonly<Record<Name, () => Promise<Sample>>>,
): Promise<Readonly<Record<Name, readonly Sample[]>>> => {
  const names = Object.keys(contenders) as Name[];
  const samples = Object.fromEntries(names.map((name) => [name, [] as Sample[]])) as Record<Name, Sample[]>;
  for (let round = 0; round < roundsOf(bench); round += 1) {
    for (const name of round % 2 === 0 ? names : names.toReversed()) samples[name].push(await contenders[name]());
  }
  return samples;
};

/** Names a row that compares two figures. `than` is the name of the baseline. */
export type Compared = Pick<Row, 'what' | 'unit' | 'target' | 'notes'> & { readonly than: string };

/** Returns the row that compares figures with those of a baseline, both by round. */
export const comparedRow = (
  { than, ...row }: Compared,
  ours: readonly number[],
  theirs: readonly number[],
): Row & Required<Pick<Row, 'ratio'>> => ({
  ...row,
  ours: median(ours),
  baseline: { name: than, value: median(theirs) },
  ratio: ratioOf(ours, theirs),
});

/** Takes samples of two figures in turn and returns their row. */
export const pairRow = async (
  bench: Pick<Bench, 'quick'>,
  row: Compared,
  pair: { readonly ours: () => Promise<number>; readonly theirs: () => Promise<number> },
): Promise<Row> => {
  const { ours, theirs } = await interleaved(bench, pair);
  return comparedRow(row, ours, theirs);
};
