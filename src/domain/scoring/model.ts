// A form as whole numbers: what each question can add to the total, and the score ranges, in one unit, so that sums are
// exact.
import { answeringOf, type Outcomes, type Question, type ScoredForm } from './answers.js';
import { type Decimal, decimalOf, digitsAt, numberOf, plus, times } from './decimal.js';
import type { Steps } from './sums.js';

/** One of some values, the sum of one or more values, or `first` and any number of steps below `count`. */
export type Adds =
  | { readonly kind: 'one' | 'some'; readonly values: readonly bigint[] }
  | { readonly kind: 'steps'; readonly first: bigint; readonly step: bigint; readonly count: bigint };

/** A question that can change the total, and what an answer to it adds. */
export interface ScoringPart {
  readonly question: Question;
  readonly weight: bigint;
  readonly adds: Adds;
  /** The smallest and the largest number that the question can add, answered or not. */
  readonly min: bigint;
  readonly max: bigint;
}

export interface ModelRange {
  readonly min: bigint;
  readonly max: bigint;
  readonly classification: string;
}

export interface Model {
  readonly parts: readonly ScoringPart[];
  /** The smallest and the largest total. */
  readonly min: bigint;
  readonly max: bigint;
  readonly ranges: readonly ModelRange[];
  /** Whether some number can have any fraction. */
  readonly isContinuous: boolean;
  /** Whether some whole number lacks a bound, or has one beyond which doubles skip whole numbers. */
  readonly isEndless: boolean;
  /** Returns a total as a decimal; undefined if it stands for infinity. */
  readonly decimalOf: (total: bigint) => Decimal | undefined;
}

/** A question that counts, with its numbers times its weight. */
interface Weighted extends Outcomes {
  readonly question: Question;
  readonly weight: Decimal;
}

/** Returns the model of a form. */
export function* modelOf({ questions, scoreRanges }: ScoredForm): Steps<Model> {
  const counting: Weighted[] = [];
  let isEndless = false;
  let size = scoreRanges.reduce((sum, { minScore, maxScore }) => sizeOf([minScore, maxScore].map(decimalOf), sum), ONE);
  for (const question of questions) {
    const { kind, numbers } = answeringOf(question).outcomes();
    const weight = decimalOf(question.weight);
    yield { added: 1 + numbers.length, held: 0 };
    if (kind === 'nothing' || weight.digits === 0n) continue;
    const weighted = numbers.map((number) => number && times(number, weight));
    isEndless ||= kind === 'whole' && !numbers.every((bound) => bound && Number.isSafeInteger(numberOf(bound)));
    counting.push({ question, weight, kind, numbers: weighted });
    size = sizeOf([weight, ...weighted], size);
  }
  const isContinuous = counting.some(({ kind }) => kind === 'any');
  const units = unitsFor(size, isContinuous);
  const parts: ScoringPart[] = [];
  for (const each of counting) {
    parts.push(partOf(each, units));
    yield { added: 1 + each.numbers.length, held: 0 };
  }
  const [min, max] = [parts.reduce((sum, part) => sum + part.min, 0n), parts.reduce((sum, part) => sum + part.max, 0n)];
  const ranges = rangesOf(scoreRanges, units);
  return { parts, min, max, ranges, isContinuous, isEndless, decimalOf: units.decimalOf };
}

const ONE: Decimal = { digits: 1n, scale: 0 };

/** Returns a sum and the magnitudes of some numbers. Its scale is the largest of all. */
const sizeOf = (numbers: readonly (Decimal | undefined)[], sum: Decimal): Decimal =>
  numbers.reduce<Decimal>(
    (size, number) => (number ? plus(size, { ...number, digits: magnitude(number.digits) }) : size),
    sum,
  );

interface Units extends Pick<Model, 'decimalOf'> {
  readonly of: (decimal: Decimal) => bigint;
  /** Stands for infinity: no sum of the numbers of the form is half as large. */
  readonly horizon: bigint;
}

/** Returns units in which all numbers of a form are whole. `size` is one more than the sum of their magnitudes. */
const unitsFor = ({ digits, scale }: Decimal, isContinuous: boolean): Units => {
  // If totals are continuous, each decimal is an even number, and the odd number between two of them stands for all
  // fractions between them. So a gap between two ranges has an odd number, and an interval is a run of numbers.
  const factor = isContinuous ? 2n : 1n;
  const of = (decimal: Decimal) => digitsAt(decimal, scale) * factor;
  const horizon = 4n * digits * factor;
  const exact = (units: bigint) => ({ digits: (units * 10n) / factor, scale: scale + 1 });
  return { of, horizon, decimalOf: (units) => (magnitude(units) * 2n > horizon ? undefined : exact(units)) };
};

const partOf = ({ question, weight, kind, numbers }: Weighted, { of, horizon }: Units): ScoringPart => {
  const given = { question, weight: of(weight) };
  if (kind === 'one' || kind === 'some') {
    const values = numbers.map((number) => (number === undefined ? 0n : of(number)));
    return withSpan({ ...given, adds: { kind, values } });
  }
  const [low = -horizon, high = horizon] = (weight.digits < 0n ? numbers.toReversed() : numbers).map(
    (number) => number && of(number),
  );
  const step = kind === 'whole' ? magnitude(given.weight) : 1n;
  const count = (high - low) / step + 1n;
  // The steps include every bound that the question has.
  const first = numbers[weight.digits < 0n ? 1 : 0] === undefined ? high - step * (count - 1n) : low;
  return withSpan({ ...given, adds: { kind: 'steps', first, step, count } });
};

const withSpan = (part: Omit<ScoringPart, 'min' | 'max'>): ScoringPart => {
  const ends = [...endsOf(part.adds), ...(part.question.required ? [] : [0n])];
  const min = ends.reduce((a, b) => (b < a ? b : a));
  return { ...part, min, max: ends.reduce((a, b) => (b > a ? b : a)) };
};

/** Returns numbers that an answer can add, the smallest and the largest among them. */
const endsOf = (adds: Adds): readonly bigint[] => {
  switch (adds.kind) {
    case 'one':
      return adds.values;
    case 'some': {
      // At least one value is chosen, so the sum of none of them does not count.
      const signed = [adds.values.filter((value) => value < 0n), adds.values.filter((value) => value > 0n)];
      const sums = signed.filter(({ length }) => length > 0).map((values) => values.reduce((a, b) => a + b));
      return [...adds.values, ...sums];
    }
    case 'steps':
      return [adds.first, adds.first + adds.step * (adds.count - 1n)];
  }
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
