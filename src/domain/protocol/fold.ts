// The state of a protocol: the folds of its events, and the lookups of its forms and their items. The read model of
// protocols uses the same folds.
import { type ById, emptyById, getById, setById } from '../by-id.js';
import { derived, type EventContext, type Evolve, type Known, type Unknown } from '../decider.js';
import { DomainError } from '../errors.js';
import { same } from '../fields.js';
import { allItems, type Content, newOption, newQuestion, newScoreRange } from './content.js';
import { arranged, byPosition, byScore, placesOf } from './positions.js';
import type { Form, FormQuestion, formEvents, ProtocolFields, protocolEvents, RecordedQuestion } from './schemas.js';

export interface ActiveProtocol extends Known<ProtocolFields> {
  readonly forms: ById<Form>;
  /** The ids of the forms in the order of their versions, which are 1 to n. */
  readonly versions: readonly string[];
  /** Every question, and the question of every option, including those that were removed. */
  readonly questions: ById<{ readonly formId: string; readonly isInferred: boolean }>;
  readonly options: ById<string>;
  /** The first original of every question, option and score range that was copied from a form of this protocol. */
  readonly origins: ById<string>;
}
export type Protocol = Unknown | ActiveProtocol;

/** Folds the protocol's own fields. `updatedAt` changes only if one of them changes. */
export const evolveProtocolFields: Evolve<
  ProtocolFields | undefined,
  Pick<
    typeof protocolEvents,
    'ProtocolCreated' | 'ProtocolRevised' | 'ProtocolQuestionnaireReplaced' | 'ProtocolArchived' | 'ProtocolRestored'
  >
> = {
  ProtocolCreated: (_, data, { id, at }) => ({ id, ...data, createdAt: at, updatedAt: at }),
  ProtocolRevised: (fields, data, { at }) => fields && { ...fields, ...data, updatedAt: at },
  ProtocolQuestionnaireReplaced: (fields, { name, prompt }, { at }) =>
    fields === undefined || (fields.name === name && fields.prompt === prompt)
      ? fields
      : { ...fields, name, prompt, updatedAt: at },
  ProtocolArchived: (fields, _, { at }) => fields && { ...fields, updatedAt: at, archived: true },
  ProtocolRestored: (fields, _, { at }) => {
    if (fields === undefined) return undefined;
    const { archived: __, ...kept } = fields;
    return { ...kept, updatedAt: at };
  },
};

/** Folds a form. An unknown form stays unknown until ProtocolFormVersionCreated. */
export const evolveForm: Evolve<Form | undefined, typeof formEvents> = {
  ProtocolFormVersionCreated: (_, { formId, version, copiedFrom, questions, scoreRanges }, { id, at }) => {
    const dates = { createdAt: at, updatedAt: at };
    const head = { id: formId, protocolId: id, version, copiedFrom, status: 'DRAFT', ...dates } as const;
    return withContent({ ...head, questions: [], scoreRanges: [] }, { questions, scoreRanges }, at);
  },
  ProtocolQuestionAdded: (form, { formId, question, moved }, { at }) =>
    reviseForm(form, at, (questions) => arranged([...questions, newQuestion(question, formId, at)], moved, at)),
  ProtocolQuestionRevised: (form, { question: { responseTypeInferred: _, ...content }, moved }, { at }) =>
    reviseForm(form, at, (questions) => arranged(replaced(questions, content, at), moved, at)),
  ProtocolOptionAdded: (form, { questionId, responseType, option, moved }, { at }) =>
    reviseQuestion(form, questionId, at, ({ options }) => ({
      responseType,
      options: arranged([...options, newOption(option, questionId, at)], moved, at),
    })),
  ProtocolOptionRevised: (form, { questionId, option, moved }, { at }) =>
    reviseQuestion(form, questionId, at, ({ options }) => ({
      options: arranged(replaced(options, option, at), moved, at),
    })),
  ProtocolQuestionsReordered: (form, { questionIds }, { at }) =>
    reviseForm(form, at, (questions) => arranged(questions, placesOf(questionIds), at)),
  ProtocolOptionsReordered: (form, { questionId, optionIds }, { at }) =>
    reviseQuestion(form, questionId, at, ({ options }) => ({ options: arranged(options, placesOf(optionIds), at) })),
  ProtocolQuestionnaireReplaced: (form, { questions, scoreRanges }, { at }) =>
    form && withContent({ ...form, updatedAt: at }, { questions, scoreRanges }, at),
  ProtocolQuestionRemoved: (form, { questionId }, { at }) =>
    reviseForm(form, at, (questions) => without(questions, questionId)),
  ProtocolOptionRemoved: (form, { questionId, optionId }, { at }) =>
    reviseQuestion(form, questionId, at, ({ options }) => ({ options: without(options, optionId) })),
  ProtocolFormPublished: (form, _, { at }) => form && { ...form, status: 'PUBLISHED', updatedAt: at },
  ProtocolFormRetired: (form, _, { at }) => form && { ...form, status: 'RETIRED', updatedAt: at },
};

/** Folds an event of a form: the form, and what else of the state `also` changes. */
const inForm =
  <Data extends { readonly formId: string }>(
    fold: (form: Form | undefined, data: Data, on: EventContext) => Form | undefined,
    also: (state: ActiveProtocol, data: Data, on: EventContext) => ActiveProtocol = (state) => state,
  ) =>
  (state: Protocol, data: Data, on: EventContext): Protocol => {
    if (state.status === 'unknown') return state;
    const form = fold(getById(state.forms, data.formId), data, on);
    return form === undefined ? state : also({ ...state, forms: setById(state.forms, form.id, form) }, data, on);
  };

const evolveFields = derived(
  evolveProtocolFields,
  (fold) =>
    (state: Protocol, data, on): Protocol =>
      state.status === 'unknown' ? state : { ...state, fields: fold(state.fields, data, on) ?? state.fields },
);

export const evolveProtocol: Evolve<Protocol, typeof protocolEvents> = {
  ...evolveFields,
  ...derived(evolveForm, (fold) => inForm(fold)),
  ProtocolCreated: (_, data, on) => ({
    status: 'active',
    fields: { id: on.id, ...data, createdAt: on.at, updatedAt: on.at },
    forms: emptyById,
    versions: [],
    questions: emptyById,
    options: emptyById,
    origins: emptyById,
  }),
  ProtocolFormVersionCreated: inForm(evolveForm.ProtocolFormVersionCreated, (state, data) => ({
    ...withQuestions(state, data.formId, data.questions),
    versions: [...state.versions, data.formId],
    origins: originsAfter(state, data),
  })),
  ProtocolQuestionAdded: inForm(evolveForm.ProtocolQuestionAdded, (state, { formId, question }) =>
    withQuestions(state, formId, [question]),
  ),
  ProtocolQuestionRevised: inForm(evolveForm.ProtocolQuestionRevised, (state, { formId, question }) =>
    withQuestions(state, formId, [{ ...question, options: [] }]),
  ),
  ProtocolOptionAdded: inForm(evolveForm.ProtocolOptionAdded, (state, { questionId, option }) => ({
    ...state,
    options: setById(state.options, option.id, questionId),
  })),
  ProtocolQuestionnaireReplaced: inForm(evolveForm.ProtocolQuestionnaireReplaced, (state, data, on) => ({
    ...withQuestions(state, data.formId, data.questions),
    fields: evolveProtocolFields.ProtocolQuestionnaireReplaced(state.fields, data, on) ?? state.fields,
  })),
};

const withQuestions = (state: ActiveProtocol, formId: string, recorded: readonly RecordedQuestion[]) => {
  let { questions, options } = state;
  for (const { id, responseTypeInferred: isInferred, options: ofQuestion } of recorded) {
    questions = setById(questions, id, { formId, isInferred });
    for (const option of ofQuestion) options = setById(options, option.id, id);
  }
  return { ...state, questions, options };
};

/** Returns the origins after a copy. A form that was not copied from a form of this protocol has only originals. */
const originsAfter = (state: ActiveProtocol, copy: Content & Pick<Form, 'copiedFrom'>): ById<string> =>
  copy.copiedFrom === null || getById(state.forms, copy.copiedFrom) === undefined
    ? state.origins
    : allItems(copy).reduce(
        (origins, { id, copiedFrom }) => setById(origins, id, originIn(state, copiedFrom ?? id)),
        state.origins,
      );

/**
 * Returns the first original in this protocol of a question, an option or a score range, also if either was removed. An
 * item that was not copied is its own original.
 */
export const originIn = ({ origins }: ActiveProtocol, id: string): string => getById(origins, id) ?? id;

/** Returns the protocol. Throws `protocol-not-found` if it does not exist. */
export const active = (state: Protocol): ActiveProtocol => {
  if (state.status === 'unknown') throw new DomainError('protocol-not-found', {});
  return state;
};

/** Returns the form with the highest version; null if the protocol has no form. */
export const latestFormOf = (state: Protocol): Form | null => {
  const { forms, versions } = active(state);
  return getById(forms, versions.at(-1) ?? '') ?? null;
};

/** Returns the published form with the highest version. Throws `no-published-form` if no form is published. */
export const currentFormOf = (state: Protocol): Form => {
  const { forms, versions } = active(state);
  const published = versions.findLast((id) => getById(forms, id)?.status === 'PUBLISHED');
  if (published === undefined) throw new DomainError('no-published-form', {});
  return formOf(state, published);
};

/** Returns the form of a version. Throws `form-not-found` if it does not exist. */
export const formOfVersion = (state: Protocol, version: number): Form => {
  const formId = active(state).versions[version - 1];
  if (formId === undefined) throw new DomainError('form-not-found', { version });
  return formOf(state, formId);
};

/** Returns a form. Throws `form-not-found` if it does not exist. */
export const formOf = (state: Protocol, formId: string): Form => {
  const form = getById(active(state).forms, formId);
  if (form === undefined) throw new DomainError('form-not-found', { formId });
  return form;
};

/** Returns a question, its form, and whether its type was inferred. Throws `question-not-found` if it does not exist. */
export const questionOf = (state: Protocol, questionId: string) => {
  const found = questionIn(active(state), questionId);
  if (found === undefined) throw new DomainError('question-not-found', { questionId });
  return found;
};

/** Returns an option, its question and its form. Throws `option-not-found` if it does not exist. */
export const optionOf = (state: Protocol, optionId: string) => {
  const { options } = active(state);
  const found = questionIn(active(state), getById(options, optionId));
  const option = found?.question.options.find(({ id }) => id === optionId);
  if (found === undefined || option === undefined) throw new DomainError('option-not-found', { optionId });
  return { ...found, option };
};

const questionIn = ({ forms, questions }: ActiveProtocol, questionId = '') => {
  const place = getById(questions, questionId);
  const form = place && getById(forms, place.formId);
  const question = form?.questions.find(({ id }) => id === questionId);
  return form && question && { form, question, isInferred: place.isInferred };
};

/** Keeps the createdAt of items that existed before, and their updatedAt if their content is unchanged. */
const withContent = (form: Form, { questions, scoreRanges }: Content, at: string): Form => {
  const before = new Map<string, Dated>(allItems(form).map((item) => [item.id, item]));
  const dated = <I extends Dated>(item: I): I => {
    const previous = before.get(item.id);
    if (previous === undefined) return item;
    const kept = { ...item, createdAt: previous.createdAt, updatedAt: previous.updatedAt };
    return same(kept, previous) ? kept : { ...kept, updatedAt: at };
  };
  const datedQuestion = (question: FormQuestion): FormQuestion =>
    before.size === 0 ? question : dated({ ...question, options: question.options.map(dated) });
  return {
    ...form,
    questions: byPosition(questions.map((question) => datedQuestion(newQuestion(question, form.id, at)))),
    scoreRanges: byScore(scoreRanges.map((range) => dated(newScoreRange(range, form.id, at)))),
  };
};

type Dated = Pick<Form, 'id' | 'createdAt' | 'updatedAt'>;

const reviseForm = (
  form: Form | undefined,
  at: string,
  revise: (questions: readonly FormQuestion[]) => readonly FormQuestion[],
): Form | undefined => form && { ...form, updatedAt: at, questions: revise(form.questions) };

const reviseQuestion = (
  form: Form | undefined,
  questionId: string,
  at: string,
  revise: (question: FormQuestion) => Partial<FormQuestion>,
): Form | undefined =>
  reviseForm(form, at, (questions) =>
    questions.map((question) =>
      question.id === questionId ? { ...question, ...revise(question), updatedAt: at } : question,
    ),
  );

export const without = <I extends { readonly id: string }>(items: readonly I[], id: string): I[] =>
  items.filter((item) => item.id !== id);

const replaced = <I extends Dated>(items: readonly I[], content: Partial<I> & { id: string }, at: string) =>
  items.map((item) => (item.id === content.id ? { ...item, ...content, updatedAt: at } : item));
