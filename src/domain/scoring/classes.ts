// The line of all totals, divided by the score ranges: where a classification begins and ends, and which totals have none.
import type { ModelRange } from './model.js';
import { firstIndex, type Steps, type Sums } from './sums.js';

/** A part of the line: a range, or a gap between two ranges. */
export interface Place {
  /** Null in a gap between ranges. */
  readonly classification: string | null;
  /** The last number of this part. */
  readonly end: bigint;
}

/** The line of all totals up to the largest one. */
export class Classes {
  readonly #ranges: readonly ModelRange[];
  readonly #largest: bigint;

  constructor(sorted: readonly ModelRange[], largest: bigint) {
    // Old events may have ranges that overlap. The first one that contains a total counts, as in a score, so a range
    // that ends no later than one before it has no total.
    const ranges: ModelRange[] = [];
    let end: bigint | undefined;
    for (const range of sorted) {
      if (end !== undefined && range.max <= end) continue;
      ranges.push(range);
      end = range.max;
    }
    this.#ranges = ranges;
    this.#largest = largest;
  }

  at(total: bigint): Place {
    const range =
      this.#ranges[firstIndex(this.#ranges.length, (index) => (this.#ranges[index]?.max ?? total) >= total)];
    if (range === undefined) return { classification: null, end: this.#largest };
    const { min, max, classification } = range;
    return min <= total ? { classification, end: max } : { classification: null, end: min - 1n };
  }
}

/** A run of neighbouring totals without a range. */
export interface Gap {
  readonly min: bigint;
  readonly max: bigint;
  /** The end of the consecutive numbers that begin at `min`. */
  readonly firstEnd: bigint;
}

/** Returns the runs of neighbouring totals that have no range, in their order. */
export function* gapsIn(totals: Sums, classes: Classes): Steps<readonly Gap[]> {
  const gaps: Gap[] = [];
  for (const gap of yield* gapsByPlace(totals, classes)) {
    const last = gaps.at(-1);
    // A range without a total does not end a run.
    if (last !== undefined && totals.next(last.max + 1n) === gap.min) gaps.splice(-1, 1, { ...last, max: gap.max });
    else gaps.push(gap);
    yield { added: 1, held: 0 };
  }
  return gaps;
}

/** Returns the totals that have no range, as a run for each part of the line. */
export function* gapsByPlace(totals: Sums, classes: Classes): Steps<readonly Gap[]> {
  const gaps: Gap[] = [];
  for (let at: bigint | undefined = totals.min; at !== undefined; ) {
    const { classification, end } = classes.at(at);
    const max = totals.previous(end) ?? at;
    if (classification === null) gaps.push({ min: at, max, firstEnd: least(totals.runEnd(at), max) });
    yield { added: 3, held: 0 };
    at = totals.next(end + 1n);
  }
  return gaps;
}

const least = (a: bigint, b: bigint): bigint => (a < b ? a : b);

/** Returns whether a range has a total, for each range. */
export function* reachedIn(totals: Sums, ranges: readonly ModelRange[]): Steps<readonly boolean[]> {
  const reached: boolean[] = [];
  for (const { min, max } of ranges) {
    reached.push((totals.next(min) ?? max + 1n) <= max);
    yield { added: 1, held: 0 };
  }
  return reached;
}

/** Returns the totals on both sides of the first change of the classification; none if all totals have the same. */
export function* firstChangeIn(totals: Sums, classes: Classes): Steps<readonly bigint[]> {
  for (let at = totals.min; ; ) {
    const { classification, end } = classes.at(at);
    yield { added: 2, held: 0 };
    const next = totals.next(end + 1n);
    if (next === undefined) return [];
    if (classes.at(next).classification !== classification) return [totals.previous(end) ?? at, next];
    at = next;
  }
}
