// The state of a protocol: its events, their fold, and the lookup of forms, questions and options.
import { z } from 'zod';
import { type ById, emptyById, getById, setById } from '../by-id.js';
import type { EventContext, Evolve } from '../decider.js';
import { DomainError } from '../errors.js';
import { dated, uuid } from '../fields.js';
import { evolveForm, type Form, formEvents, protocolContent, type RecordedQuestion } from './form.js';

export const protocolEvents = {
  ProtocolCreated: z.object({ institutionId: uuid(), ...protocolContent }),
  ProtocolRevised: z.object(protocolContent),
  ...formEvents,
};

/** A protocol as responses show it, without its forms. */
export const ProtocolFields = z.object(dated(protocolEvents.ProtocolCreated.shape)).meta({ id: 'Protocol' });
export type ProtocolFields = z.infer<typeof ProtocolFields>;

interface Place {
  readonly formId: string;
  readonly questionId: string;
}

export interface ActiveProtocol {
  readonly status: 'active';
  readonly fields: ProtocolFields;
  readonly latestFormId: string | null;
  readonly forms: ById<Form>;
  /** The place of each question and option, including those that a replacement has removed. */
  readonly places: ById<Place>;
  readonly inferred: ById<boolean>;
}
export type Protocol = { readonly status: 'unknown' } | ActiveProtocol;

/** Folds the protocol's own fields. `updatedAt` changes only if one of them changes. */
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

const inForm =
  <T extends FormEvent>(type: T) =>
  (state: Protocol, data: z.infer<(typeof formEvents)[T]>, on: EventContext): Protocol => {
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

export const evolveProtocol: Evolve<Protocol, typeof protocolEvents> = {
  ProtocolCreated: (_, data, on) => ({
    status: 'active',
    fields: { id: on.id, ...data, createdAt: on.at, updatedAt: on.at },
    latestFormId: null,
    forms: emptyById,
    places: emptyById,
    inferred: emptyById,
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
  ProtocolQuestionsReordered: inForm('ProtocolQuestionsReordered'),
  ProtocolOptionsReordered: inForm('ProtocolOptionsReordered'),
  ProtocolQuestionnaireReplaced: (state, data, on) => {
    const next = withPlaces(inForm('ProtocolQuestionnaireReplaced')(state, data, on), data.formId, data.questions);
    return withFields(next, evolveProtocolFields.ProtocolQuestionnaireReplaced(fieldsOf(next), data, on));
  },
};

/** Returns the protocol. Throws `protocol-not-found` if it does not exist. */
export const active = (state: Protocol): ActiveProtocol => {
  if (state.status === 'unknown') throw new DomainError('protocol-not-found', {});
  return state;
};

/** Returns a form. Throws `form-not-found` if it does not exist. */
export const formOf = (state: Protocol, formId: string): Form => {
  const form = getById(active(state).forms, formId);
  if (form === undefined) throw new DomainError('form-not-found', { formId });
  return form;
};

/** Returns a question and its form. Throws `question-not-found` if it does not exist. */
export const questionOf = (state: Protocol, questionId: string) => {
  const place = getById(active(state).places, questionId);
  const form = place && formOf(state, place.formId);
  const question = form?.questions.find(({ id }) => id === questionId);
  if (form === undefined || question === undefined) throw new DomainError('question-not-found', { questionId });
  return { form, question };
};

/** Returns an option, its question and its form. Throws `option-not-found` if it does not exist. */
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
