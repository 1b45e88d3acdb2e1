// The result of a form for a set of answers: the exact total and its classification.
import { DomainError } from '../errors.js';
import { type Answer, answeringOf, type Question, type ScoredForm } from './answers.js';
import { compare, type Decimal, decimalOf, numberOf, plus, times, ZERO } from './decimal.js';
import { type Answers, readAnswers } from './entries.js';
import { modelOf, touched } from './model.js';
import type { Entry, Score, ScoredItem } from './schemas.js';
import { finished } from './sums.js';

/** Returns the score of a form. Throws `fields-refused` with all faults of the entries. */
export const scoreOf = (form: ScoredForm, entries: readonly Entry[]): Score => {
  const { answers, errors } = readAnswers(form, entries);
  if (errors.length > 0) throw new DomainError('fields-refused', { errors });
  return scoreOfAnswers(form, answers);
};

/** Returns the score of answers without faults. */
export const scoreOfAnswers = ({ questions, scoreRanges }: ScoredForm, answers: Answers): Score => {
  const items = questions.map((question) => itemOf(question, answers.get(question.id)));
  const total = items.reduce((sum, { added }) => plus(sum, added), ZERO);
  const open = questions.filter(({ id }) => answers.get(id) === undefined);
  const missing = open.filter(({ required }) => required).map(({ id }) => id);
  const range = missing.length > 0 ? undefined : rangeOf(scoreRanges, total);
  return {
    total: numberOf(total),
    classification: range?.classification ?? null,
    range: range ?? null,
    complete: missing.length === 0,
    missing,
    possible: possibleFrom(total, open),
    items: items.map(({ item }) => item),
  };
};

interface Scored {
  readonly added: Decimal;
  readonly item: ScoredItem;
}

const itemOf = (question: Question, answer: Answer | undefined): Scored => {
  const { id: questionId, weight, required } = question;
  const item = { questionId, contribution: null, weight, answered: answer !== undefined };
  if (answer === undefined) {
    return { added: ZERO, item: { ...item, explanation: `Not answered${required ? ', although required' : ''}.` } };
  }
  const { counted, explained } = answeringOf(question);
  const unweighted = counted(answer);
  if (unweighted === undefined) {
    return { added: ZERO, item: { ...item, explanation: 'Answers to this question do not count.' } };
  }
  const added = times(unweighted, decimalOf(weight));
  const explanation = `${explained(answer)}${weight === 1 ? '' : `, times the weight ${weight}`}.`;
  return { added, item: { ...item, contribution: numberOf(added), explanation } };
};

/** Returns the first range that contains the total. Both ends are inclusive. */
const rangeOf = (ranges: ScoredForm['scoreRanges'], total: Decimal) =>
  ranges.find(({ minScore, maxScore }, index) => {
    const next = touched(ranges, index);
    const isBelowEnd =
      compare(total, decimalOf(maxScore)) <= 0 || (next !== undefined && compare(total, decimalOf(next)) < 0);
    return compare(decimalOf(minScore), total) <= 0 && isBelowEnd;
  });

/** Returns the smallest and the largest total with answers to the questions that are still open. */
const possibleFrom = (total: Decimal, open: readonly Question[]): Score['possible'] => {
  const model = finished(modelOf({ questions: open, scoreRanges: [] }));
  const endOf = (end: bigint) => {
    const more = model.decimalOf(end);
    return more === undefined ? null : numberOf(plus(total, more));
  };
  return { min: endOf(model.min), max: endOf(model.max) };
};
