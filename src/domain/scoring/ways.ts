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

interface Sets<S> {
  readonly zero: S;
  /** What an answer to one question can add. */
  readonly own: S;
  /** The totals of all questions before it. */
  readonly before: PartTotals<S>;
}

/** Sets of totals: of 0 alone, and after the first parts. */
export interface Prefixes<S> {
  readonly zero: S;
  readonly prefixes: readonly PartTotals<S>[];
}

/**
 * Returns answers to the questions that count for each total, which must be a total of answers to at least one of them. A
 * number is rounded to a double.
 */
export function* waysTo<S extends Sums<S>>(
  totals: readonly bigint[],
  parts: readonly ScoringPart[],
  { zero, prefixes }: Prefixes<S>,
): Steps<readonly Way['answers'][]> {
  const ways = totals.map((total): Way => ({ rest: total, answers: new Map() }));
  for (const [index, part] of [...parts.entries()].toReversed()) {
    const own = yield* withAnswer(zero, part.adds);
    // Views of their own: what a search prepares is forgotten with them.
    const { all, answered } = prefixes[index] ?? noneOf(zero);
    const view = all.shifted(0n);
    const before = { all: view, answered: answered === all ? view : answered?.shifted(0n) };
    for (const way of ways) yield* goBack(way, part, { zero, own, before });
    yield { added: 0, held: -own.cost };
  }
  return ways.map(({ answers }) => answers);
}

/** Goes back over one question, which stays unanswered if it can. */
function* goBack<S extends Sums<S>>(way: Way, part: ScoringPart, sets: Sets<S>): Steps<void> {
  const { id, required } = part.question;
  const { all, answered } = sets.before;
  yield { added: all.search, held: 0 };
  // At least one question is answered.
  const without = way.answers.size > 0 ? all : answered;
  if (!required && without?.next(way.rest) === way.rest) return;
  const added = yield* addedIn(way.rest, sets);
  way.rest -= added;
  way.answers.set(id, yield* answerAdding(added, part, sets.zero));
}

/** Returns the smallest number that the question can add so that the questions before it can add the rest. */
function* addedIn<S extends Sums<S>>(total: bigint, { own, before: { all: before } }: Sets<S>): Steps<bigint> {
  // Each set skips what it cannot match in the other one.
  let added = own.next(total - before.max) ?? own.max;
  for (;;) {
    yield { added: own.search + before.search, held: 0 };
    const rest = before.previous(total - added) ?? before.min;
    const next = own.next(total - rest) ?? own.max;
    if (next === added) return added;
    added = next;
  }
}

// More digits than any double has, so that the quotient is rounded once.
const DIGITS = 400;
const PRECISION = 10n ** BigInt(DIGITS);

function* answerAdding<S extends Sums<S>>(
  added: bigint,
  { question, weight, adds, answers }: ScoringPart,
  zero: S,
): Steps<Answer> {
  if (adds.kind === 'steps') return { value: numberOf({ digits: (added * PRECISION) / weight, scale: DIGITS }) };
  const known = adds.kind === 'one' ? answers?.[adds.values.indexOf(added)] : undefined;
  if (known !== undefined) return known;
  const chosen = adds.kind === 'one' ? [adds.values.indexOf(added)] : yield* indexesOf(added, adds.values, zero);
  return { optionIds: chosen.flatMap((index) => question.options[index]?.id ?? []) };
}

/** Returns the indexes of one or more values that add up to a sum. */
function* indexesOf<S extends Sums<S>>(sum: bigint, values: readonly bigint[], zero: S): Steps<readonly number[]> {
  const [first = 0n, ...others] = values;
  // The sums of one or more of the first values, of the first two, and so on.
  const sums = [zero.shifted(first)];
  for (const value of others) sums.push(yield* withChoice(zero, (sums.at(-1) ?? zero).shifted(0n), value));
  const chosen: number[] = [];
  let rest = sum;
  for (const [index, value] of [...values.entries()].toReversed()) {
    // A view of its own, as in `waysTo`.
    const before = sums[index - 1]?.shifted(0n);
    yield { added: before?.search ?? 0, held: 0 };
    if (before?.next(rest) === rest) continue;
    chosen.push(index);
    rest -= value;
    if (rest === 0n) break;
  }
  yield { added: 0, held: -sums.reduce((held, { cost }) => held + cost, 0) };
  return chosen.toReversed();
}
