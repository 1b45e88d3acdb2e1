// The analysis of a form: the totals that complete sets of answers can reach, and what they show about the form.
import { type Answer, answeringOf, type ScoredForm } from './answers.js';
import { Classes, type Gap, gapsIn, reachedIn } from './classes.js';
import { numberOf } from './decimal.js';
import { withoutEffect } from './effects.js';
import { readAnswers } from './entries.js';
import { type DecidedTotals, findingsIn, type ShownGap } from './findings.js';
import { type Model, modelOf } from './model.js';
import type { Analysis } from './schemas.js';
import { scoreOfAnswers } from './score.js';
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
  const decided = model.isEndless ? undefined : yield* within(limits, decide(form, model, zeroOf(model)));
  const isDecided = decided !== undefined && (decided.totals.count ?? 0) <= limits.totals;
  // The effects have limits of their own, so that no error stays unseen because of them.
  const ineffective =
    (isDecided ? yield* within(limits, withoutEffectIn(model, zeroOf(model))) : undefined) ?? new Set<string>();
  const found = yield* additionsOf(
    findingsIn(form, isDecided ? { ...decided, withoutEffect: ineffective } : undefined),
  );
  const ends = { min: shownOf(model, model.min), max: shownOf(model, model.max) };
  const totals = isDecided ? decided.totals : { count: null, values: null, intervals: null };
  return { undecided: !isDecided, totals: { ...ends, ...totals }, ...found };
}

/** Returns a total as responses show it: null if it stands for infinity. */
const shownOf = ({ decimalOf }: Model, total: bigint): number | null => {
  const decimal = decimalOf(total);
  return decimal === undefined ? null : numberOf(decimal);
};

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
  const totals = isContinuous ? yield* intervalsOf(sums, model) : yield* valuesOf(sums, model);
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

function* valuesOf<S extends Sums<S>>(sums: S, model: Model): Steps<DecidedTotals['totals']> {
  const count = yield* sums.count();
  if (count > LONGEST_LIST) return { count, values: null, intervals: [] };
  const values: number[] = [];
  for (let at: bigint | undefined = sums.min; at !== undefined; at = sums.next(at + 1n)) {
    values.push(shownOf(model, at) ?? 0);
    yield { added: sums.search, held: 0 };
  }
  return { count, values, intervals: [] };
}

function* intervalsOf<S extends Sums<S>>(sums: S, model: Model): Steps<DecidedTotals['totals']> {
  const intervals = [];
  for (let at: bigint | undefined = sums.min; at !== undefined; ) {
    const end = sums.runEnd(at);
    intervals.push({ min: shownOf(model, at), max: shownOf(model, end) });
    yield { added: 2 * sums.search, held: 0 };
    if (intervals.length > LONGEST_LIST) return { count: null, values: null, intervals: null };
    at = sums.next(end + 1n);
  }
  return { count: null, values: null, intervals };
}

type Bounds = Pick<ShownGap, 'min' | 'max'>;

/** Returns the ends of a gap. An odd end of continuous totals is open: it belongs to the range beside it. */
const boundsOf = ({ min, max }: Gap, model: Model): Bounds => {
  const [isOpenBelow, isOpenAbove] = [min, max].map((end) => model.isContinuous && (end & 1n) === 1n);
  return {
    min: shownOf(model, isOpenBelow ? min - 1n : min),
    max: shownOf(model, isOpenAbove ? max + 1n : max),
  };
};

/**
 * Returns a complete set of answers with these answers to the questions that count. Returns null if there are none, if
 * the answers are long, or if their total is not in the gap, because no double is close enough to a fraction.
 */
const entriesOf = (
  form: ScoredForm,
  answers: ReadonlyMap<string, Answer> | undefined,
  gap: Bounds,
): ShownGap['answers'] => {
  if (answers === undefined) return null;
  const entries = form.questions.flatMap((question) => {
    const answer = answers.get(question.id) ?? (question.required ? answeringOf(question).possible() : undefined);
    return answer === undefined ? [] : [{ questionId: question.id, ...answer }];
  });
  if (entries.reduce((length, entry) => length + lengthOf(entry), 0) > LONGEST_ANSWERS) return null;
  const read = readAnswers(form, entries);
  // The total of incomplete answers has no range. All other questions are left out, because they may have no answer.
  const answered = { ...form, questions: form.questions.filter(({ id }) => read.answers.has(id)) };
  if (read.errors.length > 0) return null;
  const { total, range } = scoreOfAnswers(answered, read.answers);
  return range === null && total >= (gap.min ?? total) && total <= (gap.max ?? total) ? entries : null;
};

/** Returns about the length of an answer as JSON. */
const lengthOf = ({ optionIds = [], value = '' }: Answer): number => 70 + 39 * optionIds.length + `${value}`.length;
