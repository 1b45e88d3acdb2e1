// The analysis of a form: the totals that complete sets of answers can reach, and what they show about the form.
import { type Scorable, type ScoredForm, scorable } from './answers.js';
import { certainGapsOf } from './certain.js';
import { Classes, firstChangeIn, gapsIn, reachedIn } from './classes.js';
import { numberOrNull } from './decimal.js';
import { withoutEffect } from './effects.js';
import { findingsIn, type Seen } from './findings.js';
import { answersTo, boundsOf, GAPS_WITH_ANSWERS } from './gaps.js';
import { type AnalysisLimits, additionsOf, withLimits } from './limits.js';
import { type Model, modelOf } from './model.js';
import { obstaclesIn } from './obstacles.js';
import type { Analysis, Totals } from './schemas.js';
import type { Steps, Sums } from './sums.js';
import { costOf, NO_TOTALS, prefixesOf } from './totals.js';
import { type Way, waysTo } from './ways.js';

export const analysisLimits: AnalysisLimits = { totals: 1_000_000, additions: 10_000_000 };

const LONGEST_LIST = 1_000;

const UNDECIDED = { count: null, values: null, intervals: null };
const NOTHING = { isUndecided: false, isContinuous: false, gaps: [], reached: [], withoutEffect: new Set<string>() };

/** Analyses a form in small steps. Yields the additions of each step. */
export function* analysisOf(given: ScoredForm, limits = analysisLimits): Generator<number, Analysis, void> {
  const form = scorable(given);
  const obstacles = yield* additionsOf(obstaclesIn(form));
  const { totals, ...shown } =
    obstacles.length > 0
      ? { ...NOTHING, totals: { ...UNDECIDED, min: null, max: null, count: 0 } }
      : yield* totalsIn(form, limits);
  const found = yield* additionsOf(findingsIn(form, { ...shown, obstacles }));
  return { undecided: shown.isUndecided, totals, ...found };
}

type WithTotals = Omit<Seen, 'obstacles'> & Pick<Analysis, 'totals'>;

function* totalsIn(form: Scorable, limits: AnalysisLimits): Generator<number, WithTotals, void> {
  const model = yield* additionsOf(modelOf(form));
  const isEndless = model.parts.some((part) => part.isEndless);
  const decided = isEndless ? undefined : yield* withLimits(limits, decide(form, model));
  const ends = shownIn(model, model);
  const { isContinuous } = model;
  if (decided === undefined || (decided.totals.count ?? 0) > limits.totals) {
    const gaps = decided?.gaps ?? (yield* certainGapsOf(form, model, limits));
    return { ...NOTHING, isUndecided: true, isContinuous, gaps, totals: { ...ends, ...UNDECIDED } };
  }
  // The effects have limits of their own, so that no error stays unseen because of them.
  const ineffective = (yield* withLimits(limits, withoutEffectIn(model, decided.ways))) ?? NOTHING.withoutEffect;
  const { totals, gaps, reached } = decided;
  return { ...NOTHING, isContinuous, gaps, reached, withoutEffect: ineffective, totals: { ...ends, ...totals } };
}

interface Ends {
  readonly min: bigint;
  readonly max: bigint;
}

/** Returns two totals as responses show them: null if one stands for infinity. */
const shownIn = ({ decimalOf }: Model, { min, max }: Ends) => ({
  min: numberOrNull(decimalOf(min)),
  max: numberOrNull(decimalOf(max)),
});

type Decided = Pick<Seen, 'gaps' | 'reached'> & {
  readonly totals: Omit<Totals, 'min' | 'max'>;
  /** Ways to neighbouring totals with different classifications. */
  readonly ways: readonly Way[];
};

/** Decides on the totals of a form. */
export function* decide(form: Scorable, model: Model): Steps<Decided> {
  const { parts, ranges } = model;
  const prefixes = yield* prefixesOf(NO_TOTALS, parts);
  const sums = prefixes.at(-1)?.answered ?? NO_TOTALS.all;
  const classes = new Classes(ranges, model.max);
  const totals = yield* totalsOf(sums, model);
  const found = ranges.length === 0 ? [] : yield* gapsIn(sums, classes);
  const answers = yield* answersTo(form, model, prefixes, found.slice(0, GAPS_WITH_ANSWERS));
  const gaps = found.map((gap, index) => ({ ...boundsOf(gap, model), answers: answers[index] ?? null }));
  const reached = yield* reachedIn(sums, ranges);
  const ways = yield* waysTo(yield* firstChangeIn(sums, classes), parts, prefixes);
  yield { added: 0, held: -prefixes.reduce((held, each) => held + costOf(each), 0) };
  return { totals, gaps, reached, ways };
}

/** Returns the ids of the questions that count and never change the classification. */
export function* withoutEffectIn(model: Model, ways: readonly Way[]): Steps<ReadonlySet<string>> {
  if (model.isContinuous || model.ranges.length === 0) return new Set();
  const found = yield* withoutEffect(model.parts, ways, new Classes(model.ranges, model.max));
  return new Set(found.map(({ question }) => question.id));
}

function* totalsOf(sums: Sums, model: Model): Steps<Decided['totals']> {
  if (model.isContinuous) return { count: null, values: null, intervals: yield* listed(sums, model) };
  const count = yield* sums.count();
  const values = count > LONGEST_LIST ? null : yield* listed(sums, model);
  return { count, values: values?.map(({ min }) => min ?? 0) ?? null, intervals: [] };
}

/** Returns the totals, or their intervals if they are continuous; null if there are more than a list has. */
function* listed(sums: Sums, model: Model): Steps<Decided['totals']['intervals']> {
  const list = [];
  for (let at: bigint | undefined = sums.min; at !== undefined; ) {
    if (list.length === LONGEST_LIST) return null;
    const max: bigint = model.isContinuous ? sums.runEnd(at) : at;
    list.push(shownIn(model, { min: at, max }));
    yield { added: 2, held: 0 };
    at = sums.next(max + 1n);
  }
  return list;
}
