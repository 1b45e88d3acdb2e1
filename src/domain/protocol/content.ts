// The content of a form as events record it: how it becomes a form, and how it is made from a form or from a request.
import { type ById, getById } from '../by-id.js';
import type { FieldError } from '../errors.js';
import { faultsOfInteger } from './metadata.js';
import { byPosition, byScore } from './positions.js';
import { faultsOf, typeOf } from './response-type.js';
import type {
  Form,
  FormOption,
  FormQuestion,
  FormScoreRange,
  RecordedOption,
  RecordedQuestion,
  RecordedScoreRange,
  SentQuestionnaire,
} from './schemas.js';

/** The content of a form as events record it. */
export interface Content {
  readonly questions: RecordedQuestion[];
  readonly scoreRanges: RecordedScoreRange[];
}
type SentQuestion = SentQuestionnaire['questions'][number];
type Inferred = ById<{ readonly isInferred: boolean }>;
type Identity = Pick<RecordedOption, 'id' | 'copiedFrom'>;
type NewId = () => string;
type SentItem = { readonly id?: string | undefined };

export const noContent: Content = { questions: [], scoreRanges: [] };

// The literals below name every field, because spreading an object costs ten times as much (V8 of Node 20). They run
// for every item of every form that is created, copied or replayed. Those of recorded items name them in canonical order
// (RFC 8785), so that the log needs no sorting.
export const newOption = (option: RecordedOption, protocolQuestionId: string, at: string): FormOption => ({
  id: option.id,
  copiedFrom: option.copiedFrom,
  protocolQuestionId,
  optionText: option.optionText,
  score: option.score,
  position: option.position,
  createdAt: at,
  updatedAt: at,
});

export const newQuestion = (question: RecordedQuestion, protocolFormId: string, at: string): FormQuestion => ({
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

export const newScoreRange = (range: RecordedScoreRange, protocolFormId: string, at: string): FormScoreRange => ({
  id: range.id,
  copiedFrom: range.copiedFrom,
  protocolFormId,
  minScore: range.minScore,
  maxScore: range.maxScore,
  classification: range.classification,
  createdAt: at,
  updatedAt: at,
});

interface Items<Question, Option, Range> {
  readonly questions: readonly (Question & { readonly options: readonly Option[] })[];
  readonly scoreRanges: readonly Range[];
}

/** Returns all questions, options and score ranges. */
export const allItems = <Q, O, R>({ questions, scoreRanges }: Items<Q, O, R>): (Q | O | R)[] => [
  ...questions,
  ...questions.flatMap(({ options }) => options),
  ...scoreRanges,
];

/** Returns the content of a form. `identify` returns the id and the original of each item. */
export const contentOf = ({ questions, scoreRanges }: Form, inferred: Inferred, identify = itself): Content => ({
  questions: questions.map((each) =>
    questionContentOf(each, getById(inferred, each.id)?.isInferred ?? false, identify),
  ),
  scoreRanges: scoreRanges.map((range) => {
    const { id, copiedFrom } = identify(range);
    const { minScore, maxScore, classification } = range;
    return { classification, copiedFrom, id, maxScore, minScore };
  }),
});

/** Returns the content of a copy of a form. Each item gets a new id and names its original in `copiedFrom`. */
export const copyOf = (form: Form, inferred: Inferred, newId: NewId): Content =>
  contentOf(form, inferred, ({ id }) => ({ id: newId(), copiedFrom: id }));

export const questionContentOf = (question: FormQuestion, isInferred: boolean, identify = itself): RecordedQuestion => {
  const { id, copiedFrom } = identify(question);
  return {
    copiedFrom,
    id,
    metadata: question.metadata,
    options: question.options.map((option) => optionContentOf(option, identify)),
    position: question.position,
    questionText: question.questionText,
    required: question.required,
    responseType: question.responseType,
    responseTypeInferred: isInferred,
    weight: question.weight,
  };
};

export const optionContentOf = (option: FormOption, identify = itself): RecordedOption => {
  const { id, copiedFrom } = identify(option);
  const { optionText, score, position } = option;
  return { copiedFrom, id, optionText, position, score };
};

const itself = (item: Identity): Identity => item;

/**
 * Returns the content of a request, which replaces the content `before`, and the faults that only the content before
 * reveals. Questions and options are sorted by position, and score ranges by minScore.
 */
export const contentFrom = (sent: SentQuestionnaire, before: Content, newId: NewId) => {
  const errors: FieldError[] = [];
  const previous = previousOf(sent.questions, before.questions);
  const question = identifying(before.questions, newId, errors);
  const optionsBefore = before.questions.flatMap(({ options }) => options);
  const option = identifying(optionsBefore, newId, errors);
  const questions = sent.questions.map((item, index): RecordedQuestion => {
    const { id, copiedFrom } = question(item, ['questions'], index);
    const { questionText, metadata, required, weight, position = index + 1 } = item;
    const { responseType, responseTypeInferred } = typeOf(item, previous[index]);
    const faults = [...faultsOf(responseType, item), ...faultsOfInteger(metadata, previous[index]?.metadata)];
    errors.push(...faults.map(({ path, ...fault }) => ({ path: ['questions', index, ...path], ...fault })));
    return {
      copiedFrom,
      id,
      metadata,
      options: optionsFrom(item.options, (sent, place) => option(sent, ['questions', index, 'options'], place)),
      position,
      questionText,
      required,
      responseType,
      responseTypeInferred,
      weight,
    };
  });
  const range = identifying(before.scoreRanges, newId, errors);
  const scoreRanges = sent.scoreRanges.map((item, index): RecordedScoreRange => {
    const { id, copiedFrom } = range(item, ['scoreRanges'], index);
    const { minScore, maxScore, classification } = item;
    return { classification, copiedFrom, id, maxScore, minScore };
  });
  return { content: { questions: byPosition(questions), scoreRanges: byScore(scoreRanges) }, errors };
};

/**
 * Returns the question before the request whose type each sent question keeps: the one with its id, or else with its
 * text if only one has it, or else at its position unless another sent question takes it.
 */
const previousOf = (sent: readonly SentQuestion[], questions: readonly RecordedQuestion[]) => {
  const known = namedBy(questions);
  const byText = new Map<string, RecordedQuestion | undefined>();
  for (const question of questions) {
    byText.set(question.questionText, byText.has(question.questionText) ? undefined : question);
  }
  const found = sent.map(({ id, questionText }) => known.get(id) ?? byText.get(questionText));
  const taken = new Set(found);
  const free = questions.filter((question) => !taken.has(question));
  const byPlace = new Map(free.map((question) => [question.position, question]));
  return sent.map(({ position }, index) => found[index] ?? byPlace.get(position ?? index + 1));
};

const optionsFrom = (sent: SentQuestion['options'], identify: (option: SentItem, index: number) => Identity) =>
  byPosition(
    sent.map((option, index): RecordedOption => {
      const { id, copiedFrom } = identify(option, index);
      const { optionText, score, position = index + 1 } = option;
      return { copiedFrom, id, optionText, position, score };
    }),
  );

/** Returns how sent items get their ids: new ones, or those of the items that they name, each of which only once. */
const identifying = (before: readonly Identity[], newId: NewId, errors: FieldError[]) => {
  const named = namedBy(before);
  const taken = new Set<string>();
  return ({ id }: SentItem, list: FieldError['path'], index: number): Identity => {
    const item = named.get(id);
    if (item === undefined) return { id: newId(), copiedFrom: null };
    const message = 'must not name the same item as an earlier id: its own id and that of its original are one';
    if (taken.has(item.id)) errors.push({ path: [...list, index, 'id'], code: 'duplicate', message });
    taken.add(item.id);
    return item;
  };
};

/** Returns the items by the ids that name them: their own, and those of their originals. */
const namedBy = <I extends Identity>(items: readonly I[]): ReadonlyMap<string | null | undefined, I> =>
  new Map([...items.map((item) => [item.copiedFrom, item] as const), ...items.map((item) => [item.id, item] as const)]);
