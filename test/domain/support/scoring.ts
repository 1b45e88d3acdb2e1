// Small forms, and a slow, obvious reading of them: every complete set of answers, one by one.
import fc from 'fast-check';
import { expect } from 'vitest';
import { analysisOf } from '../../../src/domain/scoring/analysis.js';
import { type Question, type Scorable, type ScoredForm, scorable } from '../../../src/domain/scoring/answers.js';
import type { Analysis, Entry } from '../../../src/domain/scoring/schemas.js';
import type { Steps } from '../../../src/domain/scoring/sums.js';
import { uuidOf } from '../../support/specification.js';

type Given = Partial<Omit<Question, 'options'>> & { readonly options?: readonly number[] };
type Range = readonly [minScore: number, maxScore: number, classification: string];

/** Returns a form with these questions and ranges. Options are given by their scores. */
export const formOf = (questions: readonly Given[], ranges: readonly Range[] = []): Scorable =>
  scorable({
    questions: questions.map(({ options = [], ...given }, index) => ({
      id: uuidOf(1_000 * (index + 1)),
      questionText: `Question ${index + 1}`,
      responseType: 'SELECT',
      required: true,
      weight: 1,
      metadata: {},
      ...given,
      options: options.map((score, place) => ({
        id: uuidOf(1_000 * (index + 1) + place + 1),
        optionText: `Option ${place + 1}`,
        score,
      })),
    })),
    scoreRanges: ranges.map(([minScore, maxScore, classification]) => ({ minScore, maxScore, classification })),
  });

export const many = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));

/** A question whose answer may be any fraction. */
export const anyNumber = (metadata: Question['metadata'], more: Given = {}): Given => ({
  responseType: 'NUMBER',
  metadata,
  ...more,
});
export const wholeNumber = (metadata: Question['metadata'], more: Given = {}): Given =>
  anyNumber({ ...metadata, integer: true }, more);

/** Takes all steps of a generator. */
export const finished = <R>(steps: Iterator<unknown, R>): R => {
  for (let step = steps.next(); ; step = steps.next()) if (step.done) return step.value;
};

/** Takes all steps of work, and expects that it releases the memory of all its sets. */
export const released = <R>(steps: Steps<R>): R => {
  let held = 0;
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done) {
      expect(held).toBe(0);
      return step.value;
    }
    held += step.value.held;
    expect(held).toBeGreaterThanOrEqual(0);
  }
};

export const analysed = (form: ScoredForm): Analysis => finished(analysisOf(form));

/** Returns what the questions of a complete set add, in ten thousandths, so that no sum of small forms is rounded. */
const whole = (number: number): number => Math.round(number * 10_000);

interface Choice {
  readonly entry: Entry | undefined;
  readonly added: number;
}

const subsets = <T>(items: readonly T[]): T[][] =>
  items.reduce<T[][]>((sets, item) => sets.concat(sets.map((set) => set.concat([item]))), [[]]);

/** Returns every answer to a question. Of a number it returns the whole numbers, or those in steps of `step`. */
const choicesOf = (
  { id: questionId, responseType, options, metadata, required, weight }: Question,
  step = 1,
): Choice[] => {
  const choice = (optionIds: readonly string[]): Choice => {
    const scores = options.filter(({ id }) => optionIds.includes(id)).map(({ score }) => score);
    return {
      entry: { questionId, optionIds: [...optionIds] },
      added: whole(weight * scores.reduce((sum, score) => sum + score, 0)),
    };
  };
  const one = options.map(({ id }) => choice([id]));
  const some = subsets(options.map(({ id }) => id)).filter((ids) => ids.length > 0);
  const [min, max] = [Number(metadata.minValue), Number(metadata.maxValue)];
  const by = metadata['integer'] ? 1 : step;
  const numbers = Array.from({ length: Math.floor((max - min) / by) + 1 }, (_, index) => min + index * by);
  const answers: Choice[] = {
    TEXT: [{ entry: { questionId, value: 'text' }, added: 0 }],
    DATE: [{ entry: { questionId, value: '2020-02-29' }, added: 0 }],
    DATETIME: [{ entry: { questionId, value: '2020-02-29T12:00:00Z' }, added: 0 }],
    BOOLEAN: options.length > 0 ? one : [{ entry: { questionId, value: false }, added: 0 }],
    SELECT: one,
    MULTIPLE_SELECT: some.map(choice),
    NUMBER: numbers.map((value) => ({ entry: { questionId, value }, added: whole(weight * value) })),
  }[responseType];
  const none = { entry: undefined, added: 0 };
  // A required choice without options counts as unanswered.
  return required && answers.length > 0 ? answers : [...answers, none];
};

export interface CompleteSet {
  readonly entries: readonly Entry[];
  readonly total: number;
}

/** Returns every complete set of answers to a form, which may leave some questions as they are given. */
export const completeSets = ({ questions }: ScoredForm, given: readonly Entry[] = [], step?: number): CompleteSet[] =>
  questions.reduce<CompleteSet[]>(
    (sets, question) => {
      const fixed = given.find(({ questionId }) => questionId === question.id);
      const choices = choicesOf(question, step).filter(
        ({ entry }) => fixed === undefined || JSON.stringify(entry) === JSON.stringify(fixed),
      );
      return sets.flatMap(({ entries, total }) =>
        choices.map(({ entry, added }) => ({
          entries: entry === undefined ? entries : [...entries, entry],
          total: Math.round(total * 10_000 + added) / 10_000,
        })),
      );
    },
    [{ entries: [], total: 0 }],
  );

/** Returns whether an answer to the question counts. */
export const counts = ({ responseType, options, weight }: Question): boolean =>
  weight !== 0 && (options.length > 0 || responseType === 'NUMBER');

/** Returns the complete sets whose totals are reachable: at least one question that counts is answered, if there is one. */
export const reachableSets = (form: ScoredForm, step?: number): CompleteSet[] => {
  const counting = new Set(form.questions.filter(counts).map(({ id }) => id));
  const sets = completeSets(form, [], step);
  return counting.size === 0
    ? sets
    : sets.filter(({ entries }) => entries.some((each) => counting.has(each.questionId)));
};

export const classOf = ({ scoreRanges }: ScoredForm, total: number): string | null =>
  scoreRanges.find(({ minScore, maxScore }) => minScore <= total && total <= maxScore)?.classification ?? null;

const decimals = fc.integer({ min: -8, max: 8 }).map((halves) => halves / 2);
const hundredths = fc.integer({ min: -300, max: 300 }).map((hundredth) => hundredth / 100);
const score = fc.oneof({ weight: 4, arbitrary: decimals }, { weight: 1, arbitrary: hundredths });
const weight = fc.constantFrom(1, 1, 1, 2, -1, 0.5, 1.25, 0);

const choiceQuestion = fc.record({
  responseType: fc.constantFrom('SELECT', 'MULTIPLE_SELECT', 'BOOLEAN'),
  options: fc.array(score, { maxLength: 3 }),
  required: fc.boolean(),
  weight,
});
const textQuestion = fc.record({
  responseType: fc.constantFrom('TEXT', 'DATE', 'DATETIME'),
  required: fc.boolean(),
  weight,
});

const numberQuestion = (isWhole: boolean) =>
  fc.record({
    responseType: fc.constant('NUMBER' as const),
    metadata: fc
      .tuple(fc.integer({ min: -4, max: 4 }), fc.integer({ min: 0, max: 4 }))
      .map(([minValue, more]) => ({ minValue, maxValue: minValue + more, ...(isWhole && { integer: true }) })),
    required: fc.boolean(),
    weight,
  });

const rangesArbitrary: fc.Arbitrary<Range[]> = fc
  .uniqueArray(fc.integer({ min: -40, max: 40 }), { maxLength: 8 })
  .chain((ends) =>
    fc.tuple(
      fc.constant(ends.toSorted((a, b) => a - b)),
      fc.array(fc.constantFrom('low', 'high'), { minLength: 4, maxLength: 4 }),
    ),
  )
  .map(([ends, names]) =>
    Array.from(
      { length: Math.floor(ends.length / 2) },
      (_, index): Range => [(ends[2 * index] ?? 0) / 4, (ends[2 * index + 1] ?? 0) / 4, names[index] ?? 'low'],
    ),
  );

const formsWith = (questions: fc.Arbitrary<Given>): fc.Arbitrary<Scorable> =>
  fc.tuple(fc.array(questions, { maxLength: 4 }), rangesArbitrary).map(([given, ranges]) => formOf(given, ranges));

/** Draws forms with at most some thousand complete sets. */
export const smallForms = formsWith(
  fc.oneof({ weight: 5, arbitrary: choiceQuestion }, textQuestion, numberQuestion(true)),
);

/** Draws forms whose numbers may be any fraction. */
export const continuousForms = formsWith(
  fc.oneof(choiceQuestion, numberQuestion(true), { weight: 2, arbitrary: numberQuestion(false) }),
);
