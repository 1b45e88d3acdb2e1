// A form of a protocol: its questions, options and score ranges, and the fold of its events.
// The state of a protocol and the `forms` read model use the same fold.
import { z } from 'zod';
import type { Evolve } from '../decider.js';
import { dated, position, same, text, uuid, visibleText } from '../fields.js';
import { Metadata } from './metadata.js';
import { byPosition } from './positions.js';

export const RESPONSE_TYPES = ['TEXT', 'NUMBER', 'DATE', 'DATETIME', 'BOOLEAN', 'SELECT', 'MULTIPLE_SELECT'] as const;
export const ResponseType = z.enum(RESPONSE_TYPES);
export type ResponseType = z.infer<typeof ResponseType>;

export const formLimits = {
  questions: 500,
  options: 200,
  scoreRanges: 500,
  /** The maximum size of a form in bytes: its JSON (UTF-8) in the ProtocolFormVersionCreated that copies it. */
  formBytes: 900 * 1_024,
} as const;

export const OptionContent = z.object({ optionText: visibleText(2_000), score: z.number(), position: position() });

export const QuestionContent = z.object({
  questionText: visibleText(10_000),
  responseType: ResponseType,
  metadata: Metadata,
  required: z.boolean(),
  weight: z.number(),
  position: position(),
});

export const ScoreRangeContent = z.object({
  minScore: z.number(),
  maxScore: z.number(),
  classification: visibleText(500),
});

const identified = { id: uuid(), copiedFrom: uuid().nullable() };
const RecordedOption = OptionContent.extend(identified);
const RevisableQuestion = QuestionContent.extend(identified).extend({
  responseTypeInferred: z.boolean(),
});
const RecordedQuestion = RevisableQuestion.extend({ options: z.array(RecordedOption) });
const RecordedScoreRange = ScoreRangeContent.extend(identified);
const Moved = z.array(z.object({ id: uuid(), position: position() }));

export type RecordedOption = z.infer<typeof RecordedOption>;
export type RecordedQuestion = z.infer<typeof RecordedQuestion>;
export type RecordedScoreRange = z.infer<typeof RecordedScoreRange>;

/** The fields of a protocol itself. Replacing the questionnaire also replaces these fields. */
export const protocolContent = { name: visibleText(500), prompt: text(100_000).nullable() };

const formContent = { questions: z.array(RecordedQuestion), scoreRanges: z.array(RecordedScoreRange) };

/** The events that change a form of a protocol. Each carries the complete content after the change. */
export const formEvents = {
  ProtocolFormVersionCreated: z.object({
    formId: uuid(),
    version: z.int().min(1),
    copiedFrom: uuid().nullable(),
    ...formContent,
  }),
  ProtocolQuestionAdded: z.object({ formId: uuid(), question: RecordedQuestion, moved: Moved }),
  ProtocolQuestionRevised: z.object({ formId: uuid(), question: RevisableQuestion, moved: Moved }),
  ProtocolOptionAdded: z.object({
    formId: uuid(),
    questionId: uuid(),
    /** The type of the question after this event: an inferred TEXT becomes a SELECT when it gets an option. */
    responseType: ResponseType,
    option: RecordedOption,
    moved: Moved,
  }),
  ProtocolOptionRevised: z.object({ formId: uuid(), questionId: uuid(), option: RecordedOption, moved: Moved }),
  ProtocolQuestionsReordered: z.object({
    formId: uuid(),
    questionIds: z.array(uuid()).describe('All questions of the form. Their positions become 1 to n.'),
  }),
  ProtocolOptionsReordered: z.object({
    formId: uuid(),
    questionId: uuid(),
    optionIds: z.array(uuid()).describe('All options of the question. Their positions become 1 to n.'),
  }),
  ProtocolQuestionnaireReplaced: z.object({ formId: uuid(), ...protocolContent, ...formContent }),
};

const copiedFrom = identified.copiedFrom.describe(
  'The id of the original from which this item was copied when its form version was created.',
);
export const FormOption = z
  .object(dated({ protocolQuestionId: uuid(), copiedFrom, ...OptionContent.shape }))
  .meta({ id: 'ProtocolQuestionOption' });
export const FormQuestion = z
  .object({
    ...dated({ protocolFormId: uuid(), copiedFrom, ...QuestionContent.shape }),
    options: z.array(FormOption).readonly().describe('Sorted by ascending position.'),
  })
  .meta({ id: 'ProtocolQuestion' });
const FormScoreRange = z
  .object(dated({ protocolFormId: uuid(), copiedFrom, ...ScoreRangeContent.shape }))
  .meta({ id: 'ScoreRange' });
/** A form without its content. */
export const FormVersion = z
  .object(dated({ protocolId: uuid(), version: z.int().min(1), copiedFrom }))
  .meta({ id: 'ProtocolFormVersion' });
/** A form as responses show it. */
export const Form = FormVersion.extend({
  questions: z.array(FormQuestion).readonly().describe('Sorted by ascending position.'),
  scoreRanges: z
    .array(FormScoreRange)
    .readonly()
    .describe('Sorted by ascending minScore. Both ends of a range are inclusive.'),
}).meta({ id: 'ProtocolForm' });

export type FormOption = z.infer<typeof FormOption>;
export type FormQuestion = z.infer<typeof FormQuestion>;
export type FormScoreRange = z.infer<typeof FormScoreRange>;
export type FormVersion = z.infer<typeof FormVersion>;
export type Form = z.infer<typeof Form>;
type Copied = Pick<FormVersion, 'id' | 'copiedFrom' | 'createdAt' | 'updatedAt'>;

/** Folds a form. An unknown form stays unknown until ProtocolFormVersionCreated. */
export const evolveForm: Evolve<Form | undefined, typeof formEvents> = {
  ProtocolFormVersionCreated: (_, { formId, version, copiedFrom, questions, scoreRanges }, { id, at }) => {
    const dates = { createdAt: at, updatedAt: at };
    const empty = { id: formId, protocolId: id, version, copiedFrom, ...dates, questions: [], scoreRanges: [] };
    return withContent(empty, { questions, scoreRanges }, at);
  },
  ProtocolQuestionAdded: (form, { formId, question, moved }, { at }) =>
    form && {
      ...form,
      updatedAt: at,
      questions: byPosition([...relocated(form.questions, moved, at), newQuestion(question, formId, at)]),
    },
  ProtocolQuestionRevised: (form, { question: { responseTypeInferred: _, ...content }, moved }, { at }) =>
    form && {
      ...form,
      updatedAt: at,
      questions: byPosition(replaced(relocated(form.questions, moved, at), content, at)),
    },
  ProtocolOptionAdded: (form, { questionId, responseType, option, moved }, { at }) =>
    reviseQuestion(form, questionId, at, (question) => ({
      ...question,
      responseType,
      options: byPosition([...relocated(question.options, moved, at), newOption(option, questionId, at)]),
    })),
  ProtocolOptionRevised: (form, { questionId, option, moved }, { at }) =>
    reviseQuestion(form, questionId, at, (question) => ({
      ...question,
      options: byPosition(replaced(relocated(question.options, moved, at), option, at)),
    })),
  ProtocolQuestionsReordered: (form, { questionIds }, { at }) =>
    form && { ...form, updatedAt: at, questions: byPosition(reordered(form.questions, questionIds, at)) },
  ProtocolOptionsReordered: (form, { questionId, optionIds }, { at }) =>
    reviseQuestion(form, questionId, at, (question) => ({
      ...question,
      options: byPosition(reordered(question.options, optionIds, at)),
    })),
  ProtocolQuestionnaireReplaced: (form, { questions, scoreRanges }, { at }) =>
    form && withContent({ ...form, updatedAt: at }, { questions, scoreRanges }, at),
};

// The literals below name every field, because spreading an object costs ten times as much (V8 of Node 20). They run
// for every item of every form that is created, copied or replayed.
const newOption = (option: RecordedOption, protocolQuestionId: string, at: string): FormOption => ({
  id: option.id,
  copiedFrom: option.copiedFrom,
  protocolQuestionId,
  optionText: option.optionText,
  score: option.score,
  position: option.position,
  createdAt: at,
  updatedAt: at,
});

const newQuestion = (question: RecordedQuestion, protocolFormId: string, at: string): FormQuestion => ({
  id: question.id,
  copiedFrom: question.copiedFrom,
  protocolFormId,
  questionText: question.questionText,
  responseType: question.responseType,
  metadata: question.metadata,
  required: question.required,
  weight: question.weight,
  position: question.position,
  createdAt: at,
  updatedAt: at,
  options: byPosition(question.options.map((option) => newOption(option, question.id, at))),
});

const newScoreRange = (range: RecordedScoreRange, protocolFormId: string, at: string): FormScoreRange => ({
  id: range.id,
  copiedFrom: range.copiedFrom,
  protocolFormId,
  minScore: range.minScore,
  maxScore: range.maxScore,
  classification: range.classification,
  createdAt: at,
  updatedAt: at,
});

type Content = { readonly questions: readonly RecordedQuestion[]; readonly scoreRanges: readonly RecordedScoreRange[] };

const withContent = (form: Form, { questions, scoreRanges }: Content, at: string): Form => {
  const keepDates = datesOf(form);
  return {
    ...form,
    questions: byPosition(questions.map((question) => keepDates.ofQuestion(newQuestion(question, form.id, at)))),
    scoreRanges: byScore(scoreRanges.map((range) => keepDates.of(newScoreRange(range, form.id, at)))),
  };
};

/** Keeps the createdAt of items that existed before, and their updatedAt if their content is unchanged. */
const datesOf = (form: Form) => {
  const items = [...form.questions, ...form.questions.flatMap((question) => question.options), ...form.scoreRanges];
  const before = new Map<string, Copied>(items.map((item) => [item.id, item]));
  const of = <I extends Copied>(item: I): I => {
    const previous = before.get(item.id);
    if (previous === undefined) return item;
    const kept = { ...item, createdAt: previous.createdAt, updatedAt: previous.updatedAt };
    return same(kept, previous) ? kept : { ...kept, updatedAt: item.updatedAt };
  };
  const ofQuestion = (item: FormQuestion): FormQuestion =>
    before.size === 0 ? item : of({ ...item, options: item.options.map(of) });
  return { of, ofQuestion };
};

const reviseQuestion = (
  form: Form | undefined,
  questionId: string,
  at: string,
  revise: (question: FormQuestion) => FormQuestion,
): Form | undefined =>
  form && {
    ...form,
    updatedAt: at,
    questions: form.questions.map((question) =>
      question.id === questionId ? { ...revise(question), updatedAt: at } : question,
    ),
  };

type Placed = Copied & { readonly position: number };

const relocated = <I extends Placed>(items: readonly I[], moved: z.infer<typeof Moved>, at: string): readonly I[] =>
  moved.length === 0 ? items : placedAt(items, new Map(moved.map(({ id, position }) => [id, position])), at);

const reordered = <I extends Placed>(items: readonly I[], ids: readonly string[], at: string): readonly I[] =>
  placedAt(items, new Map(ids.map((id, index) => [id, index + 1])), at);

const placedAt = <I extends Placed>(items: readonly I[], places: ReadonlyMap<string, number>, at: string) =>
  items.map((item) => {
    const position = places.get(item.id) ?? item.position;
    return position === item.position ? item : { ...item, position, updatedAt: at };
  });

const replaced = <I extends Placed>(items: readonly I[], content: Partial<I> & { id: string }, at: string) =>
  items.map((item) => (item.id === content.id ? { ...item, ...content, updatedAt: at } : item));

export const byScore = <R extends z.infer<typeof ScoreRangeContent>>(ranges: readonly R[]): R[] =>
  ranges.toSorted((a, b) => a.minScore - b.minScore || a.maxScore - b.maxScore);
