// The way back from totals to answers that reach them.
import type { Answer } from './answers.js';
import { decimalOf, numberOf } from './decimal.js';
import type { Part } from './model.js';
import type { Steps, Sums } from './sums.js';
import { withChoice, withPart } from './totals.js';

/** A total, and by how much answers may miss it: a number is a double, and not every fraction has one. */
export interface Target {
  readonly total: bigint;
  readonly slack: bigint;
}

/** Answers by the ids of their questions. */
export type Answers = ReadonlyMap<string, Answer>;

interface Way {
  /** What the questions that are left have to add. */
  rest: bigint;
  readonly slack: bigint;
  readonly shares: bigint;
  /** Undefined if no answers reach the target. */
  answers: Map<string, Answer> | undefined;
}

interface Sets<S> {
  readonly zero: S;
  /** What one question can add. */
  readonly own: S;
  /** The totals of all questions before it. */
  readonly before: S;
}

/**
 * Returns answers for each target, to the questions that count; undefined if no doubles reach a target. `prefixes` are
 * the totals of the first parts.
 */
export function* waysTo<S extends Sums<S>>(
  targets: readonly Target[],
  parts: readonly Part[],
  [zero, ...prefixes]: readonly [S, ...S[]],
): Steps<readonly (Answers | undefined)[]> {
  // The numbers among the answers share the slack of a target. One share is left, so that a total stays within it.
  const shares = 1n + BigInt(parts.filter(({ adds }) => adds.kind === 'steps').length);
  const ways = targets.map(({ total, slack }): Way => ({ rest: total, slack, shares, answers: new Map() }));
  for (const [index, part] of [...parts.entries()].toReversed()) {
    const own = yield* withPart(zero, part);
    const sets = { zero, own, before: prefixes[index - 1] ?? zero };
    for (const way of ways) yield* goBack(way, part, sets);
    yield { added: 0, held: -own.cost };
  }
  return ways.map(({ answers }) => answers);
}

/** Goes back over one question, which stays unanswered if it can. */
function* goBack<S extends Sums<S>>(way: Way, part: Part, sets: Sets<S>): Steps<void> {
  const { id, required } = part.question;
  yield { added: sets.before.search, held: 0 };
  if (!required && sets.before.next(way.rest) === way.rest) return;
  const added = yield* addedIn(way.rest, sets);
  const answer = added === undefined ? undefined : yield* answerAdding(added, part, sets.zero, way);
  if (added === undefined || answer === undefined) way.answers = undefined;
  else {
    way.rest -= added;
    way.answers?.set(id, answer);
  }
}

/** Returns the smallest number that the question can add so that the questions before it can add the rest. */
function* addedIn<S extends Sums<S>>(total: bigint, { own, before }: Sets<S>): Steps<bigint | undefined> {
  // Each set skips what it cannot match in the other one.
  for (let added = own.next(total - before.max); added !== undefined; ) {
    yield { added: own.search + before.search, held: 0 };
    const rest = before.previous(total - added);
    if (rest === undefined) return undefined;
    if (rest === total - added) return added;
    added = own.next(total - rest);
  }
  return undefined;
}

/** Returns an answer that adds this number. A fraction can differ from it by the slack of the way. */
function* answerAdding<S extends Sums<S>>(
  added: bigint,
  { question, weight, adds }: Part,
  zero: S,
  { slack, shares }: Pick<Way, 'slack' | 'shares'>,
): Steps<Answer | undefined> {
  switch (adds.kind) {
    case 'one': {
      const option = question.options[adds.values.indexOf(added)];
      return option && { optionIds: [option.id] };
    }
    case 'some': {
      const chosen = yield* chosenOf(added, adds.values, zero);
      return { optionIds: question.options.filter((_, index) => chosen.has(index)).map(({ id }) => id) };
    }
    case 'steps': {
      const { first, step, count } = adds;
      const share = step === 1n ? slack : 0n;
      const from = larger(first * shares, added * shares - share);
      const to = -larger(-(first + step * (count - 1n)) * shares, -(added * shares + share));
      const value = doubleIn(from, to, weight * shares);
      return value === undefined ? undefined : { value };
    }
  }
}

/** Returns the indexes of values that add up to a sum of one or more of them. */
function* chosenOf<S extends Sums<S>>(sum: bigint, values: readonly bigint[], zero: S): Steps<ReadonlySet<number>> {
  const [first = 0n, ...others] = values;
  // The sums of one or more of the first values, of the first two, and so on.
  const sums: [S, ...S[]] = [zero.shifted(first)];
  for (const value of others) sums.push(yield* withChoice(zero, (sums.at(-1) ?? zero).shifted(0n), value));
  const chosen = new Set<number>();
  let rest = sum;
  for (const [index, value] of [...values.entries()].toReversed()) {
    yield { added: zero.search, held: 0 };
    if (index > 0 && sums[index - 1]?.next(rest) === rest) continue;
    chosen.add(index);
    rest -= value;
    if (rest === 0n) break;
  }
  yield { added: 0, held: -sums.reduce((held, { cost }) => held + cost, 0) };
  return chosen;
}

const larger = (a: bigint, b: bigint): bigint => (a > b ? a : b);

/** Returns a double with few digits between `from` / `over` and `to` / `over`, both inclusive; undefined if there is none. */
const doubleIn = (from: bigint, to: bigint, over: bigint): number | undefined => {
  const [low, high] = over < 0n ? [-to, -from] : [from, to];
  const whole = over < 0n ? -over : over;
  for (let scale = 0, power = 1n; scale <= MOST_DIGITS; scale += 1, power *= 10n) {
    const digits = ceiling(low * power, whole);
    if (digits * whole > high * power) continue;
    const double = numberOf({ digits, scale });
    const exact = decimalOf(double);
    const [at, times] = [exact.digits * whole, 10n ** BigInt(exact.scale)];
    return low * times <= at && at <= high * times ? double : undefined;
  }
  return undefined;
};

// The smallest double has 324 digits after its point.
const MOST_DIGITS = 324;

const ceiling = (dividend: bigint, divisor: bigint): bigint =>
  dividend > 0n ? (dividend + divisor - 1n) / divisor : dividend / divisor;
