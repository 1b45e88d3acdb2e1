// The analysis of a form: the totals that complete sets of answers can reach, and what they show about the form.
import { answeringOf, type ScoredForm } from './answers.js';
import { Classes, type Gap, gapsIn, reachedIn } from './classes.js';
import { type Decimal, numberOf } from './decimal.js';
import { withoutEffect } from './effects.js';
import type { Entry } from './entries.js';
import { type Findings, findingsIn, type Shown, type ShownGap } from './findings.js';
import { type Model, modelOf } from './model.js';
import { addSpans, NO_SPAN, spanOf } from './spans.js';
import type { Steps, Sums } from './sums.js';
import { prefixesOf, zeroOf } from './totals.js';
import { type Answers, type Target, waysTo } from './ways.js';

/** The totals of all complete sets of answers. */
export interface Totals {
  /** Null without a bound. */
  readonly min: number | null;
  readonly max: number | null;
  /** Null if the totals are undecided or continuous. */
  readonly count: number | null;
  /** All totals; null if they are undecided or continuous, or more than 1,000. */
  readonly values: readonly number[] | null;
  /** The totals if they are continuous; null if they are undecided or more than 1,000. */
  readonly intervals: readonly { readonly min: number | null; readonly max: number | null }[] | null;
}

export interface Analysis extends Findings {
  /** Whether the form has too many totals to look at all of them. Then no finding rests on the totals. */
  readonly undecided: boolean;
  readonly totals: Totals;
}

/** The bounds on the work of one analysis. They are counts, so that every machine comes to the same result. */
export interface AnalysisLimits {
  /** The totals of all sets at once. */
  readonly totals: number;
  readonly additions: number;
}

export const analysisLimits: AnalysisLimits = { totals: 1_000_000, additions: 10_000_000 };

const LONGEST_LIST = 1_000;
const GAPS_WITH_ANSWERS = 20;

/** Analyses a form in small steps. Yields the additions of each step. */
export function* analysisOf(form: ScoredForm, limits = analysisLimits): Generator<number, Analysis, void> {
  const decided = yield* within(limits, decideForm(form, limits));
  let span = NO_SPAN;
  for (const question of form.questions) {
    span = addSpans(span, spanOf(question));
    yield 1 + question.options.length;
  }
  const totals = decided?.totals ?? { count: null, values: null, intervals: null };
  const found = findingsIn(form, decided?.shown);
  for (let step = found.next(); ; step = found.next()) {
    if (step.done) {
      const ends = { min: endOf(span.min), max: endOf(span.max) };
      return { undecided: decided === undefined, totals: { ...ends, ...totals }, ...step.value };
    }
    yield 1;
  }
}

const endOf = (end: Decimal | undefined): number | null => (end === undefined ? null : numberOf(end));

/** Takes the steps of long work. Returns undefined if they exceed the limits. */
function* within<R>(limits: AnalysisLimits, steps: Steps<R>): Generator<number, R | undefined, void> {
  let [added, held] = [0, 0];
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done) return step.value;
    added += step.value.added;
    held += step.value.held;
    if (added > limits.additions || held > limits.totals) return undefined;
    yield step.value.added;
  }
}

export interface Decided {
  readonly totals: Omit<Totals, 'min' | 'max'>;
  readonly shown: Shown;
}

function* decideForm(form: ScoredForm, limits: AnalysisLimits): Steps<Decided | undefined> {
  const model = yield* modelOf(form);
  if (model === undefined) return undefined;
  const decided = yield* decide(form, model, zeroOf(model.parts));
  return (decided.totals.count ?? 0) > limits.totals ? undefined : decided;
}

/** Decides on the totals of a form, with sets of the form that `zero` has. */
export function* decide<S extends Sums<S>>(form: ScoredForm, model: Model, zero: S): Steps<Decided> {
  const { parts, ranges, isContinuous } = model;
  const prefixes = yield* prefixesOf(zero, parts);
  const sums = prefixes.at(-1) ?? zero;
  const totals = isContinuous ? yield* intervalsOf(sums, model) : yield* valuesOf(sums, model);
  const classes = new Classes(ranges, sums.max);
  const gaps = ranges.length === 0 ? [] : yield* gapsIn(sums, classes);
  const targets = gaps.slice(0, GAPS_WITH_ANSWERS).map((gap) => targetIn(gap, isContinuous));
  const ways = yield* waysTo(targets, parts, prefixes);
  const shownGaps = gaps.map((gap, index) => ({ ...shownGapOf(gap, model), answers: entriesOf(form, ways[index]) }));
  const reached = yield* reachedIn(sums, ranges);
  yield { added: 0, held: -prefixes.reduce((held, { cost }) => held + cost, 0) };
  const ineffective = isContinuous || ranges.length === 0 ? [] : yield* withoutEffect(zero, parts, classes);
  const ids = new Set(ineffective.map(({ question }) => question.id));
  return { totals, shown: { gaps: shownGaps, reached, withoutEffect: ids } };
}

function* valuesOf<S extends Sums<S>>(sums: S, model: Model): Steps<Decided['totals']> {
  const count = yield* sums.count();
  if (count > LONGEST_LIST) return { count, values: null, intervals: [] };
  const values: number[] = [];
  for (let at: bigint | undefined = sums.min; at !== undefined; at = sums.next(at + 1n)) {
    values.push(model.numberOf(at) ?? 0);
    yield { added: sums.search, held: 0 };
  }
  return { count, values, intervals: [] };
}

function* intervalsOf<S extends Sums<S>>(sums: S, { numberOf: shown }: Model): Steps<Decided['totals']> {
  const intervals = [];
  for (let at: bigint | undefined = sums.min; at !== undefined; ) {
    const end = sums.runEnd(at);
    intervals.push({ min: shown(at), max: shown(end) });
    yield { added: 2 * sums.search, held: 0 };
    if (intervals.length > LONGEST_LIST) return { count: null, values: null, intervals: null };
    at = sums.next(end + 1n);
  }
  return { count: null, values: null, intervals };
}

/** Returns a total of a gap. If totals are continuous, it is in the middle of an interval, with slack on both sides. */
const targetIn = ({ min, firstEnd }: Gap, isContinuous: boolean): Target => {
  if (!isContinuous) return { total: min, slack: 0n };
  const middle = min + (firstEnd - min) / 2n;
  const total = isOdd(middle) || min === firstEnd ? middle : middle + 1n;
  // An odd end stands for an open one, which is one unit away but not in the gap.
  const [below, above] = [total - min + BigInt(isOdd(min)), firstEnd - total + BigInt(isOdd(firstEnd))];
  return { total, slack: below < above ? below : above };
};

const isOdd = (units: bigint): boolean => (units & 1n) === 1n;

const shownGapOf = ({ min, max }: Gap, { isContinuous, numberOf: shown }: Model): Omit<ShownGap, 'answers'> => ({
  min: shown(isContinuous && isOdd(min) ? min - 1n : min),
  max: shown(isContinuous && isOdd(max) ? max + 1n : max),
});

/** Returns a complete set of answers that has these answers to the questions that count; null if there are none. */
const entriesOf = ({ questions }: ScoredForm, answers: Answers | undefined): readonly Entry[] | null => {
  if (answers === undefined) return null;
  return questions.flatMap((question) => {
    const answer = answers.get(question.id) ?? (question.required ? answeringOf(question).possible : undefined);
    return answer === undefined ? [] : [{ questionId: question.id, ...answer }];
  });
};
