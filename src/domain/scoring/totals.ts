// The totals that complete sets of answers can reach.
import type { Adds, ScoringPart } from './model.js';
import { type Steps, Sums } from './sums.js';

const ZERO = Sums.of(0n);

/** The totals of the answers to some questions, of which none has to be answered, and of those to at least one of them. */
export interface PartTotals {
  readonly all: Sums;
  /** Undefined if there is no question. The same set as `all` if answers have all totals of `all`. */
  readonly answered: Sums | undefined;
}

interface Answered extends PartTotals {
  readonly answered: Sums;
}

/** The totals of no question. */
export const NO_TOTALS: PartTotals = { all: ZERO, answered: undefined };

/** Returns the memory of some totals. */
export const costOf = ({ all, answered }: PartTotals): number =>
  all.cost + (answered === undefined || answered === all ? 0 : answered.cost);

/** Returns about how many totals a question has by itself. */
export const sizeOf = ({ adds, unit, min, max }: ScoringPart): number => {
  // Any number, and each whole number where none is between two totals, are one run.
  if (adds.kind === 'steps' && adds.step === 1n) return 1;
  return Math.min(choicesOf(adds), Number((max - min) / (unit || 1n)) + 1);
};

const choicesOf = (adds: Adds): number => {
  if (adds.kind === 'steps') return Number(adds.count);
  return adds.kind === 'some' ? 2 ** adds.values.length : adds.values.length;
};

/** Returns the totals after one more question, if `from` are the totals before it. */
export function* withPart(from: PartTotals, { question, adds }: ScoringPart): Steps<Answered> {
  const own = yield* withAnswer(from.all, adds);
  if (question.required) return { all: own, answered: own };
  const answered = from.answered === undefined ? own : yield* unionOf(own, [from.answered.shifted(0n)]);
  if (from.all === from.answered) return { all: answered, answered };
  yield { added: 1, held: 0 };
  if (answered.next(0n) === 0n) return { all: answered, answered };
  return { all: yield* unionOf(answered.shifted(0n), [from.all.shifted(0n)]), answered };
}

/** Returns the totals of `from` and an answer to one more question. */
export function* withAnswer(from: Sums, adds: Adds): Steps<Sums> {
  switch (adds.kind) {
    case 'one': {
      const [first = 0n, ...others] = [...new Set(adds.values)].toSorted((a, b) => Number(a - b));
      const step = (others[0] ?? first) - first;
      // The values of most questions are steps, which need fewer unions.
      if (others.every((value, index) => value === first + step * BigInt(index + 1))) {
        return yield* withSteps(from.shifted(first), step, BigInt(others.length + 1));
      }
      return yield* unionOf(
        from.shifted(first),
        others.map((value) => from.shifted(value)),
      );
    }
    case 'some': {
      const [first = 0n, ...others] = adds.values;
      let some = from.shifted(first);
      for (const value of others) some = yield* withChoice(from, some, value);
      return some;
    }
    case 'steps':
      return yield* withSteps(from.shifted(adds.first), adds.step, adds.count);
  }
}

/** Returns the totals with any of the previous values, with any of them and one more value, and with this value alone. */
export const withChoice = (from: Sums, some: Sums, value: bigint): Steps<Sums> =>
  unionOf(some, [some.shifted(value), from.shifted(value)]);

function* withSteps(from: Sums, step: bigint, count: bigint): Steps<Sums> {
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
function* unionOf(first: Sums, others: readonly Sums[]): Steps<Sums> {
  const middle = others.length >> 1;
  const [second, ...rest] = others.slice(middle);
  if (second === undefined) return first;
  const left = yield* unionOf(first, others.slice(0, middle));
  const right = yield* unionOf(second, rest);
  return yield* left.union(right);
}

/** Returns the given totals, those after the first question, after the first two, and so on. */
export function* prefixesOf(first: PartTotals, parts: readonly ScoringPart[]): Steps<readonly PartTotals[]> {
  const prefixes = [first];
  let totals = first;
  for (const part of parts) {
    totals = yield* withPart(totals, part);
    prefixes.push(totals);
  }
  return prefixes;
}
