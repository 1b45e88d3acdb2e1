// Recognizes the events that the decisions of a protocol can have recorded in a state.
import { getById } from '../by-id.js';
import type { Permits } from '../decider.js';
import type { Form } from './form.js';
import { isOrderOf } from './positions.js';
import { ALLOWS_OPTIONS } from './response-type.js';
import type { ActiveProtocol, Protocol, protocolEvents } from './state.js';

const ofActive =
  <D>(test: (state: ActiveProtocol, data: D) => boolean) =>
  (state: Protocol, data: D): boolean =>
    state.status === 'active' && test(state, data);

const ofForm = <D extends { readonly formId: string }>(test: (form: Form, data: D, state: ActiveProtocol) => boolean) =>
  ofActive((state, data: D) => {
    const form = getById(state.forms, data.formId);
    return form !== undefined && test(form, data, state);
  });

const questionIn = ({ questions }: Form, questionId: string) => questions.find(({ id }) => id === questionId);

const isNew = ({ places }: ActiveProtocol, { id }: { readonly id: string }): boolean =>
  getById(places, id) === undefined;

export const protocolPermits: Permits<Protocol, typeof protocolEvents> = {
  ProtocolCreated: ({ status }) => status === 'unknown',
  ProtocolRevised: ofActive(() => true),
  ProtocolFormVersionCreated: ofActive(({ forms, latestFormId }, { formId, version, copiedFrom }) => {
    const latest = latestFormId === null ? undefined : getById(forms, latestFormId);
    const isNext = version === (latest?.version ?? 0) + 1 && copiedFrom === latestFormId;
    return isNext && getById(forms, formId) === undefined;
  }),
  ProtocolQuestionAdded: ofForm((_, { question }, state) => isNew(state, question)),
  ProtocolQuestionRevised: ofForm((form, { question }) => questionIn(form, question.id) !== undefined),
  ProtocolOptionAdded: ofForm(
    (form, { questionId, responseType, option }, state) =>
      questionIn(form, questionId) !== undefined && ALLOWS_OPTIONS[responseType] && isNew(state, option),
  ),
  ProtocolOptionRevised: ofForm((form, { questionId, option }) => {
    const options = questionIn(form, questionId)?.options ?? [];
    return options.some(({ id }) => id === option.id);
  }),
  ProtocolQuestionsReordered: ofForm(({ questions }, { questionIds }) => isOrderOf(questions, questionIds)),
  ProtocolOptionsReordered: ofForm((form, { questionId, optionIds }) => {
    const question = questionIn(form, questionId);
    return question !== undefined && isOrderOf(question.options, optionIds);
  }),
  ProtocolQuestionnaireReplaced: ofForm(() => true),
};
