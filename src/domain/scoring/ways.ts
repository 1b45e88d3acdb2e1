// The way back from totals to answers that reach them.
import type { Answer } from './answers.js';
import { numberOf } from './decimal.js';
import type { ScoringPart } from './model.js';
import type { Steps, Sums } from './sums.js';
import { noneOf, type PartTotals, withAnswer, withChoice } from './totals.js';

/** What the questions that are left have to add, and the answers so far by the ids of their questions. */
interface Way {
  rest: bigint;
  readonly answers: Map<string, Answer>;
}

interface Sets {
  readonly zero: Sums;
  /** What an answer to one question can add. */
  readonly own: Sums;
  /** The totals of all questions before it. */
  readonly before: PartTotals;
}

/** Sets of totals: of 0 alone, and after the first parts. */
export interface Prefixes {
  readonly zero: Sums;
  readonly prefixes: readonly PartTotals[];
}

/**
 * Returns answers to the questions that count for each total, which must be a total of answers to at least one of them. A
 * number is rounded to a double.
 */
export function* waysTo(
  totals: readonly bigint[],
  parts: readonly ScoringPart[],
  { zero, prefixes }: Prefixes,
): Steps<readonly Way['answers'][]> {
  const ways = totals.map((total): Way => ({ rest: total, answers: new Map() }));
  for (const [index, part] of [...parts.entries()].toReversed()) {
    const own = yield* withAnswer(zero, part.adds);
    const before = prefixes[index] ?? noneOf(zero);
    for (const way of ways) yield* goBack(way, part, { zero, own, before });
    yield { added: 0, held: -own.cost };
  }
  return ways.map(({ answers }) => answers);
}

/** Goes back over one question, which stays unanswered if it can. */
function* goBack(way: Way, part: ScoringPart, sets: Sets): Steps<void> {
  const { id, required } = part.question;
  const { all, answered } = sets.before;
  yield { added: 1, held: 0 };
  // At least one question is answered.
  const without = way.answers.size > 0 ? all : answered;
  if (!required && without?.next(way.rest) === way.rest) return;
  const added = yield* addedIn(way.rest, sets);
  way.rest -= added;
  way.answers.set(id, yield* answerAdding(added, part, sets.zero));
}

/** Returns the smallest number that the question can add so that the questions before it can add the rest. */
function* addedIn(total: bigint, { own, before: { all: before } }: Sets): Steps<bigint> {
  // Each set skips what it cannot match in the other one.
  let added = own.next(total - before.max) ?? own.max;
  for (;;) {
    yield { added: 2, held: 0 };
    const rest = before.previous(total - added) ?? before.min;
    const next = own.next(total - rest) ?? own.max;
    if (next === added) return added;
    added = next;
  }
}

// More digits than any double has, so that the quotient is rounded once.
const DIGITS = 400;
const PRECISION = 10n ** BigInt(DIGITS);

function* answerAdding(added: bigint, { question, weight, adds, answers }: ScoringPart, zero: Sums): Steps<Answer> {
  if (adds.kind === 'steps') return { value: numberOf({ digits: (added * PRECISION) / weight, scale: DIGITS }) };
  const known = adds.kind === 'one' ? answers?.[adds.values.indexOf(added)] : undefined;
  if (known !== undefined) return known;
  const chosen = adds.kind === 'one' ? [adds.values.indexOf(added)] : yield* indexesOf(added, adds.values, zero);
  return { optionIds: chosen.flatMap((index) => question.options[index]?.id ?? []) };
}

/** Returns the indexes of one or more values that add up to a sum. */
function* indexesOf(sum: bigint, values: readonly bigint[], zero: Sums): Steps<readonly number[]> {
  const [first = 0n, ...others] = values;
  // The sums of one or more of the first values, of the first two, and so on.
  const sums = [zero.shifted(first)];
  for (const value of others) sums.push(yield* withChoice(zero, (sums.at(-1) ?? zero).shifted(0n), value));
  const chosen: number[] = [];
  let rest = sum;
  for (const [index, value] of [...values.entries()].toReversed()) {
    yield { added: 1, held: 0 };
    if (sums[index - 1]?.next(rest) === rest) continue;
    chosen.push(index);
    rest -= value;
    if (rest === 0n) break;
  }
  yield { added: 0, held: -sums.reduce((held, { cost }) => held + cost, 0) };
  return chosen.toReversed();
}
