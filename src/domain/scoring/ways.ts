// The way back from totals to answers that reach them.
import type { Answer } from './answers.js';
import { numberOf } from './decimal.js';
import type { ScoringPart } from './model.js';
import type { Steps, Sums } from './sums.js';
import { NO_TOTALS, type PartTotals, withAnswer, withChoice } from './totals.js';

/** A total, and what the answers to some questions add to it. */
export interface Way {
  readonly total: bigint;
  readonly added: ReadonlyMap<ScoringPart, bigint>;
}

interface Sets {
  /** What an answer to one question can add. */
  readonly own: Sums;
  /** The totals of all questions before it. */
  readonly before: PartTotals;
}

/** Returns a way to each total, which must be a total of answers to at least one question. */
export function* waysTo(
  totals: readonly bigint[],
  parts: readonly ScoringPart[],
  prefixes: readonly PartTotals[],
): Steps<readonly Way[]> {
  if (totals.length === 0) return [];
  const ways = totals.map((total) => ({ total, rest: total, added: new Map<ScoringPart, bigint>() }));
  for (const [index, part] of [...parts.entries()].toReversed()) {
    const own = yield* withAnswer(NO_TOTALS.all, part.adds);
    const before = prefixes[index] ?? NO_TOTALS;
    for (const each of ways) each.rest -= yield* goBack(each.added, each.rest, part, { own, before });
    yield { added: 0, held: -own.cost };
  }
  return ways;
}

/** Goes back over one question, which stays unanswered if it can. Returns what it adds. */
function* goBack(found: Map<ScoringPart, bigint>, rest: bigint, part: ScoringPart, sets: Sets): Steps<bigint> {
  const { all, answered } = sets.before;
  yield { added: 1, held: 0 };
  // At least one question is answered.
  const without = found.size > 0 ? all : answered;
  if (!part.question.required && without?.next(rest) === rest) return 0n;
  const added = yield* addedIn(rest, sets);
  found.set(part, added);
  return added;
}

/** Returns the answers that add some numbers by the ids of their questions. A number is rounded to a double. */
export function* answersOf(added: Way['added']): Steps<ReadonlyMap<string, Answer>> {
  const answers = new Map<string, Answer>();
  for (const [part, number] of added) answers.set(part.question.id, yield* answerAdding(number, part));
  return answers;
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

function* answerAdding(added: bigint, { question, weight, adds, answers }: ScoringPart): Steps<Answer> {
  if (adds.kind === 'steps') return { value: numberOf({ digits: (added * PRECISION) / weight, scale: DIGITS }) };
  const known = adds.kind === 'one' ? answers?.[adds.values.indexOf(added)] : undefined;
  if (known !== undefined) return known;
  const chosen = adds.kind === 'one' ? [adds.values.indexOf(added)] : yield* indexesOf(added, adds.values);
  return { optionIds: chosen.flatMap((index) => question.options[index]?.id ?? []) };
}

/** Returns the indexes of one or more values that add up to a sum. */
function* indexesOf(sum: bigint, values: readonly bigint[]): Steps<readonly number[]> {
  const [first = 0n, ...others] = values;
  // The sums of one or more of the first values, of the first two, and so on.
  const zero = NO_TOTALS.all;
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
