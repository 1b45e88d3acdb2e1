// A clinical protocol: what an institution asks, as versioned forms of questions, options and score ranges.
import { z } from 'zod';
import { type ById, getById, noneById, setById } from './by-id.js';
import type { Decider, Evolve, Occasion } from './decider.js';
import { DomainError } from './errors.js';
import { position, present, same, uuid, visibleText } from './fields.js';
import {
  evolveForm,
  type Form,
  formEvents,
  limits,
  OptionContent,
  QuestionContent,
  type RecordedQuestion,
} from './form.js';
import { lastPosition, makeRoom } from './positions.js';
import {
  type Before,
  contentOf,
  copyOf,
  newQuestionnaire,
  nothingBefore,
  optionContentOf,
  recordedContentOf,
  recordQuestions,
  recordScoreRanges,
  replacingQuestionnaire,
  SentMetadata,
} from './questionnaire.js';
import { inferResponseType, TAKES_OPTIONS } from './response-type.js';

const name = visibleText(500);
const prompt = z.string().max(100_000).nullable();

export const protocolEvents = {
  ProtocolCreated: z.object({ institutionId: uuid(), name, prompt }),
  ProtocolRevised: z.object({ name, prompt }),
  ...formEvents,
};

const created = { institutionId: uuid(), name, prompt: prompt.default(null) };
const revised = { name: name.optional(), prompt: prompt.optional() };
const lastByDefault = position().optional().describe('Absent: last. A taken one pushes the rest down by one.');
const sentQuestion = {
  questionText: QuestionContent.shape.questionText,
  responseType: QuestionContent.shape.responseType.optional(),
  metadata: SentMetadata,
  required: z.boolean(),
  weight: QuestionContent.shape.weight,
};

export const protocolCommands = {
  CreateProtocol: z.object(created),
  CreateQuestionnaire: z.object({ ...created, ...newQuestionnaire }),
  ReviseProtocol: z.object(revised),
  ReplaceQuestionnaire: z.object({ ...revised, formId: uuid(), ...replacingQuestionnaire }),
  CreateFormVersion: z.object({}),
  AddQuestion: z.object({
    formId: uuid(),
    ...sentQuestion,
    metadata: SentMetadata.default({}),
    required: z.boolean().default(false),
    weight: QuestionContent.shape.weight.default(1),
    position: lastByDefault,
  }),
  ReviseQuestion: z.object({
    questionId: uuid(),
    ...z.object(sentQuestion).partial().shape,
    position: position().optional(),
  }),
  AddOption: OptionContent.extend({ questionId: uuid(), position: lastByDefault }),
  ReviseOption: OptionContent.partial().extend({ optionId: uuid() }),
};

/** A protocol as it is answered. */
export interface ProtocolFields {
  readonly id: string;
  readonly institutionId: string;
  readonly name: string;
  readonly prompt: string | null;
  readonly createdAt: string;
  readonly updatedAt: string;
}

interface Place {
  readonly formId: string;
  readonly questionId: string;
}

export interface ActiveProtocol {
  readonly status: 'active';
  readonly fields: ProtocolFields;
  readonly latestFormId: string | null;
  readonly forms: ById<Form>;
  /** Where the question or the option with this id stands, or stood before a replace took it away. */
  readonly places: ById<Place>;
  /** Whether the response type of the question with this id was concluded. */
  readonly inferred: ById<boolean>;
}
export type Protocol = { readonly status: 'unknown' } | ActiveProtocol;

/** Folds a protocol's own fields; `updatedAt` changes only with them. */
export const evolveProtocolFields: Evolve<
  ProtocolFields | undefined,
  Pick<typeof protocolEvents, 'ProtocolCreated' | 'ProtocolRevised' | 'ProtocolQuestionnaireReplaced'>
> = {
  ProtocolCreated: (_, data, { id, at }) => ({ id, ...data, createdAt: at, updatedAt: at }),
  ProtocolRevised: (fields, data, { at }) => fields && { ...fields, ...data, updatedAt: at },
  ProtocolQuestionnaireReplaced: (fields, { name, prompt }, { at }) =>
    fields === undefined || (fields.name === name && fields.prompt === prompt)
      ? fields
      : { ...fields, name, prompt, updatedAt: at },
};

const withFields = (state: Protocol, fields: ProtocolFields | undefined): Protocol =>
  state.status === 'unknown' || fields === undefined ? state : { ...state, fields };

const fieldsOf = (state: Protocol) => (state.status === 'unknown' ? undefined : state.fields);

type FormEvent = keyof typeof formEvents;

/** Folds an event of a form into that form and remembers where its questions and options stand. */
const inForm =
  <T extends FormEvent>(type: T) =>
  (state: Protocol, data: z.infer<(typeof formEvents)[T]>, on: Occasion): Protocol => {
    if (state.status === 'unknown') return state;
    const form = evolveForm[type](getById(state.forms, data.formId), data as never, on);
    return form === undefined ? state : { ...state, forms: setById(state.forms, form.id, form) };
  };

const withPlaces = (state: Protocol, formId: string, questions: readonly RecordedQuestion[]): Protocol => {
  if (state.status === 'unknown') return state;
  let { places, inferred } = state;
  for (const question of questions) {
    const place = { formId, questionId: question.id };
    places = setById(places, question.id, place);
    inferred = setById(inferred, question.id, question.responseTypeInferred);
    for (const option of question.options) places = setById(places, option.id, place);
  }
  return { ...state, places, inferred };
};

const evolve: Evolve<Protocol, typeof protocolEvents> = {
  ProtocolCreated: (_, data, on) => ({
    status: 'active',
    fields: { id: on.id, ...data, createdAt: on.at, updatedAt: on.at },
    latestFormId: null,
    forms: noneById,
    places: noneById,
    inferred: noneById,
  }),
  ProtocolRevised: (state, data, on) =>
    withFields(state, evolveProtocolFields.ProtocolRevised(fieldsOf(state), data, on)),
  ProtocolFormVersionCreated: (state, data, on) => {
    const next = withPlaces(inForm('ProtocolFormVersionCreated')(state, data, on), data.formId, data.questions);
    return next.status === 'unknown' ? next : { ...next, latestFormId: data.formId };
  },
  ProtocolQuestionAdded: (state, data, on) =>
    withPlaces(inForm('ProtocolQuestionAdded')(state, data, on), data.formId, [data.question]),
  ProtocolQuestionRevised: (state, data, on) =>
    withPlaces(inForm('ProtocolQuestionRevised')(state, data, on), data.formId, [{ ...data.question, options: [] }]),
  ProtocolOptionAdded: (state, data, on) => {
    const next = inForm('ProtocolOptionAdded')(state, data, on);
    const place = { formId: data.formId, questionId: data.questionId };
    return next.status === 'unknown' ? next : { ...next, places: setById(next.places, data.option.id, place) };
  },
  ProtocolOptionRevised: inForm('ProtocolOptionRevised'),
  ProtocolQuestionnaireReplaced: (state, data, on) => {
    const next = withPlaces(inForm('ProtocolQuestionnaireReplaced')(state, data, on), data.formId, data.questions);
    return withFields(next, evolveProtocolFields.ProtocolQuestionnaireReplaced(fieldsOf(next), data, on));
  },
};

const active = (state: Protocol): ActiveProtocol => {
  if (state.status === 'unknown') throw new DomainError('protocol-not-found', {});
  return state;
};

/** The form with this id, or a refusal. */
export const formOf = (state: Protocol, formId: string): Form => {
  const form = getById(active(state).forms, formId);
  if (form === undefined) throw new DomainError('form-not-found', { formId });
  return form;
};

/** The question with this id and its form, or a refusal. */
export const questionOf = (state: Protocol, questionId: string) => {
  const place = getById(active(state).places, questionId);
  const form = place && formOf(state, place.formId);
  const question = form?.questions.find(({ id }) => id === questionId);
  if (form === undefined || question === undefined) throw new DomainError('question-not-found', { questionId });
  return { form, question };
};

/** The option with this id and its question, or a refusal. */
export const optionOf = (state: Protocol, optionId: string) => {
  const place = getById(active(state).places, optionId);
  const form = place && formOf(state, place.formId);
  const question = form?.questions.find(({ id }) => id === place?.questionId);
  const option = question?.options.find(({ id }) => id === optionId);
  if (form === undefined || question === undefined || option === undefined) {
    throw new DomainError('option-not-found', { optionId });
  }
  return { form, question, option };
};

const before = (state: ActiveProtocol, form: Form | undefined): Before =>
  form === undefined ? nothingBefore : { form, isInferred: (id) => getById(state.inferred, id) ?? false };

const except = <I extends { readonly id: string }>(items: readonly I[], id: string) =>
  items.filter((item) => item.id !== id);

/** The decisions of a protocol. */
export const protocol: Decider<Protocol, typeof protocolEvents, typeof protocolCommands> = {
  aggregate: 'protocol',
  events: protocolEvents,
  commands: protocolCommands,
  initialState: { status: 'unknown' },
  evolve,

  decide: {
    CreateProtocol: (_, data) => [{ type: 'ProtocolCreated', data }],

    CreateQuestionnaire: (_, { questions, scoreRanges, ...data }, { newId }) => [
      { type: 'ProtocolCreated', data },
      {
        type: 'ProtocolFormVersionCreated',
        data: {
          formId: newId(),
          version: 1,
          copiedFrom: null,
          questions: recordQuestions(questions, nothingBefore, newId).questions,
          scoreRanges: recordScoreRanges(scoreRanges, nothingBefore, newId),
        },
      },
    ],

    ReviseProtocol: (state, wanted) => {
      const { name, prompt } = active(state).fields;
      const data = { name, prompt, ...present(wanted) };
      return same(data, { name, prompt }) ? [] : [{ type: 'ProtocolRevised', data }];
    },

    ReplaceQuestionnaire: (state, { formId, questions: sent, scoreRanges, ...wanted }, { newId }) => {
      const { forms, fields } = active(state);
      const form = getById(forms, formId);
      if (form === undefined) {
        const message = 'names no form of this protocol';
        throw new DomainError('fields-refused', { errors: [{ path: ['formId'], code: 'not-found', message }] });
      }
      const was = before(active(state), form);
      const { questions, errors } = recordQuestions(sent, was, newId);
      if (errors.length > 0) throw new DomainError('fields-refused', { errors });
      const { name, prompt } = fields;
      const content = { questions, scoreRanges: recordScoreRanges(scoreRanges, was, newId) };
      const data = { formId, name, prompt, ...present(wanted), ...content };
      const unchanged = same(data, { formId, name, prompt, ...recordedContentOf(was) });
      return unchanged ? [] : [{ type: 'ProtocolQuestionnaireReplaced', data }];
    },

    CreateFormVersion: (state, _, { newId }) => {
      const { latestFormId, forms } = active(state);
      const latest = latestFormId === null ? undefined : getById(forms, latestFormId);
      const version = (latest?.version ?? 0) + 1;
      const copy = copyOf(before(active(state), latest), newId);
      const data = { formId: newId(), version, copiedFrom: latestFormId, ...copy };
      return [{ type: 'ProtocolFormVersionCreated', data }];
    },

    AddQuestion: (state, { formId, ...sent }, { newId }) => {
      const { questions } = formOf(state, formId);
      if (questions.length >= limits.questions)
        throw new DomainError('too-many-questions', { limit: limits.questions });
      const position = sent.position ?? lastPosition(questions);
      const question = {
        id: newId(),
        copiedFrom: null,
        ...sent,
        responseType: sent.responseType ?? inferResponseType(sent),
        responseTypeInferred: sent.responseType === undefined,
        position,
        options: [],
      };
      return [{ type: 'ProtocolQuestionAdded', data: { formId, question, moved: makeRoom(questions, position) } }];
    },

    ReviseQuestion: (state, { questionId, ...wanted }) => {
      const { form, question: was } = questionOf(state, questionId);
      const inferred = getById(active(state).inferred, questionId) ?? false;
      const current = contentOf(was, inferred);
      const responseTypeInferred = inferred && wanted.responseType === undefined;
      const question = { ...current, ...present(wanted), responseTypeInferred };
      if (was.options.length > 0 && !TAKES_OPTIONS[question.responseType]) {
        throw new DomainError('options-not-taken', { questionId, responseType: question.responseType });
      }
      if (same(question, current)) return [];
      const moved = makeRoom(except(form.questions, questionId), question.position);
      return [{ type: 'ProtocolQuestionRevised', data: { formId: form.id, question, moved } }];
    },

    AddOption: (state, { questionId, optionText, score, ...sent }, { newId }) => {
      const { form, question } = questionOf(state, questionId);
      const becomesSelect = question.responseType === 'TEXT' && (getById(active(state).inferred, questionId) ?? false);
      const responseType = becomesSelect ? 'SELECT' : question.responseType;
      if (!TAKES_OPTIONS[responseType]) throw new DomainError('options-not-taken', { questionId, responseType });
      if (question.options.length >= limits.options)
        throw new DomainError('too-many-options', { limit: limits.options });
      const position = sent.position ?? lastPosition(question.options);
      const option = { id: newId(), copiedFrom: null, optionText, score, position };
      const moved = makeRoom(question.options, position);
      return [{ type: 'ProtocolOptionAdded', data: { formId: form.id, questionId, responseType, option, moved } }];
    },

    ReviseOption: (state, { optionId, ...wanted }) => {
      const { form, question, option: was } = optionOf(state, optionId);
      const option = { ...optionContentOf(was), ...present(wanted) };
      if (same(option, optionContentOf(was))) return [];
      const moved = makeRoom(except(question.options, optionId), option.position);
      return [{ type: 'ProtocolOptionRevised', data: { formId: form.id, questionId: question.id, option, moved } }];
    },
  },
};
