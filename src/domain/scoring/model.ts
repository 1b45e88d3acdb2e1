// A form as whole numbers: what each question can add to the total, and the score ranges, in one unit, so that sums are
// exact.
import {
  type Answer,
  counts,
  type Outcomes,
  type Scorable,
  type ScorableQuestion,
  type ScoredForm,
} from './answers.js';
import { type Decimal, decimalOf, digitsAt, times, ZERO } from './decimal.js';
import { commonDivisor, type Steps } from './sums.js';

/** One of some values, the sum of one or more values, or `first` and any number of steps below `count`. */
export type Adds =
  | { readonly kind: 'one' | 'some'; readonly values: readonly bigint[] }
  | { readonly kind: 'steps'; readonly first: bigint; readonly step: bigint; readonly count: bigint };

/** A question that can change the total, and what an answer to it adds. */
export interface ScoringPart {
  readonly question: ScorableQuestion;
  readonly weight: bigint;
  readonly adds: Adds;
  /** A common divisor of all differences of what the question can add. */
  readonly unit: bigint;
  /** The answers that add `one` of some values. Absent if they are the options. */
  readonly answers?: readonly Answer[];
  /** The smallest and the largest number that an answer adds. */
  readonly least: bigint;
  readonly most: bigint;
  /** The smallest and the largest number that the question can add, answered or not. */
  readonly min: bigint;
  readonly max: bigint;
  /** Whether the question is a whole number that lacks a bound, or has one beyond which doubles skip whole numbers. */
  readonly isEndless: boolean;
}

export interface ModelRange {
  readonly min: bigint;
  readonly max: bigint;
  readonly classification: string;
}

export interface Model {
  /** Those that keep the totals few runs come first: any numbers, and then those with the largest units. */
  readonly parts: readonly ScoringPart[];
  /** The smallest and the largest total. */
  readonly min: bigint;
  readonly max: bigint;
  readonly ranges: readonly ModelRange[];
  /** Whether some number can have any fraction. */
  readonly isContinuous: boolean;
  /** Returns a decimal of the form as a total. */
  readonly unitsOf: (decimal: Decimal) => bigint;
  /** Returns a total as a decimal; undefined if it stands for infinity. */
  readonly decimalOf: (total: bigint) => Decimal | undefined;
}

/** A question that counts, with its numbers times its weight. */
interface Weighted {
  readonly question: ScorableQuestion;
  readonly kind: Exclude<Outcomes['kind'], 'nothing'>;
  readonly weight: Decimal;
  readonly numbers: readonly (Decimal | undefined)[];
  readonly reach: Reach;
  readonly isEndless: boolean;
}

/** Returns the model of a form. */
export function* modelOf({ questions, scoreRanges }: Scorable): Steps<Model> {
  const counting: Weighted[] = [];
  for (const question of questions) {
    const { kind, numbers } = question.outcomes;
    yield { added: 1 + numbers.length, held: 0 };
    if (kind === 'nothing') continue;
    const weight = decimalOf(question.weight);
    const weighted = numbers.map((number) => (number === undefined ? undefined : times(decimalOf(number), weight)));
    const isEndless = kind === 'whole' && !numbers.every(Number.isSafeInteger);
    const reach = answeredReachOf(question);
    counting.push({ question, kind, weight, numbers: weighted, reach, isEndless });
  }
  const isContinuous = counting.some(({ kind }) => kind === 'any');
  const units = unitsFor(counting, scoreRanges, isContinuous);
  const parts: ScoringPart[] = [];
  for (const each of counting) {
    parts.push(partOf(each, units));
    yield { added: 1 + each.numbers.length, held: 0 };
  }
  const ranges = rangesOf(scoreRanges, units);
  const rankOf = ({ adds, unit }: ScoringPart) =>
    isContinuous && adds.kind === 'steps' && adds.step === 1n ? units.horizon : unit;
  const sorted = parts.toSorted((a, b) => Number(rankOf(b) - rankOf(a)));
  return { parts: sorted, ...endsIn(parts), ranges, isContinuous, unitsOf: units.of, decimalOf: units.decimalOf };
}

/** Returns the smallest and the largest total of answers to at least one question. */
const endsIn = (parts: readonly ScoringPart[]): Pick<Model, 'min' | 'max'> => {
  const sum = (numbers: readonly bigint[]) => numbers.reduce((all, number) => all + number, 0n);
  const smallest = ([first = 0n, ...others]: readonly bigint[]) => others.reduce((a, b) => (a < b ? a : b), first);
  // The question is answered for which this changes least.
  const min = sum(parts.map((part) => part.min)) + smallest(parts.map((part) => part.least - part.min));
  const max = sum(parts.map((part) => part.max)) - smallest(parts.map((part) => part.max - part.most));
  return { min, max };
};

/** The smallest and the largest of some numbers; undefined for a side without a bound. */
export interface Reach {
  readonly min: Decimal | undefined;
  readonly max: Decimal | undefined;
}

/** Returns the smallest and the largest number that a question can add, answered or not. */
export const reachOf = (question: ScorableQuestion): Reach => {
  const { min, max } = answeredReachOf(question);
  if (question.required) return { min, max };
  return { min: min && min.digits > 0n ? ZERO : min, max: max && max.digits < 0n ? ZERO : max };
};

/** Returns the smallest and the largest number that an answer to a question can add. */
const answeredReachOf = (question: ScorableQuestion): Reach => {
  if (!counts(question)) return { min: ZERO, max: ZERO };
  const weight = decimalOf(question.weight);
  const [min, max] = question.ends.map((end) => {
    const number = end && question.counted(end);
    return number && times(number, weight);
  });
  return { min, max };
};

interface Units extends Pick<Model, 'decimalOf'> {
  readonly of: (decimal: Decimal) => bigint;
  /** Stands for infinity: no sum of the numbers of the form is half as large. */
  readonly horizon: bigint;
}

/** Returns units in which all numbers of a form are whole. */
const unitsFor = (counting: readonly Weighted[], ranges: ScoredForm['scoreRanges'], isContinuous: boolean): Units => {
  const ends = ranges.flatMap(({ minScore, maxScore }) => [decimalOf(minScore), decimalOf(maxScore)]);
  const scale = [...ends, ...counting.flatMap(({ weight, numbers }) => [weight, ...numbers])].reduce(
    (largest, number) => Math.max(largest, number?.scale ?? 0),
    0,
  );
  // If totals are continuous, each decimal is an even number, and the odd number between two of them stands for all
  // fractions between them. So a gap between two ranges has an odd number, and an interval is a run of numbers.
  const factor = isContinuous ? 2n : 1n;
  const of = (decimal: Decimal) => digitsAt(decimal, scale) * factor;
  // The horizon is no larger than it must be, because a set of totals spans it. A number beside a bound adds up to a weight.
  const bounds = [...ends, ...counting.flatMap(({ reach: { min, max }, weight }) => [min, max, weight])];
  const horizon = bounds.reduce((sum, bound) => sum + 4n * (bound ? magnitude(of(bound)) : 0n), 4n * factor);
  const exact = (units: bigint) => ({ digits: (units * 10n) / factor, scale: scale + 1 });
  return { of, horizon, decimalOf: (units) => (magnitude(units) * 2n > horizon ? undefined : exact(units)) };
};

const partOf = (weighted: Weighted, units: Units): ScoringPart => {
  const { question, kind, weight, numbers, reach, isEndless } = weighted;
  const { of, horizon } = units;
  const adds: Adds =
    kind === 'one' || kind === 'some'
      ? { kind, values: numbers.map((number) => (number ? of(number) : 0n)) }
      : stepsOf(weighted, units);
  const inUnits = ({ min, max }: Reach) => [min ? of(min) : -horizon, max ? of(max) : horizon] as const;
  const [[least, most], [min, max]] = [inUnits(reach), inUnits(reachOf(question))];
  return { question, weight: of(weight), adds, unit: unitOf(question, adds), least, most, min, max, isEndless };
};

const unitOf = ({ required }: ScorableQuestion, adds: Adds): bigint => {
  const [first, others] =
    adds.kind === 'steps' ? [adds.first, [adds.first + adds.step]] : [adds.values[0] ?? 0n, adds.values];
  const differences = others.map((value) => (adds.kind === 'some' ? value : value - first));
  return differences.reduce(commonDivisor, required ? 0n : first);
};

const stepsOf = ({ kind, weight, numbers }: Weighted, { of, horizon }: Units): Adds => {
  const ends = numbers.map((number) => number && of(number));
  const [low = -horizon, high = horizon] = weight.digits < 0n ? ends.toReversed() : ends;
  // Nobody uses the steps of a whole number without a bound: the totals of an endless model stay undecided.
  const step = kind === 'whole' ? magnitude(of(weight)) : 1n;
  return { kind: 'steps', first: low, step, count: (high - low) / step + 1n };
};

const rangesOf = (ranges: ScoredForm['scoreRanges'], { of }: Units): readonly ModelRange[] =>
  ranges.map(({ minScore, maxScore, classification }, index) => {
    const next = touched(ranges, index);
    const max = next === undefined ? of(decimalOf(maxScore)) : of(decimalOf(next)) - 1n;
    return { min: of(decimalOf(minScore)), max, classification };
  });

/**
 * Returns where the next range begins if it begins at the next double. The range then reaches up to there, because no
 * range can have the totals in between.
 */
export const touched = (ranges: ScoredForm['scoreRanges'], index: number): number | undefined => {
  const [range, next] = [ranges[index], ranges[index + 1]];
  return range && next && areNeighbours(range.maxScore, next.minScore) ? next.minScore : undefined;
};

const areNeighbours = (low: number, high: number): boolean => {
  const middle = low / 2 + high / 2;
  return low < high && (middle <= low || middle >= high);
};

const magnitude = (number: bigint): bigint => (number < 0n ? -number : number);
