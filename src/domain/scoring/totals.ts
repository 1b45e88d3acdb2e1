// The totals that complete sets of answers can reach.
import type { Adds, Model, ScoringPart } from './model.js';
import { BITS_OF_ADDITION, Bits, Runs, type Steps, type Sums } from './sums.js';

const MOST_BITS = 1_000_000;

/** The totals of the answers to some questions, of which none has to be answered, and of those to at least one of them. */
export interface PartTotals<S> {
  readonly all: S;
  /** Undefined if there is no question. The same set as `all` if answers have all totals of `all`. */
  readonly answered: S | undefined;
}

interface Answered<S> extends PartTotals<S> {
  readonly answered: S;
}

/** Returns the totals of no question. */
export const noneOf = <S>(zero: S): PartTotals<S> => ({ all: zero, answered: undefined });

/** Returns the memory of some totals. */
export const costOf = <S extends Sums<S>>({ all, answered }: PartTotals<S>): number =>
  all.cost + (answered === undefined || answered === all ? 0 : answered.cost);

/**
 * Returns the set of 0, in the form in which the totals of the questions take the least work. Something between `base` and
 * its negative may be added to all of them.
 */
export function* zeroOf({ parts }: Pick<Model, 'parts'>, base = 0n): Steps<Bits | Runs> {
  let [divisor, most, largest, width] = [0n, 1, base, 0n];
  for (const part of parts) {
    const numbers = numbersIn(part.adds);
    divisor = numbers.reduce(commonDivisor, divisor);
    most = Math.min(most * (choicesOf(part.adds) + 1), MOST_BITS);
    largest += part.max > -part.min ? part.max : -part.min;
    width += part.max - part.min;
    yield { added: 1 + numbers.length, held: 0 };
  }
  const unit = divisor || 1n;
  if (width / unit < MOST_BITS && width / unit <= BigInt(BITS_OF_ADDITION * most)) return Bits.zero(unit);
  return Runs.zero(largest.toString(2).length + 1);
}

/** Returns about how many totals a question has by itself. */
export const sizeOf = ({ adds, min, max }: ScoringPart): number => {
  // Any number, and each whole number where none is between two totals, are one run.
  if (adds.kind === 'steps' && adds.step === 1n) return 1;
  const divisor = numbersIn(adds).reduce(commonDivisor, 0n) || 1n;
  return Math.min(choicesOf(adds), Number((max - min) / divisor) + 1);
};

/** Returns numbers whose common divisors divide everything that an answer adds. */
const numbersIn = (adds: Adds): readonly bigint[] => (adds.kind === 'steps' ? [adds.first, adds.step] : adds.values);

const choicesOf = (adds: Adds): number => {
  if (adds.kind === 'steps') return Number(adds.count);
  return adds.kind === 'some' ? 2 ** adds.values.length : adds.values.length;
};

const commonDivisor = (a: bigint, b: bigint): bigint => {
  let [one, other] = [a, b];
  while (other !== 0n) [one, other] = [other, one % other];
  return one < 0n ? -one : one;
};

/** Returns the totals after one more question, if `from` are the totals before it. */
export function* withPart<S extends Sums<S>>(from: PartTotals<S>, { question, adds }: ScoringPart): Steps<Answered<S>> {
  const own = yield* withAnswer(from.all, adds);
  if (question.required) return { all: own, answered: own };
  const answered = from.answered === undefined ? own : yield* unionOf(own, [from.answered.shifted(0n)]);
  if (from.all === from.answered) return { all: answered, answered };
  yield { added: answered.search, held: 0 };
  if (answered.next(0n) === 0n) return { all: answered, answered };
  return { all: yield* unionOf(answered.shifted(0n), [from.all.shifted(0n)]), answered };
}

/** Returns the totals of `from` and an answer to one more question. */
export function* withAnswer<S extends Sums<S>>(from: S, adds: Adds): Steps<S> {
  switch (adds.kind) {
    case 'one': {
      const [first = 0n, ...others] = new Set(adds.values);
      const shifted = others.map((value) => from.shifted(value));
      return yield* unionOf(from.shifted(first), shifted);
    }
    case 'some': {
      const [first = 0n, ...others] = adds.values;
      let some = from.shifted(first);
      for (const value of others) some = yield* withChoice(from, some, value);
      return some;
    }
    case 'steps':
      return yield* withSteps(from.shifted(adds.first), adds);
  }
}

/** Returns the totals with any of the previous values, with any of them and one more value, and with this value alone. */
export const withChoice = <S extends Sums<S>>(from: S, some: S, value: bigint): Steps<S> =>
  unionOf(some, [some.shifted(value), from.shifted(value)]);

function* withSteps<S extends Sums<S>>(from: S, { step, count }: Extract<Adds, { readonly kind: 'steps' }>): Steps<S> {
  let sums = from;
  // Each union doubles the number of steps.
  for (let done = 1n; done < count; ) {
    const more = done < count - done ? done : count - done;
    sums = yield* unionOf(sums, [sums.shifted(step * more)]);
    done += more;
  }
  return sums;
}

/** Returns the union of some sets, whose memory is then released. Joins halves, so that few members are copied often. */
function* unionOf<S extends Sums<S>>(first: S, others: readonly S[]): Steps<S> {
  const middle = others.length >> 1;
  const [second, ...rest] = others.slice(middle);
  if (second === undefined) return first;
  const left = yield* unionOf(first, others.slice(0, middle));
  const right = yield* unionOf(second, rest);
  return yield* left.union(right);
}

/** Returns the given totals, those after the first question, after the first two, and so on. */
export function* prefixesOf<S extends Sums<S>>(
  first: PartTotals<S>,
  parts: readonly ScoringPart[],
): Steps<readonly PartTotals<S>[]> {
  const prefixes = [first];
  let totals = first;
  for (const part of parts) {
    totals = yield* withPart(totals, part);
    prefixes.push(totals);
  }
  return prefixes;
}
