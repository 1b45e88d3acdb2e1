// A form as whole numbers: what each question can add to the total, and the score ranges, in one unit, so that sums are
// exact.
import { answeringOf, type Outcomes, type Question, type ScoredForm } from './answers.js';
import { type Decimal, decimalOf, digitsAt, numberOf, times } from './decimal.js';
import type { Steps } from './sums.js';

/** One of some values, the sum of one or more values, or `first` and any number of steps up to `count` - 1. */
export type Adds =
  | { readonly kind: 'one' | 'some'; readonly values: readonly bigint[] }
  | { readonly kind: 'steps'; readonly first: bigint; readonly step: bigint; readonly count: bigint };

/** A question that counts. */
export interface Part {
  readonly question: Question;
  /** The weight in units. */
  readonly weight: bigint;
  readonly adds: Adds;
}

export interface ModelRange {
  readonly min: bigint;
  readonly max: bigint;
  readonly classification: string;
}

export interface Model {
  readonly parts: readonly Part[];
  /** The score ranges, sorted by their smallest total. */
  readonly ranges: readonly ModelRange[];
  /** Whether a number of a question can be any number between its bounds. */
  readonly isContinuous: boolean;
  /** Returns a total as a number; null if it stands for a total without a bound. */
  readonly numberOf: (total: bigint) => number | null;
}

type Counting = Exclude<Outcomes, { readonly kind: 'nothing' }>;

interface Weighted {
  readonly question: Question;
  readonly weight: Decimal;
  readonly outcomes: Counting;
}

/** Returns whether a question can change the total: it counts, and an answer to it is possible. */
const countingIn = (question: Question): readonly Weighted[] => {
  const { outcomes } = answeringOf(question);
  if (outcomes.kind === 'nothing' || question.weight === 0) return [];
  return [{ question, weight: decimalOf(question.weight), outcomes }];
};

const isOpen = ({ outcomes }: Weighted): boolean =>
  outcomes.kind === 'number' && (outcomes.min === undefined || outcomes.max === undefined);
const isAnyNumber = ({ outcomes }: Weighted): boolean => outcomes.kind === 'number' && !outcomes.isWhole;

/**
 * Returns the model of a form; undefined if the form has a whole number without a bound, whose totals are infinitely
 * many and not continuous.
 */
export function* modelOf({ questions, scoreRanges }: ScoredForm): Steps<Model | undefined> {
  const counting: Weighted[] = [];
  const decimals = scoreRanges.flatMap(({ minScore, maxScore }) => [decimalOf(minScore), decimalOf(maxScore)]);
  for (const question of questions) {
    const found = countingIn(question);
    counting.push(...found);
    decimals.push(...found.flatMap(decimalsOf));
    yield { added: 1 + question.options.length, held: 0 };
  }
  if (counting.some((each) => isOpen(each) && !isAnyNumber(each))) return undefined;
  const isContinuous = counting.some(isAnyNumber);
  const units = unitsFor(decimals, isContinuous);
  const parts: Part[] = [];
  for (const each of counting) {
    parts.push(partOf(each, units));
    yield { added: 1 + each.question.options.length, held: 0 };
  }
  return { parts, ranges: rangesOf(scoreRanges, units, isContinuous), isContinuous, numberOf: units.numberOf };
}

interface Units {
  readonly of: (decimal: Decimal) => bigint;
  /** Stands for infinity: no sum of the numbers of the form is half as large. */
  readonly horizon: bigint;
  readonly numberOf: (units: bigint) => number | null;
}

/** Returns units in which all these decimals are whole numbers. */
const unitsFor = (decimals: readonly Decimal[], isContinuous: boolean): Units => {
  const scale = decimals.reduce((most, decimal) => Math.max(most, decimal.scale), 0);
  // If totals are continuous, each decimal is an even number, and the odd number between two of them stands for all
  // fractions between them. So a gap between two ranges has an odd number, and an interval is a run of numbers.
  const factor = isContinuous ? 2n : 1n;
  const of = (decimal: Decimal) => digitsAt(decimal, scale) * factor;
  const horizon = 4n * decimals.reduce((sum, decimal) => sum + magnitude(of(decimal)), 1n);
  const doubleOf = (units: bigint) => numberOf({ digits: (units * 10n) / factor, scale: scale + 1 });
  return { of, horizon, numberOf: (units) => (magnitude(units) * 2n > horizon ? null : doubleOf(units)) };
};

/** Returns all numbers that a question can add, and its weight. */
const decimalsOf = ({ outcomes, weight }: Weighted): readonly Decimal[] => {
  const numbers =
    outcomes.kind === 'number' ? [outcomes.min, outcomes.max].filter((end) => end !== undefined) : outcomes.scores;
  return [weight, ...numbers.map((each) => times(each, weight))];
};

const partOf = ({ question, weight, outcomes }: Weighted, { of: unitsOf, horizon }: Units): Part => {
  const weightInUnits = unitsOf(weight);
  if (outcomes.kind !== 'number') {
    const values = outcomes.scores.map((score) => unitsOf(times(score, weight)));
    return { question, weight: weightInUnits, adds: { kind: outcomes.kind, values } };
  }
  const isNegative = weightInUnits < 0n;
  const endOf = (end: Decimal | undefined, open: bigint) => (end === undefined ? open : unitsOf(times(end, weight)));
  const ends = [
    endOf(outcomes.min, isNegative ? horizon : -horizon),
    endOf(outcomes.max, isNegative ? -horizon : horizon),
  ];
  const [first = 0n, last = 0n] = isNegative ? ends.toReversed() : ends;
  const step = outcomes.isWhole ? magnitude(weightInUnits) : 1n;
  return { question, weight: weightInUnits, adds: { kind: 'steps', first, step, count: (last - first) / step + 1n } };
};

/** If totals are continuous, a range reaches up to a next range that begins at the next double: none can begin earlier. */
const rangesOf = (
  ranges: ScoredForm['scoreRanges'],
  { of: unitsOf }: Units,
  isContinuous: boolean,
): readonly ModelRange[] => {
  const sorted = ranges.toSorted((a, b) => a.minScore - b.minScore || a.maxScore - b.maxScore);
  return sorted.map(({ minScore, maxScore, classification }, index) => {
    const next = sorted[index + 1]?.minScore;
    const touches = isContinuous && next !== undefined && areNeighbours(maxScore, next);
    const max = unitsOf(decimalOf(touches ? next : maxScore)) - (touches ? 1n : 0n);
    return { min: unitsOf(decimalOf(minScore)), max, classification };
  });
};

const areNeighbours = (low: number, high: number): boolean => {
  const middle = low / 2 + high / 2;
  return low < high && (middle <= low || middle >= high);
};

const magnitude = (number: bigint): bigint => (number < 0n ? -number : number);
