// Totals without a range, and complete sets of answers that lead there.
import type { Answer, Scorable } from './answers.js';
import type { Gap } from './classes.js';
import { compare, type Decimal } from './decimal.js';
import { bytesOfAnswer, readAnswers } from './entries.js';
import type { Model, Reach } from './model.js';
import type { Finding } from './schemas.js';
import { resultOf } from './score.js';
import type { Steps } from './sums.js';
import type { PartTotals } from './totals.js';
import { answersOf, waysTo } from './ways.js';

export const GAPS_WITH_ANSWERS = 20;
/** So long that single choices for 500 questions fit. `score` accepts more, and 20 findings stay a small response. */
const LONGEST_ANSWERS = 65_536;

/** Totals without a range, and answers that lead there. */
export interface ShownGap extends Reach {
  readonly answers: Finding['answers'];
}

/** Returns answers that lead to some gaps, for each gap. */
export function* answersTo(
  form: Scorable,
  model: Model,
  prefixes: readonly PartTotals[],
  gaps: readonly Gap[],
): Steps<readonly Finding['answers'][]> {
  const targets = gaps.map(({ min, firstEnd }) => (model.isContinuous ? min + (firstEnd - min) / 2n : min));
  const ways = yield* waysTo(targets, model.parts, prefixes);
  const found: Finding['answers'][] = [];
  for (const [index, gap] of gaps.entries()) {
    const answers = yield* answersOf(ways[index]?.added ?? new Map());
    found.push(entriesOf(form, answers, boundsOf(gap, model)));
    yield { added: form.questions.length, held: 0 };
  }
  return found;
}

/**
 * Returns the ends of a gap. An odd end of continuous totals is open: it belongs to the range beside it. So does an end of
 * whole numbers without a bound.
 */
export const boundsOf = ({ min, max }: Pick<Gap, 'min' | 'max'>, { isContinuous, decimalOf }: Model): Reach => {
  const isOpen = (end: bigint, other: bigint) => (isContinuous ? (end & 1n) === 1n : decimalOf(other) === undefined);
  return { min: decimalOf(isOpen(min, max) ? min - 1n : min), max: decimalOf(isOpen(max, min) ? max + 1n : max) };
};

/**
 * Returns a complete set of answers with these answers to the questions that count. Returns null if there is none, if the
 * answers are long, or if their total is not in the gap, because no double is close enough to a fraction.
 */
export const entriesOf = (form: Scorable, answers: ReadonlyMap<string, Answer>, bounds: Reach): Finding['answers'] => {
  const entries = form.questions.flatMap((question) => {
    const answer = answers.get(question.id) ?? (question.required ? question.possible() : undefined);
    return answer === undefined ? [] : [{ questionId: question.id, ...answer }];
  });
  if (entries.reduce((bytes, entry) => bytes + bytesOfAnswer(entry), 0) > LONGEST_ANSWERS) return null;
  const read = readAnswers(form, entries);
  const isComplete = form.questions.every(({ id, required }) => !required || read.answers.has(id));
  if (read.errors.length > 0 || !isComplete) return null;
  const { total, range } = resultOf(form, read.answers);
  return range === undefined && isInside(total, bounds) ? entries : null;
};

const isInside = (total: Decimal, { min, max }: Reach): boolean =>
  (!min || compare(min, total) <= 0) && (!max || compare(total, max) <= 0);
