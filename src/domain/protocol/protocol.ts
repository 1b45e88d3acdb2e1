// A clinical protocol of an institution: versioned forms with questions, options and score ranges.
import { z } from 'zod';
import { getById } from '../by-id.js';
import type { Decider, Of } from '../decider.js';
import { DomainError } from '../errors.js';
import { nameText, position, present, same, uuid } from '../fields.js';
import { uniqueValues } from '../rules.js';
import {
  evolveForm,
  type Form,
  type formEvents,
  formLimits,
  OptionContent,
  QuestionContent,
  type RecordedQuestion,
} from './form.js';
import { SentMetadata } from './metadata.js';
import { isInOrder, lastPosition, makeRoom, requireOrderOf } from './positions.js';
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
  SentContent,
} from './questionnaire.js';
import { ALLOWS_OPTIONS, faultsOf, typeOf } from './response-type.js';
import {
  type ActiveProtocol,
  active,
  evolveProtocol,
  formOf,
  optionOf,
  type Protocol,
  protocolEvents,
  questionOf,
} from './state.js';

const name = nameText(500);
const { prompt } = protocolEvents.ProtocolRevised.shape;
const created = { institutionId: uuid(), name, prompt: prompt.default(null) };
const revised = { name: name.optional(), prompt: prompt.optional() };
const lastByDefault = position()
  .optional()
  .describe(
    'If absent, the item is placed last. An item at this position moves down by one, as do those up to the next gap.',
  );

const orderOf = (maxItems: number) =>
  z
    .array(uuid())
    .max(maxItems)
    .superRefine(...uniqueValues)
    .describe('The ids of all items of the list in their new order.');

export const protocolCommands = {
  CreateProtocol: z.object(created),
  CreateQuestionnaire: z.object({ ...created, ...newQuestionnaire }),
  ReviseProtocol: z.object(revised),
  ReplaceQuestionnaire: z.object({ ...revised, formId: uuid(), ...replacingQuestionnaire }),
  CreateFormVersion: z.object({}),
  AddQuestion: SentContent.partial({ responseType: true }).extend({ formId: uuid(), position: lastByDefault }),
  ReviseQuestion: QuestionContent.extend({ metadata: SentMetadata }).partial().extend({ questionId: uuid() }),
  AddOption: OptionContent.extend({ questionId: uuid(), position: lastByDefault }),
  ReviseOption: OptionContent.partial().extend({ optionId: uuid() }),
  ReorderQuestions: z.object({ formId: uuid(), ids: orderOf(formLimits.questions) }),
  ReorderOptions: z.object({ questionId: uuid(), ids: orderOf(formLimits.options) }),
};

/** Throws if a question has bounds that its type does not take. */
const mustFitType = (question: Pick<RecordedQuestion, 'responseType' | 'metadata'>): void => {
  const errors = faultsOf(question.responseType, { metadata: question.metadata });
  if (errors.length > 0) throw new DomainError('fields-refused', { errors });
};

const before = (state: ActiveProtocol, form: Form | undefined): Before =>
  form === undefined ? nothingBefore : { form, isInferred: (id) => getById(state.inferred, id) ?? false };

const except = <I extends { readonly id: string }>(items: readonly I[], id: string) =>
  items.filter((item) => item.id !== id);

/**
 * Returns the event in a list. Throws `form-too-large` if the event makes its form larger than the limit. An event that
 * shrinks a form above the limit is allowed, so that the form can be repaired. `form` is undefined if the event creates
 * it.
 */
export const bounded = (form: Form | undefined, event: Of<typeof formEvents>): readonly [Of<typeof formEvents>] => {
  const bytes = bytesOf(evolveForm[event.type](form, event.data as never, UNRECORDED));
  if (bytes > formLimits.formBytes && bytes > bytesOf(form)) {
    throw new DomainError('form-too-large', { limit: formLimits.formBytes, bytes });
  }
  return [event];
};

// The size does not depend on dates or on the protocol.
const UNRECORDED = { id: '', at: '' };

// All ids have the same length. Values that the form does not determine count with their longest form.
const anyId = () => '00000000-0000-7000-8000-000000000000';
const NEXT_VERSION = { formId: anyId(), version: Number.MAX_SAFE_INTEGER, copiedFrom: anyId() };

/** Returns the size of the payload of the ProtocolFormVersionCreated that would copy the form. */
const bytesOf = (form: Form | undefined): number => {
  if (form === undefined) return 0;
  const copy = copyOf({ form, isInferred: () => false }, anyId);
  return Buffer.byteLength(JSON.stringify({ ...NEXT_VERSION, ...copy }));
};

export const protocol: Decider<Protocol, typeof protocolEvents, typeof protocolCommands> = {
  aggregate: 'protocol',
  events: protocolEvents,
  commands: protocolCommands,
  initialState: { status: 'unknown' },
  evolve: evolveProtocol,

  decide: {
    CreateProtocol: (_, data) => [{ type: 'ProtocolCreated', data }],

    CreateQuestionnaire: (_, { questions, scoreRanges, ...data }, { newId }) => [
      { type: 'ProtocolCreated', data },
      ...bounded(undefined, {
        type: 'ProtocolFormVersionCreated',
        data: {
          formId: newId(),
          version: 1,
          copiedFrom: null,
          questions: recordQuestions(questions, nothingBefore, newId).questions,
          scoreRanges: recordScoreRanges(scoreRanges, nothingBefore, newId),
        },
      }),
    ],

    ReviseProtocol: (state, changes) => {
      const { name, prompt } = active(state).fields;
      const data = { name, prompt, ...present(changes) };
      return same(data, { name, prompt }) ? [] : [{ type: 'ProtocolRevised', data }];
    },

    ReplaceQuestionnaire: (state, { formId, questions: sent, scoreRanges, ...changes }, { newId }) => {
      const { forms, fields } = active(state);
      const form = getById(forms, formId);
      if (form === undefined) {
        const message = 'does not name a form of this protocol';
        throw new DomainError('fields-refused', { errors: [{ path: ['formId'], code: 'not-found', message }] });
      }
      const previous = before(active(state), form);
      const { questions, errors } = recordQuestions(sent, previous, newId);
      if (errors.length > 0) throw new DomainError('fields-refused', { errors });
      const { name, prompt } = fields;
      const content = { questions, scoreRanges: recordScoreRanges(scoreRanges, previous, newId) };
      const data = { formId, name, prompt, ...present(changes), ...content };
      const unchanged = same(data, { formId, name, prompt, ...recordedContentOf(previous) });
      return unchanged ? [] : bounded(form, { type: 'ProtocolQuestionnaireReplaced', data });
    },

    CreateFormVersion: (state, _, { newId }) => {
      const { latestFormId, forms } = active(state);
      const latest = latestFormId === null ? undefined : getById(forms, latestFormId);
      const version = (latest?.version ?? 0) + 1;
      const copy = copyOf(before(active(state), latest), newId);
      const data = { formId: newId(), version, copiedFrom: latestFormId, ...copy };
      return bounded(undefined, { type: 'ProtocolFormVersionCreated', data });
    },

    AddQuestion: (state, { formId, ...sent }, { newId }) => {
      const form = formOf(state, formId);
      const { questions } = form;
      if (questions.length >= formLimits.questions)
        throw new DomainError('too-many-questions', { limit: formLimits.questions });
      const position = sent.position ?? lastPosition(questions);
      const question = {
        id: newId(),
        copiedFrom: null,
        ...sent,
        ...typeOf(sent),
        position,
        options: [],
      };
      mustFitType(question);
      const moved = makeRoom(questions, position);
      return bounded(form, { type: 'ProtocolQuestionAdded', data: { formId, question, moved } });
    },

    ReviseQuestion: (state, { questionId, ...changes }) => {
      const { form, question: previous } = questionOf(state, questionId);
      const inferred = getById(active(state).inferred, questionId) ?? false;
      const current = contentOf(previous, inferred);
      const { options } = previous;
      const { metadata = current.metadata } = changes;
      const type = typeOf({ responseType: changes.responseType, options, metadata }, current);
      const question = { ...current, ...present(changes), ...type };
      if (options.length > 0 && !ALLOWS_OPTIONS[question.responseType]) {
        throw new DomainError('options-not-taken', { questionId, responseType: question.responseType });
      }
      mustFitType(question);
      if (same(question, current)) return [];
      const moved = makeRoom(except(form.questions, questionId), question.position);
      return bounded(form, { type: 'ProtocolQuestionRevised', data: { formId: form.id, question, moved } });
    },

    AddOption: (state, { questionId, optionText, score, ...sent }, { newId }) => {
      const { form, question } = questionOf(state, questionId);
      const becomesSelect = question.responseType === 'TEXT' && (getById(active(state).inferred, questionId) ?? false);
      const responseType = becomesSelect ? 'SELECT' : question.responseType;
      if (!ALLOWS_OPTIONS[responseType]) throw new DomainError('options-not-taken', { questionId, responseType });
      if (question.options.length >= formLimits.options)
        throw new DomainError('too-many-options', { limit: formLimits.options });
      const position = sent.position ?? lastPosition(question.options);
      const option = { id: newId(), copiedFrom: null, optionText, score, position };
      const moved = makeRoom(question.options, position);
      const data = { formId: form.id, questionId, responseType, option, moved };
      return bounded(form, { type: 'ProtocolOptionAdded', data });
    },

    ReviseOption: (state, { optionId, ...changes }) => {
      const { form, question, option: previous } = optionOf(state, optionId);
      const option = { ...optionContentOf(previous), ...present(changes) };
      if (same(option, optionContentOf(previous))) return [];
      const moved = makeRoom(except(question.options, optionId), option.position);
      const data = { formId: form.id, questionId: question.id, option, moved };
      return bounded(form, { type: 'ProtocolOptionRevised', data });
    },

    ReorderQuestions: (state, { formId, ids: questionIds }) => {
      const form = formOf(state, formId);
      requireOrderOf(form.questions, questionIds);
      if (isInOrder(form.questions, questionIds)) return [];
      return bounded(form, { type: 'ProtocolQuestionsReordered', data: { formId, questionIds } });
    },

    ReorderOptions: (state, { questionId, ids: optionIds }) => {
      const { form, question } = questionOf(state, questionId);
      requireOrderOf(question.options, optionIds);
      if (isInOrder(question.options, optionIds)) return [];
      return bounded(form, { type: 'ProtocolOptionsReordered', data: { formId: form.id, questionId, optionIds } });
    },
  },
};
