// The result of a form for a set of answers: the exact total and its classification.
import { DomainError } from '../errors.js';
import { type Answer, counts, type Scorable, type ScorableQuestion, type ScoredForm } from './answers.js';
import { compare, type Decimal, decimalOf, numberOf, numberOrNull, sumOf, times } from './decimal.js';
import { type Answers, readAnswers } from './entries.js';
import { reachOf, touched } from './model.js';
import type { Entry, Score, ScoredItem } from './schemas.js';

/** Returns the score of a form. Throws `fields-refused` with all faults of the entries. */
export const scoreOf = (form: Scorable, entries: readonly Entry[]): Score => {
  const { answers, errors } = readAnswers(form, entries);
  if (errors.length > 0) throw new DomainError('fields-refused', { errors });
  const { questions } = form;
  const result = resultOf(form, answers);
  const { counted, total } = result;
  const open = questions.filter(({ id }) => answers.get(id) === undefined);
  const missing = open.filter(({ required }) => required).map(({ id }) => id);
  const counting = questions.filter(counts);
  const isUnanswered = counting.length > 0 && counting.every(({ id }) => answers.get(id) === undefined);
  const range = missing.length === 0 && !isUnanswered ? result.range : undefined;
  return {
    total: numberOf(total),
    classification: range?.classification ?? null,
    range: range ?? null,
    complete: missing.length === 0,
    missing,
    possible: possibleFrom(total, open),
    items: questions.map((question, index) => itemOf(question, answers.get(question.id), counted[index])),
  };
};

/** Returns what each answer counts, their exact total, and its range, whether or not the answers are complete. */
export const resultOf = ({ questions, scoreRanges }: Scorable, answers: Answers) => {
  const counted = questions.map((question) => {
    const answer = answers.get(question.id);
    return answer && question.counted(answer);
  });
  const added = questions.flatMap(({ weight }, index) => {
    const number = counted[index];
    return number === undefined ? [] : [times(number, decimalOf(weight))];
  });
  const total = sumOf(added);
  return { counted, total, range: rangeOf(scoreRanges, total) };
};

const itemOf = (question: ScorableQuestion, answer: Answer | undefined, counted: Decimal | undefined): ScoredItem => {
  const { id: questionId, weight, required } = question;
  const item = { questionId, contribution: null, weight, answered: answer !== undefined };
  if (answer === undefined) return { ...item, explanation: `Not answered${required ? ', although required' : ''}.` };
  if (counted === undefined) return { ...item, explanation: 'Answers to this question do not count.' };
  const explained = question.explained(answer, counted);
  const explanation = `${explained}${weight === 1 ? '' : `, times the weight ${weight}`}.`;
  return { ...item, contribution: numberOf(times(counted, decimalOf(weight))), explanation };
};

/** Returns the first range that contains the total. Both ends are inclusive. */
const rangeOf = (ranges: ScoredForm['scoreRanges'], total: Decimal) => {
  const nearest = numberOf(total);
  // Rounding keeps the order, so only a number that equals the rounded total needs the exact one.
  const beyond = (number: number) => (number === nearest ? compare(total, decimalOf(number)) : nearest - number);
  return ranges.find(({ minScore, maxScore }, index) => {
    const next = touched(ranges, index);
    return beyond(minScore) >= 0 && (beyond(maxScore) <= 0 || (next !== undefined && beyond(next) < 0));
  });
};

/** Returns the smallest and the largest total with answers to the questions that are still open. */
const possibleFrom = (total: Decimal, open: readonly ScorableQuestion[]): Score['possible'] => {
  const reaches = open.map(reachOf);
  const endOf = (ends: readonly (Decimal | undefined)[]) =>
    numberOrNull(ends.every((end) => end !== undefined) ? sumOf([total, ...ends]) : undefined);
  return { min: endOf(reaches.map(({ min }) => min)), max: endOf(reaches.map(({ max }) => max)) };
};
