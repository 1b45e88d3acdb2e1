// The smallest and the largest number that a question can add to a total.
import { answeringOf, type Outcomes, type Question } from './answers.js';
import { compare, type Decimal, decimalOf, plus, times, ZERO } from './decimal.js';

/** Both ends are inclusive. An end without a bound is undefined. */
export interface Span {
  readonly min: Decimal | undefined;
  readonly max: Decimal | undefined;
}

export const NO_SPAN: Span = { min: ZERO, max: ZERO };

export const addSpans = (a: Span, b: Span): Span => ({
  min: a.min && b.min && plus(a.min, b.min),
  max: a.max && b.max && plus(a.max, b.max),
});

/** Returns what a question can add to the total of a complete set of answers. */
export const spanOf = (question: Question): Span => {
  const { min, max } = weighted(ofAnswers(answeringOf(question).outcomes), decimalOf(question.weight));
  if (question.required) return { min, max };
  return { min: min && lowestOf([min, ZERO]), max: max && highestOf([max, ZERO]) };
};

const ofAnswers = (outcomes: Outcomes): Span => {
  switch (outcomes.kind) {
    case 'nothing':
      return NO_SPAN;
    case 'number':
      return { min: outcomes.min, max: outcomes.max };
    case 'one':
      return { min: lowestOf(outcomes.scores), max: highestOf(outcomes.scores) };
    case 'some': {
      // At least one option is chosen, so the sum of no scores does not count.
      const [below, above] = [outcomes.scores.filter(isNegative), outcomes.scores.filter((score) => score.digits > 0n)];
      return {
        min: below.length > 0 ? below.reduce(plus) : lowestOf(outcomes.scores),
        max: above.length > 0 ? above.reduce(plus) : highestOf(outcomes.scores),
      };
    }
  }
};

const isNegative = ({ digits }: Decimal): boolean => digits < 0n;

const weighted = ({ min, max }: Span, weight: Decimal): Span => {
  if (weight.digits === 0n) return NO_SPAN;
  const [low, high] = [min && times(min, weight), max && times(max, weight)];
  return isNegative(weight) ? { min: high, max: low } : { min: low, max: high };
};

const lowestOf = (numbers: readonly Decimal[]): Decimal => numbers.reduce((a, b) => (compare(a, b) <= 0 ? a : b));
const highestOf = (numbers: readonly Decimal[]): Decimal => numbers.reduce((a, b) => (compare(a, b) >= 0 ? a : b));
