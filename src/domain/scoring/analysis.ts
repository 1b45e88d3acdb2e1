// The analysis of a form: the totals that complete sets of answers can reach, and what they show about the form.
import { type Answer, answeringOf, type ScoredForm } from './answers.js';
import { Classes, type Gap, gapsIn, reachedIn } from './classes.js';
import { compare, numberOrNull } from './decimal.js';
import { withoutEffect } from './effects.js';
import { readAnswers } from './entries.js';
import { type DecidedTotals, findingsIn, type ShownGap } from './findings.js';
import { type Model, modelOf, type Reach } from './model.js';
import type { Analysis } from './schemas.js';
import { resultOf } from './score.js';
import type { Steps, Sums } from './sums.js';
import { prefixesOf, zeroOf } from './totals.js';
import { waysTo } from './ways.js';

/** The bounds on the work of one analysis. They are counts, so that every machine comes to the same result. */
export interface AnalysisLimits {
  /** The totals of all sets at once. 64 bits of a set count as one, because unions of bits leave garbage. */
  readonly totals: number;
  readonly additions: number;
}

export const analysisLimits: AnalysisLimits = { totals: 1_000_000, additions: 10_000_000 };

const LONGEST_LIST = 1_000;
const GAPS_WITH_ANSWERS = 20;
/** So long that single choices for 500 questions fit. `score` accepts more, and 20 findings stay a small response. */
const LONGEST_ANSWERS = 65_536;

/** Analyses a form in small steps. Yields the additions of each step. */
export function* analysisOf(form: ScoredForm, limits = analysisLimits): Generator<number, Analysis, void> {
  const model = yield* additionsOf(modelOf(form));
  const zero = yield* additionsOf(zeroOf(model));
  const decided = model.isEndless ? undefined : yield* within(limits, decide(form, model, zero));
  const isDecided = decided !== undefined && (decided.totals.count ?? 0) <= limits.totals;
  // The effects have limits of their own, so that no error stays unseen because of them.
  const ineffective =
    (isDecided ? yield* within(limits, withoutEffectIn(model, zero)) : undefined) ?? new Set<string>();
  const found = yield* additionsOf(
    findingsIn(form, isDecided ? { ...decided, withoutEffect: ineffective } : undefined),
  );
  const ends = shownIn(model, model);
  const totals = isDecided ? decided.totals : { count: null, values: null, intervals: null };
  return { undecided: !isDecided, totals: { ...ends, ...totals }, ...found };
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

/** Takes the steps of work that needs no limit, because it depends only on the size of the form. */
function* additionsOf<R>(steps: Steps<R>): Generator<number, R, void> {
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done) return step.value;
    yield step.value.added;
  }
}

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

/** Decides on the totals of a form, with sets of the form that `zero` has. */
export function* decide<S extends Sums<S>>(
  form: ScoredForm,
  model: Model,
  zero: S,
): Steps<Omit<DecidedTotals, 'withoutEffect'>> {
  const { parts, ranges, isContinuous } = model;
  const classes = new Classes(ranges, model.max);
  const prefixes = yield* prefixesOf(zero, parts);
  const sums = prefixes.at(-1) ?? zero;
  const totals = yield* totalsOf(sums, model);
  const gaps = ranges.length === 0 ? [] : yield* gapsIn(sums, classes);
  const targets = gaps
    .slice(0, GAPS_WITH_ANSWERS)
    .map(({ min, firstEnd }) => (isContinuous ? min + (firstEnd - min) / 2n : min));
  const ways = yield* waysTo(targets, parts, prefixes);
  const shownGaps: ShownGap[] = [];
  for (const [index, gap] of gaps.entries()) {
    const bounds = boundsOf(gap, model);
    shownGaps.push({ ...bounds, answers: entriesOf(form, ways[index], bounds) });
    yield { added: form.questions.length, held: 0 };
  }
  const reached = yield* reachedIn(sums, ranges);
  yield { added: 0, held: -prefixes.reduce((held, { cost }) => held + cost, 0) };
  return { totals, gaps: shownGaps, reached };
}

/** Returns the ids of the questions that count and never change the classification. */
export function* withoutEffectIn<S extends Sums<S>>(model: Model, zero: S): Steps<ReadonlySet<string>> {
  if (model.isContinuous || model.ranges.length === 0) return new Set();
  const classes = new Classes(model.ranges, model.max);
  const found = yield* withoutEffect(model.parts, zero, { zero, classes });
  return new Set(found.map(({ question }) => question.id));
}

function* totalsOf<S extends Sums<S>>(sums: S, model: Model): Steps<DecidedTotals['totals']> {
  if (model.isContinuous) return { count: null, values: null, intervals: yield* listed(sums, model) };
  const count = yield* sums.count();
  const values = count > LONGEST_LIST ? null : yield* listed(sums, model);
  return { count, values: values?.map(({ min }) => min ?? 0) ?? null, intervals: [] };
}

/** Returns the totals, or their intervals if they are continuous; null if there are more than a list has. */
function* listed<S extends Sums<S>>(sums: S, model: Model): Steps<DecidedTotals['totals']['intervals']> {
  const list = [];
  for (let at: bigint | undefined = sums.min; at !== undefined; ) {
    if (list.length === LONGEST_LIST) return null;
    const max: bigint = model.isContinuous ? sums.runEnd(at) : at;
    list.push(shownIn(model, { min: at, max }));
    yield { added: 2 * sums.search, held: 0 };
    at = sums.next(max + 1n);
  }
  return list;
}

/** Returns the ends of a gap. An odd end of continuous totals is open: it belongs to the range beside it. */
const boundsOf = ({ min, max }: Gap, { isContinuous, decimalOf }: Model): Reach => {
  const [isOpenBelow, isOpenAbove] = [min, max].map((end) => isContinuous && (end & 1n) === 1n);
  return { min: decimalOf(isOpenBelow ? min - 1n : min), max: decimalOf(isOpenAbove ? max + 1n : max) };
};

/**
 * Returns a complete set of answers with these answers to the questions that count. Returns null if there are none, if
 * the answers are long, or if their total is not in the gap, because no double is close enough to a fraction.
 */
const entriesOf = (
  form: ScoredForm,
  answers: ReadonlyMap<string, Answer> | undefined,
  { min, max }: Reach,
): ShownGap['answers'] => {
  if (answers === undefined) return null;
  const entries = form.questions.flatMap((question) => {
    const answer = answers.get(question.id) ?? (question.required ? answeringOf(question).possible() : undefined);
    return answer === undefined ? [] : [{ questionId: question.id, ...answer }];
  });
  if (entries.reduce((length, entry) => length + lengthOf(entry), 0) > LONGEST_ANSWERS) return null;
  const read = readAnswers(form, entries);
  if (read.errors.length > 0) return null;
  const { total, range } = resultOf(form, read.answers);
  const isInside = (!min || compare(min, total) <= 0) && (!max || compare(total, max) <= 0);
  return range === undefined && isInside ? entries : null;
};

/** Returns about the length of an answer as JSON. */
const lengthOf = ({ optionIds = [], value = '' }: Answer): number => 70 + 39 * optionIds.length + `${value}`.length;
