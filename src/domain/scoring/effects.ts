// Which questions can change the classification: some set of the other answers leaves two classifications open.
import type { Classes } from './classes.js';
import type { ScoringPart } from './model.js';
import type { Steps, Sums } from './sums.js';
import { costOf, NO_TOTALS, type PartTotals, withPart } from './totals.js';
import type { Way } from './ways.js';

/**
 * Returns the parts that never change the classification, whatever the other answers are. Few are left to search for after
 * `ways` to neighbouring totals with different classifications: most parts lead from one to another by themselves.
 */
export function* withoutEffect(
  parts: readonly ScoringPart[],
  ways: readonly Way[],
  classes: Classes,
): Steps<readonly ScoringPart[]> {
  if (ways.length === 0) return parts;
  const [left, others]: [ScoringPart[], ScoringPart[]] = [[], []];
  for (const part of parts) {
    let isOpen = false;
    for (const way of ways) isOpen ||= yield* hasEffect(part, outsideOf(part, way), classes);
    (isOpen ? others : left).push(part);
  }
  return left.length === 0 ? [] : yield* withoutEffectIn(left, { outside: NO_TOTALS, others }, classes);
}

/** Returns the total of the others on a way. */
const outsideOf = (part: ScoringPart, { total, added }: Way): PartTotals => {
  const all = NO_TOTALS.all.shifted(total - (added.get(part) ?? 0n));
  return { all, answered: added.size > Number(added.has(part)) ? all : undefined };
};

/**
 * Returns the parts among some that never change the classification, whatever the other answers are. `outside` are the
 * totals of all other parts. The totals outside of one half are those outside of both and the other half, so each part is
 * added once for each halving.
 */
export function* withoutEffectBeside(
  parts: readonly ScoringPart[],
  outside: PartTotals,
  classes: Classes,
): Steps<readonly ScoringPart[]> {
  const [part, ...others] = parts;
  if (part === undefined) return [];
  if (others.length === 0) return (yield* hasEffect(part, outside, classes)) ? [] : [part];
  const middle = parts.length >> 1;
  const [left, right] = [parts.slice(0, middle), parts.slice(middle)];
  const inLeft = yield* withoutEffectIn(left, { outside, others: right }, classes);
  const inRight = yield* withoutEffectIn(right, { outside, others: left }, classes);
  return [...inLeft, ...inRight];
}

function* withoutEffectIn(
  half: readonly ScoringPart[],
  { outside, others }: { readonly outside: PartTotals; readonly others: readonly ScoringPart[] },
  classes: Classes,
): Steps<readonly ScoringPart[]> {
  let totals = outside;
  let held = 0;
  for (const part of others) {
    totals = yield* withPart(totals, part);
    // Totals that share the memory of the totals before them keep it.
    if (costOf(totals) === 0) continue;
    yield { added: 0, held: -held };
    held = costOf(totals);
  }
  const found = yield* withoutEffectBeside(half, totals, classes);
  yield { added: 0, held: -held };
  return found;
}

function* hasEffect(part: ScoringPart, { all, answered }: PartTotals, classes: Classes): Steps<boolean> {
  const totals = yield* withPart(NO_TOTALS, part);
  // If no other question is answered, this one is.
  let isOpen = all !== answered && (yield* leavesOpen(totals.answered, 0n, classes));
  const own = totals.all;
  for (let other = answered?.min; answered !== undefined && other !== undefined && !isOpen; ) {
    isOpen = yield* leavesOpen(own, other, classes);
    const { end } = classes.at(other + own.min);
    // All others up to this one leave every total in the same part of the line.
    other = answered.next(larger(other, end - own.max) + 1n);
    yield { added: 1, held: 0 };
  }
  yield { added: 0, held: -costOf(totals) };
  return isOpen;
}

/** Returns whether answers to one question lead to different classifications if all others add up to `other`. */
function* leavesOpen(own: Sums, other: bigint, classes: Classes): Steps<boolean> {
  const first = classes.at(other + own.min);
  for (let { end } = first; ; ) {
    yield { added: 1, held: 0 };
    const next = own.next(end - other + 1n);
    if (next === undefined) return false;
    const place = classes.at(other + next);
    if (place.classification !== first.classification) return true;
    end = place.end;
  }
}

const larger = (a: bigint, b: bigint): bigint => (a > b ? a : b);
