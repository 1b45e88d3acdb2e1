// The result of a form for a set of answers: the exact total and its classification.
import { DomainError } from '../errors.js';
import { type Answer, answeringOf, type Question, type ScoredForm } from './answers.js';
import { compare, type Decimal, decimalOf, numberOf, plus, times, ZERO } from './decimal.js';
import { type Entry, readAnswers } from './entries.js';
import { addSpans, NO_SPAN, type Span, spanOf } from './spans.js';

/** What a question adds to the total. */
export interface ScoredItem {
  readonly questionId: string;
  /** The weight times what was answered; null if the question was not answered or its type counts nothing. */
  readonly contribution: number | null;
  readonly weight: number;
  readonly answered: boolean;
  readonly explanation: string;
}

export interface Score<Range> {
  readonly total: number;
  readonly classification: string | null;
  readonly range: Range | null;
  readonly complete: boolean;
  /** The ids of the required questions that were not answered. */
  readonly missing: readonly string[];
  /** The smallest and the largest total of the complete sets that contain these answers; null without a bound. */
  readonly possible: { readonly min: number | null; readonly max: number | null };
  readonly items: readonly ScoredItem[];
}

/** Returns the score of a form. Throws `fields-refused` with all faults of the entries. */
export const scoreOf = <Range extends ScoredForm['scoreRanges'][number]>(
  form: ScoredForm<Range>,
  entries: readonly Entry[],
): Score<Range> => {
  const { answers, errors } = readAnswers(form, entries);
  if (errors.length > 0) throw new DomainError('fields-refused', { errors });
  const parts = form.questions.map((question) => partOf(question, answers.get(question.id)));
  const total = parts.reduce((sum, { counted }) => plus(sum, counted ?? ZERO), ZERO);
  const possible = parts.reduce((sum, { span }) => addSpans(sum, span), NO_SPAN);
  const missing = parts.filter(({ item, question }) => question.required && !item.answered);
  const range = missing.length > 0 ? undefined : rangeOf(form, total);
  return {
    total: numberOf(total),
    classification: range?.classification ?? null,
    range: range ?? null,
    complete: missing.length === 0,
    missing: missing.map(({ question }) => question.id),
    possible: { min: endOf(possible.min), max: endOf(possible.max) },
    items: parts.map(({ item }) => item),
  };
};

interface Part {
  readonly question: Question;
  readonly counted: Decimal | undefined;
  readonly span: Span;
  readonly item: ScoredItem;
}

const partOf = (question: Question, answer: Answer | undefined): Part => {
  const { id: questionId, weight } = question;
  if (answer === undefined) {
    const explanation = question.required ? 'Not answered, although required.' : 'Not answered.';
    const item = { questionId, contribution: null, weight, answered: false, explanation };
    return { question, counted: undefined, span: spanOf(question), item };
  }
  const { counted, explained } = answeringOf(question);
  const unweighted = counted(answer);
  if (unweighted === undefined) {
    const explanation = 'Answers to this question do not count.';
    const item = { questionId, contribution: null, weight, answered: true, explanation };
    return { question, counted: undefined, span: NO_SPAN, item };
  }
  const added = times(unweighted, decimalOf(weight));
  const explanation = `${explained(answer)}${weight === 1 ? '' : `, times the weight ${weight}`}.`;
  const item = { questionId, contribution: numberOf(added), weight, answered: true, explanation };
  return { question, counted: added, span: { min: added, max: added }, item };
};

const endOf = (end: Decimal | undefined): number | null => (end === undefined ? null : numberOf(end));

/** Returns the first range that contains the total. Both ends are inclusive. */
const rangeOf = <Range extends ScoredForm['scoreRanges'][number]>(
  { scoreRanges }: ScoredForm<Range>,
  total: Decimal,
): Range | undefined =>
  scoreRanges.find(
    ({ minScore, maxScore }) => compare(decimalOf(minScore), total) <= 0 && compare(total, decimalOf(maxScore)) <= 0,
  );
