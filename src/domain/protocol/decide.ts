// A clinical protocol of an institution: versioned forms with questions, options and score ranges.
import type { z } from 'zod';
import { emptyById } from '../by-id.js';
import type { Circumstances, Decide, Decider, Of } from '../decider.js';
import { DomainError } from '../errors.js';
import { present, same } from '../fields.js';
import { contentFrom, contentOf, noContent, optionContentOf, questionContentOf } from './content.js';
import { copied, namedForm, sourceIn } from './copies.js';
import {
  type ActiveProtocol,
  active,
  evolveForm,
  evolveProtocol,
  formOf,
  optionOf,
  type Protocol,
  questionOf,
  without,
} from './fold.js';
import { changeable, decideLife, unarchived } from './life.js';
import { faultsOfInteger } from './metadata.js';
import { isInOrder, lastPosition, makeRoom, requireOrderOf } from './positions.js';
import { ALLOWS_OPTIONS, faultsOf, typeOf } from './response-type.js';
import {
  type Form,
  type formChanges,
  type formCommands,
  type formEvents,
  formLimits,
  protocolCommands,
  protocolEvents,
  type RecordedQuestion,
} from './schemas.js';

type Typed = Pick<RecordedQuestion, 'responseType' | 'metadata'>;

/** Throws if a question has bounds that its type does not take, or another `integer` than before that is no boolean. */
const mustFitType = ({ responseType, metadata }: Typed, before?: Typed): void => {
  const errors = [...faultsOf(responseType, { metadata }), ...faultsOfInteger(metadata, before?.metadata)];
  if (errors.length > 0) throw new DomainError('fields-refused', { errors });
};

/**
 * Returns the event in a list. Throws `form-too-large` if the event makes its form larger than the limit. An event that
 * shrinks a form above the limit is allowed, so that the form can be repaired. `form` is undefined if the event creates
 * it.
 */
const bounded = <E extends Of<typeof formEvents>>(form: Form | undefined, event: E): readonly [E] => {
  if (form === undefined && isShort(event.data)) return [event];
  const bytes = bytesOf(evolveForm[event.type](form, event.data as never, UNRECORDED));
  if (bytes > formLimits.formBytes && bytes > bytesOf(form)) {
    throw new DomainError('form-too-large', { limit: formLimits.formBytes, bytes });
  }
  return [event];
};

/** Returns whether a new form is surely within the limit, without its JSON text. */
const isShort = (data: object): boolean => mostBytes(data) < formLimits.formBytes;

// At least the bytes of a number with its punctuation, and of the two ids that an item has in a copy.
const [NUMBER, IDS] = [32, 128];

/** Returns at least the size of the value in a copy of its form. JSON writes a unit of a text in at most 6 bytes. */
const mostBytes = (value: unknown): number => {
  if (typeof value === 'string') return NUMBER + 6 * value.length;
  if (typeof value !== 'object' || value === null) return NUMBER;
  let bytes = IDS;
  for (const [name, member] of Object.entries(value)) bytes += 6 * name.length + mostBytes(member);
  return bytes;
};

// The size does not depend on dates or on the protocol.
const UNRECORDED = { id: '', at: '' };

// All ids have the same length. Values that the form does not determine count with their longest form.
const anyId = () => '00000000-0000-7000-8000-000000000000';
const NEXT_VERSION = { formId: anyId(), version: Number.MAX_SAFE_INTEGER, copiedFrom: anyId() };
const utf8 = new TextEncoder();
const sizeOf = (payload: object): number => utf8.encode(JSON.stringify(payload)).length;

/** Returns the size of the payload of the ProtocolFormVersionCreated that would copy the form. */
const bytesOf = (form: Form | undefined): number => {
  if (form === undefined) return 0;
  const copy = contentOf(form, emptyById, () => ({ id: anyId(), copiedFrom: anyId() }));
  return sizeOf({ ...NEXT_VERSION, ...copy });
};

type Change = Of<typeof formChanges>;

/** A command that changes a form: what it changes, and the event, which is undefined if nothing changes. */
interface FormChange<Data> {
  readonly find: (state: ActiveProtocol, data: Data) => { readonly form: Form };
  readonly change: (found: never, data: Data, newId: () => string) => Change | undefined;
}

const on =
  <Key, Found extends { readonly form: Form }>(find: (state: ActiveProtocol, key: Key) => Found) =>
  <Data extends Key>(change: (found: Found, data: Data, newId: () => string) => Change | undefined) =>
    ({ find, change }) satisfies FormChange<Data>;

const inForm = on((state, { formId }: { formId: string }) => ({ form: formOf(state, formId) }));
const onQuestion = on((state, { questionId }: { questionId: string }) => questionOf(state, questionId));
const onOption = on((state, { optionId }: { optionId: string }) => optionOf(state, optionId));
const onContent = on((state, { formId }: { formId: string }) => {
  const form = namedForm(state, formId, 'formId');
  return { form, fields: state.fields, before: contentOf(form, state.questions) };
});

const changes: { readonly [T in keyof typeof formCommands]: FormChange<z.infer<(typeof formCommands)[T]>> } = {
  ReplaceQuestionnaire: onContent(({ fields, before }, { formId, questions, scoreRanges, ...changes }, newId) => {
    const { content, errors } = contentFrom({ questions, scoreRanges }, before, newId);
    if (errors.length > 0) throw new DomainError('fields-refused', { errors });
    const { name, prompt } = fields;
    const data = { formId, name, prompt, ...present(changes), ...content };
    const isSame = same(data, { formId, name, prompt, ...before });
    return isSame ? undefined : { type: 'ProtocolQuestionnaireReplaced', data };
  }),

  AddQuestion: inForm(({ form: { questions } }, { formId, ...sent }, newId) => {
    if (questions.length >= formLimits.questions)
      throw new DomainError('too-many-questions', { limit: formLimits.questions });
    const position = sent.position ?? lastPosition(questions);
    const question = { id: newId(), copiedFrom: null, ...sent, ...typeOf(sent), position, options: [] };
    mustFitType(question);
    return { type: 'ProtocolQuestionAdded', data: { formId, question, moved: makeRoom(questions, position) } };
  }),

  ReviseQuestion: onQuestion(({ form, question: previous, isInferred }, { questionId, ...changes }) => {
    const { options, ...current } = questionContentOf(previous, isInferred);
    const { metadata = current.metadata } = changes;
    const type = typeOf({ responseType: changes.responseType, options, metadata }, current);
    const question = { ...current, ...present(changes), ...type };
    if (options.length > 0 && !ALLOWS_OPTIONS[question.responseType]) {
      throw new DomainError('options-not-taken', { questionId, responseType: question.responseType });
    }
    mustFitType(question, current);
    if (same(question, current)) return undefined;
    const moved = makeRoom(without(form.questions, questionId), question.position);
    return { type: 'ProtocolQuestionRevised', data: { formId: form.id, question, moved } };
  }),

  AddOption: onQuestion(({ form, question, isInferred }, { questionId, optionText, score, ...sent }, newId) => {
    const { options } = question;
    const responseType = question.responseType === 'TEXT' && isInferred ? 'SELECT' : question.responseType;
    if (!ALLOWS_OPTIONS[responseType]) throw new DomainError('options-not-taken', { questionId, responseType });
    if (options.length >= formLimits.options) throw new DomainError('too-many-options', { limit: formLimits.options });
    const position = sent.position ?? lastPosition(options);
    const option = { id: newId(), copiedFrom: null, optionText, score, position };
    const data = { formId: form.id, questionId, responseType, option, moved: makeRoom(options, position) };
    return { type: 'ProtocolOptionAdded', data };
  }),

  ReviseOption: onOption(({ form, question, option: previous }, { optionId, ...changes }) => {
    const current = optionContentOf(previous);
    const option = { ...current, ...present(changes) };
    if (same(option, current)) return undefined;
    const moved = makeRoom(without(question.options, optionId), option.position);
    return { type: 'ProtocolOptionRevised', data: { formId: form.id, questionId: question.id, option, moved } };
  }),

  ReorderQuestions: inForm(({ form: { questions } }, { formId, ids: questionIds }) => {
    requireOrderOf(questions, questionIds);
    if (isInOrder(questions, questionIds)) return undefined;
    return { type: 'ProtocolQuestionsReordered', data: { formId, questionIds } };
  }),

  ReorderOptions: onQuestion(({ form, question: { options } }, { questionId, ids: optionIds }) => {
    requireOrderOf(options, optionIds);
    if (isInOrder(options, optionIds)) return undefined;
    return { type: 'ProtocolOptionsReordered', data: { formId: form.id, questionId, optionIds } };
  }),

  RemoveQuestion: onQuestion(({ form }, { questionId }) => ({
    type: 'ProtocolQuestionRemoved',
    data: { formId: form.id, questionId },
  })),

  RemoveOption: onOption(({ form, question }, { optionId }) => ({
    type: 'ProtocolOptionRemoved',
    data: { formId: form.id, questionId: question.id, optionId },
  })),
};

/** Decides a command that changes a form. Asks whether the form may be changed, even if nothing changes. */
const decided =
  ({ find, change }: FormChange<never>) =>
  (state: Protocol, data: never, { newId }: Circumstances): readonly Change[] => {
    const known = active(state);
    const found = find(known, data);
    const form = changeable(known, found.form);
    const event = change(found as never, data, newId);
    return event === undefined ? [] : bounded(form, event);
  };

const decideChanges = Object.fromEntries(
  Object.entries(changes).map(([type, each]) => [type, decided(each)]),
) as Decide<Protocol, typeof formChanges, typeof formCommands>;

/** The other commands cannot return an event that changes an existing form. */
const decideOthers: Decide<
  Protocol,
  Omit<typeof protocolEvents, keyof typeof formChanges>,
  Omit<typeof protocolCommands, keyof typeof formCommands>
> = {
  CreateProtocol: (_, data) => [{ type: 'ProtocolCreated', data }],

  CreateQuestionnaire: (_, { questions, scoreRanges, ...data }, { newId }) => {
    const formId = newId();
    const { content } = contentFrom({ questions, scoreRanges }, noContent, newId);
    const form = { copiedFrom: null, formId, ...content, version: 1 };
    return [
      { type: 'ProtocolCreated', data },
      ...bounded(undefined, { type: 'ProtocolFormVersionCreated', data: form }),
    ];
  },

  ReviseProtocol: (state, changes) => {
    const { name, prompt } = unarchived(state).fields;
    const data = { name, prompt, ...present(changes) };
    return same(data, { name, prompt }) ? [] : [{ type: 'ProtocolRevised', data }];
  },

  CreateFormVersion: (state, { fromFormId }, { newId }) => {
    const source = sourceIn(active(state), fromFormId, 'fromFormId');
    const known = unarchived(state);
    const data = copied(known, source, { version: known.versions.length + 1, newId });
    return bounded(undefined, { type: 'ProtocolFormVersionCreated', data });
  },

  CopyProtocol: (_, { form, ...data }) => {
    const [created] = bounded(undefined, { type: 'ProtocolFormVersionCreated', data: form });
    const bytes = sizeOf(form) + sizeOf(data);
    if (bytes > formLimits.copyBytes) throw new DomainError('form-too-large', { limit: formLimits.copyBytes, bytes });
    return [{ type: 'ProtocolCreated', data }, created];
  },

  ...decideLife,
};

export const protocol: Decider<Protocol, typeof protocolEvents, typeof protocolCommands> = {
  aggregate: 'protocol',
  events: protocolEvents,
  commands: protocolCommands,
  initialState: { status: 'unknown' },
  evolve: evolveProtocol,
  decide: { ...decideOthers, ...decideChanges },
};
