// Totals without a range that a form certainly has, although its totals are too many to decide: its ends, and the totals of
// some questions while every other one has a single answer, or none if it needs none.
import type { Answer, Scorable, ScorableQuestion } from './answers.js';
import { Classes, type Gap, gapsByPlace } from './classes.js';
import { decimalOf, numberOf, times } from './decimal.js';
import { answersTo, boundsOf, entriesOf, GAPS_WITH_ANSWERS, type ShownGap } from './gaps.js';
import { type AnalysisLimits, additionsOf, withLimits } from './limits.js';
import type { Model, ScoringPart } from './model.js';
import type { Steps } from './sums.js';
import { costOf, NO_TOTALS, type PartTotals, sizeOf, withPart } from './totals.js';

type FoundGap = Pick<Gap, 'min' | 'max'> & Pick<ShownGap, 'answers'>;

interface Certain {
  readonly form: Scorable;
  readonly model: Model;
  readonly classes: Classes;
  /** By the end of the place between two ranges. Two totals of a place are in one gap. */
  readonly places: Map<bigint, FoundGap>;
}

/** A question, and what its answer adds while it has a single one or none. */
interface Part extends ScoringPart {
  readonly base: bigint;
  readonly size: number;
}

interface Window {
  /** The questions that have all their answers. */
  readonly open: readonly Part[];
  readonly fixed: readonly Part[];
  /** The number of open questions whose totals the limits allow. */
  done: number;
}

/** Returns the gaps that are certain, in their order. */
export function* certainGapsOf(
  form: Scorable,
  model: Model,
  limits: AnalysisLimits,
): Generator<number, readonly ShownGap[], void> {
  if (model.ranges.length === 0) return [];
  const certain: Certain = { form, model, classes: new Classes(model.ranges, model.max), places: new Map() };
  for (const isMax of [false, true]) {
    addEnd(certain, isMax);
    yield form.questions.length;
  }
  yield* addWindows(certain, yield* additionsOf(partsOf(model, limits)), limits);
  const gaps = [...certain.places.values()].toSorted((a, b) => (a.min < b.min ? -1 : 1));
  return gaps.map((gap) => ({ ...boundsOf(gap, model), answers: gap.answers }));
}

function* addWindows(certain: Certain, parts: readonly Part[], limits: AnalysisLimits): Generator<number, void, void> {
  let [left, most] = [2 * limits.additions, parts.length];
  for (let start = 0; start < parts.length && left > 0; ) {
    const end = start + most;
    const window = { open: parts.slice(start, end), fixed: [...parts.slice(0, start), ...parts.slice(end)], done: 0 };
    const steps = withLimits({ ...limits, additions: Math.min(left, limits.additions) }, addTotals(certain, window));
    let step = steps.next();
    for (; !step.done; step = steps.next()) {
      left -= step.value;
      yield step.value;
    }
    if (step.value === true || most === 1) {
      start = end;
      // The first questions take most of the work. For the others, each with a few others has to do.
      most = Math.ceil(most / 2);
    } else most = Math.max(1, Math.min(window.done, most - 1));
  }
}

/** Adds the smallest or the largest total if it has no range. Without such a total, adds all totals beyond the ranges. */
const addEnd = (certain: Certain, isMax: boolean): void => {
  const { form, model, classes } = certain;
  const end = isMax ? model.max : model.min;
  const isBounded = model.decimalOf(end) !== undefined;
  if (isBounded && classes.at(end).classification !== null) return;
  const ways = model.parts.map(({ question, weight, least, most }) => {
    const adds = isMax ? most : least;
    // Without a bound, this number adds more than the ends of all ranges.
    const answer = question.ends[Number(isMax)] ?? { value: numberOf({ digits: adds / weight, scale: 0 }) };
    return { question, answer, gain: isMax ? adds : -adds };
  });
  const sorted = ways.toSorted((a, b) => (a.gain > b.gain ? -1 : 1));
  const useful = sorted.filter(({ question, gain }) => question.required || gain > 0n);
  const chosen = useful.length > 0 ? useful : sorted.slice(0, 1);
  const beyond = model.ranges.map(isMax ? ({ max }) => max + 1n : ({ min }) => min - 1n);
  const other = isBounded ? end : beyond.reduce((a, b) => (a > b === isMax ? a : b));
  const gap = isMax ? { min: other, max: end } : { min: end, max: other };
  const answers = new Map(chosen.map(({ question, answer }) => [question.id, answer]));
  add(certain, { ...gap, answers: entriesOf(form, answers, boundsOf(gap, model)) });
};

const add = ({ classes, places }: Certain, { min, max, answers }: FoundGap): void => {
  const { end } = classes.at(min);
  const known = places.get(end) ?? { min, max, answers };
  places.set(end, {
    min: known.min < min ? known.min : min,
    max: known.max > max ? known.max : max,
    answers: known.answers ?? answers,
  });
};

/**
 * Returns the questions that count, with a few answers in place of all those that lead to too many totals. The required
 * ones come first, then those with the fewest totals.
 */
function* partsOf(model: Model, limits: AnalysisLimits): Steps<readonly Part[]> {
  const parts: Part[] = [];
  for (const part of model.parts) {
    const { question, isEndless } = part;
    const some = isEndless || sizeOf(part) > limits.totals ? withFewAnswers(part, model) : part;
    const only = question.required ? question.possible() : undefined;
    parts.push({ ...some, base: only ? addedBy(question, only, model) : 0n, size: sizeOf(some) });
    yield { added: 1 + question.options.length, held: 0 };
  }
  const rankOf = ({ question }: Part) => Number(!question.required);
  return parts.toSorted((a, b) => rankOf(a) - rankOf(b) || a.size - b.size);
}

/** Returns a question with one answer, its ends and its single options. */
const withFewAnswers = (part: ScoringPart, model: Model): ScoringPart => {
  const { question } = part;
  const single = question.options.map(({ id }) => ({ optionIds: [id] }));
  const answers = new Map<bigint, Answer>();
  for (const answer of [question.possible(), ...question.ends, ...single]) {
    if (answer) answers.set(addedBy(question, answer, model), answer);
  }
  return { ...part, adds: { kind: 'one', values: [...answers.keys()] }, answers: [...answers.values()] };
};

const addedBy = (question: ScorableQuestion, answer: Answer, model: Model): bigint => {
  const counted = question.counted(answer);
  return counted ? model.unitsOf(times(counted, decimalOf(question.weight))) : 0n;
};

/** Adds the gaps that the answers to the open questions of a window lead to. */
function* addTotals(certain: Certain, window: Window): Steps<true> {
  const { form, model, classes, places } = certain;
  const { open, fixed } = window;
  const base = NO_TOTALS.all.shifted(fixed.reduce((sum, part) => sum + part.base, 0n));
  const isAnswered = fixed.some(({ question }) => question.required);
  let totals: PartTotals = isAnswered ? { all: base, answered: base } : NO_TOTALS;
  const prefixes = [totals];
  for (const part of open) {
    totals = yield* withPart(totals, part);
    prefixes.push(totals);
    window.done += 1;
  }
  const gaps = yield* gapsByPlace(totals.answered ?? base, classes);
  const fresh = gaps.filter(({ min }) => !places.has(classes.at(min).end));
  const shown = fresh.slice(0, Math.max(GAPS_WITH_ANSWERS - places.size, 0));
  const answers = yield* answersTo(form, { ...model, parts: open }, prefixes, shown);
  for (const gap of gaps) add(certain, { ...gap, answers: answers[shown.indexOf(gap)] ?? null });
  yield { added: 0, held: -prefixes.reduce((held, each) => held + costOf(each), 0) };
  return true;
}
