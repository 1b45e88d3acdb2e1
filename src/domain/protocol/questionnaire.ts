// The questions, options and score ranges of a request, and their translation into the content of an event.
import { z } from 'zod';
import type { FieldError } from '../errors.js';
import { position, uuid } from '../fields.js';
import { type Item, itemsOf, noOverlap, ordered, type Refuse, rule, uniqueIds, uniquePositions } from '../rules.js';
import {
  byScore,
  type Form,
  type FormOption,
  type FormQuestion,
  type FormScoreRange,
  formLimits,
  OptionContent,
  QuestionContent,
  RESPONSE_TYPES,
  type RecordedOption,
  type RecordedQuestion,
  type RecordedScoreRange,
  ScoreRangeContent,
} from './form.js';
import { SentMetadata } from './metadata.js';
import { byPosition } from './positions.js';
import { faultsOf, typeOf } from './response-type.js';

const kept = { id: uuid().optional().describe('The id of an existing item to keep. If absent, the item is new.') };
const place = { position: position().optional().describe('If absent, the place in the list, counted from 1.') };

const SentOption = OptionContent.extend(place).meta({ id: 'NewOption' });
const optionsOf = <S extends z.ZodType>(option: S) =>
  z
    .array(option)
    .max(formLimits.options)
    .superRefine(...uniquePositions)
    .default([]);
export const SentContent = QuestionContent.extend({
  metadata: SentMetadata.default({}),
  required: z.boolean().default(false),
  weight: QuestionContent.shape.weight.default(1),
});
const SentQuestion = SentContent.extend({ ...place, options: optionsOf(SentOption) }).meta({ id: 'NewQuestion' });
const SentScoreRange = ScoreRangeContent.superRefine(...ordered('minScore', 'maxScore')).meta({ id: 'NewScoreRange' });

// Rules run on any input. What has another shape, its schema rejects.
const refuseUnfit = ({ responseType, options, metadata }: Item, at: FieldError['path'], refuse: Refuse): void => {
  const type = RESPONSE_TYPES.find((name) => name === responseType);
  if (type === undefined) return;
  const sent = {
    options: Array.isArray(options) ? options : [],
    metadata: typeof metadata === 'object' && metadata !== null ? metadata : {},
  };
  for (const { path, code, message } of faultsOf(type, sent)) refuse([...at, ...path], code, message);
};

/** Rejects a question with options or bounds that its response type does not take, if the request names the type. */
export const fitsType = rule((value, refuse) => {
  for (const [question] of itemsOf([value])) refuseUnfit(question, [], refuse);
});

const eachFitsType = rule((list, refuse) => {
  for (const [question, index] of itemsOf(list)) refuseUnfit(question, [index], refuse);
});

const optionLists = (questions: unknown) =>
  itemsOf(questions).map(([{ options }, index]) => ({ path: [index, 'options'], list: options }));

const questionsOf = <S extends z.ZodType>(question: S) =>
  z
    .array(question)
    .min(1)
    .max(formLimits.questions)
    .superRefine(...uniquePositions)
    .superRefine(...eachFitsType);

const scoreRangesOf = <S extends z.ZodType>(range: S) =>
  z
    .array(range)
    .max(formLimits.scoreRanges)
    .superRefine(...noOverlap);

export const newQuestionnaire = { questions: questionsOf(SentQuestion), scoreRanges: scoreRangesOf(SentScoreRange) };

const ReplacingQuestion = SentQuestion.extend({
  ...kept,
  responseType: QuestionContent.shape.responseType.optional(),
  options: optionsOf(SentOption.extend(kept).meta({ id: 'ReplacingOption' })),
}).meta({ id: 'ReplacingQuestion' });

/** Nothing is merged with the lists of the form, except that an absent response type stays the same. */
export const replacingQuestionnaire = {
  questions: questionsOf(ReplacingQuestion)
    .superRefine(...uniqueIds((questions) => [{ path: [], list: questions }]))
    .superRefine(...uniqueIds(optionLists)),
  scoreRanges: scoreRangesOf(
    ScoreRangeContent.extend(kept)
      .superRefine(...ordered('minScore', 'maxScore'))
      .meta({ id: 'ReplacingScoreRange' }),
  ).superRefine(...uniqueIds((ranges) => [{ path: [], list: ranges }])),
};

type SentQuestion = z.infer<typeof ReplacingQuestion>;
type SentScoreRange = z.infer<typeof replacingQuestionnaire.scoreRanges>[number];
type NewId = () => string;

/** The form that a questionnaire replaces, from which ids and types are kept; empty for a new questionnaire. */
export interface Before {
  readonly form: Pick<Form, 'questions' | 'scoreRanges'>;
  readonly isInferred: (questionId: string) => boolean;
}
export const nothingBefore: Before = { form: { questions: [], scoreRanges: [] }, isInferred: () => false };

/** Returns the questions with ids and types, sorted by position, and the faults that only the form's state reveals. */
export const recordQuestions = (sent: readonly SentQuestion[], before: Before, newId: NewId) => {
  const errors: FieldError[] = [];
  const { byId, options } = indexOf(before.form);
  const previous = previousOf(sent, before.form);
  const questions = sent.map((item, index): RecordedQuestion => {
    const same = keptOf(item, byId);
    const { responseType, responseTypeInferred } = typeOf(item, typedBefore(previous[index], before));
    const faults = faultsOf(responseType, item);
    errors.push(...faults.map(({ path, ...fault }) => ({ path: ['questions', index, ...path], ...fault })));
    return {
      id: same?.id ?? newId(),
      copiedFrom: same?.copiedFrom ?? null,
      questionText: item.questionText,
      responseType,
      responseTypeInferred,
      metadata: item.metadata,
      required: item.required,
      weight: item.weight,
      position: item.position ?? index + 1,
      options: recordOptions(item.options, options, newId),
    };
  });
  return { questions: byPosition(questions), errors };
};

/**
 * Returns the question before the replacement whose type each sent question keeps: the one with its id, or else with its
 * text if only one has it, or else at its position unless another sent question takes it.
 */
const previousOf = (sent: readonly SentQuestion[], { questions }: Before['form']) => {
  const { byId } = indexOf({ questions });
  const byText = new Map<string, FormQuestion | undefined>();
  for (const question of questions) {
    byText.set(question.questionText, byText.has(question.questionText) ? undefined : question);
  }
  const found = sent.map((item) => keptOf(item, byId) ?? byText.get(item.questionText));
  const taken = new Set(found);
  const free = questions.filter((question) => !taken.has(question));
  const byPlace = new Map(free.map((question) => [question.position, question]));
  return sent.map(({ position }, index) => found[index] ?? byPlace.get(position ?? index + 1));
};

const typedBefore = (question: FormQuestion | undefined, { isInferred }: Before) =>
  question && { responseType: question.responseType, responseTypeInferred: isInferred(question.id) };

const recordOptions = (sent: SentQuestion['options'], before: ReadonlyMap<string, FormOption>, newId: NewId) =>
  byPosition(
    sent.map((option, index): RecordedOption => {
      const { optionText, score, position = index + 1 } = option;
      const previous = keptOf(option, before);
      return { id: previous?.id ?? newId(), copiedFrom: previous?.copiedFrom ?? null, optionText, score, position };
    }),
  );

/** Returns the score ranges with ids, sorted by minScore. */
export const recordScoreRanges = (sent: readonly SentScoreRange[], before: Before, newId: NewId) => {
  const known = new Map(before.form.scoreRanges.map((range) => [range.id, range]));
  return byScore(
    sent.map((range): RecordedScoreRange => {
      const { minScore, maxScore, classification } = range;
      const previous = keptOf(range, known);
      return {
        id: previous?.id ?? newId(),
        copiedFrom: previous?.copiedFrom ?? null,
        minScore,
        maxScore,
        classification,
      };
    }),
  );
};

const keptOf = <I>({ id }: { readonly id?: string | undefined }, before: ReadonlyMap<string, I>) =>
  id === undefined ? undefined : before.get(id);

/** Returns a copy of a form's content. Each item gets a new id and names its original in `copiedFrom`. */
export const copyOf = ({ form, isInferred }: Before, newId: NewId) => ({
  questions: form.questions.map(
    (question): RecordedQuestion => ({
      ...contentOf(question, isInferred(question.id)),
      id: newId(),
      copiedFrom: question.id,
      options: question.options.map((option) => ({ ...optionContentOf(option), id: newId(), copiedFrom: option.id })),
    }),
  ),
  scoreRanges: form.scoreRanges.map((range) => ({ ...rangeContentOf(range), id: newId(), copiedFrom: range.id })),
});

export const recordedContentOf = ({ form, isInferred }: Before) => ({
  questions: form.questions.map((question) => ({
    ...contentOf(question, isInferred(question.id)),
    options: question.options.map(optionContentOf),
  })),
  scoreRanges: form.scoreRanges.map(rangeContentOf),
});

/** Returns a question as an event records it, without its options. */
export const contentOf = (question: FormQuestion, responseTypeInferred: boolean) => ({
  id: question.id,
  copiedFrom: question.copiedFrom,
  questionText: question.questionText,
  responseType: question.responseType,
  responseTypeInferred,
  metadata: question.metadata,
  required: question.required,
  weight: question.weight,
  position: question.position,
});

export const optionContentOf = ({ id, copiedFrom, optionText, score, position }: FormOption) => ({
  id,
  copiedFrom,
  optionText,
  score,
  position,
});

const rangeContentOf = ({ id, copiedFrom, minScore, maxScore, classification }: FormScoreRange) => ({
  id,
  copiedFrom,
  minScore,
  maxScore,
  classification,
});

const indexOf = ({ questions }: Pick<Form, 'questions'>) => ({
  byId: new Map(questions.map((question) => [question.id, question])),
  options: new Map(questions.flatMap((question) => question.options.map((option) => [option.id, option] as const))),
});
