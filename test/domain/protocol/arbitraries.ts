// Arbitraries for the property tests of protocols: requests as clients send them, and events that a log could hold.
import fc from 'fast-check';
import type { z } from 'zod';
import { type Form, RESPONSE_TYPES } from '../../../src/domain/protocol/form.js';
import { ALLOWS_OPTIONS } from '../../../src/domain/protocol/response-type.js';
import type { protocolEvents } from '../../../src/domain/protocol/state.js';
import { uuidOf } from '../../support/specification.js';
import { INSTITUTION_ID, type ProtocolCommand, type ProtocolEvent } from './samples.js';

type Kind = 'form' | 'question' | 'option' | 'range';

/** Holds the ids of a protocol by kind, and the lists that contain them. */
export interface Known extends Readonly<Record<Kind, readonly string[]>> {
  /** Returns the ids of the questions of a form, or of the options of a question. */
  readonly listOf: (id: string) => readonly string[];
}

/** Returns the ids in these forms. */
export const knownIn = (forms: readonly Form[]): Known => {
  const questions = forms.flatMap((form) => form.questions);
  const idsOf = (items: readonly { readonly id: string }[] = []) => items.map(({ id }) => id);
  return {
    form: idsOf(forms),
    question: idsOf(questions),
    option: idsOf(questions.flatMap(({ options }) => options)),
    range: idsOf(forms.flatMap(({ scoreRanges }) => scoreRanges)),
    listOf: (id) => [
      ...idsOf(forms.find((form) => form.id === id)?.questions),
      ...idsOf(questions.find((question) => question.id === id)?.options),
    ],
  };
};

/**
 * Returns the drawn request with ids of the protocol. `question:7` becomes the eighth question, counting in a circle.
 * `question#7` becomes the eighth question, or an unknown id if there are fewer. A drawn order is a list of numbers and
 * becomes an order of the whole list.
 */
export const aimed = (drawn: ProtocolCommand, known: Known): ProtocolCommand => {
  const command = JSON.parse(JSON.stringify(drawn), (_, value: unknown) => {
    const placeholder = typeof value === 'string' ? PLACEHOLDER.exec(value)?.groups : undefined;
    if (placeholder === undefined) return value;
    const ids = known[placeholder['kind'] as Kind];
    const place = Number(placeholder['place']);
    return ids[placeholder['how'] === ':' ? place % ids.length : place] ?? uuidOf(0xe0_000 + place);
  }) as ProtocolCommand;
  if (command.type === 'ReorderQuestions') command.data.ids = shuffled(known.listOf(command.data.formId), command);
  if (command.type === 'ReorderOptions') command.data.ids = shuffled(known.listOf(command.data.questionId), command);
  return command;
};
const PLACEHOLDER = /^(?<kind>form|question|option|range)(?<how>[:#])(?<place>\d+)$/;

type Order = Extract<ProtocolCommand, { readonly type: 'ReorderQuestions' | 'ReorderOptions' }>;

/** Sorts a list by the drawn numbers. */
const shuffled = (list: readonly string[], { data }: Order): string[] =>
  list
    .map((id, index) => ({ id, rank: Number(data.ids[index % data.ids.length] ?? 0) }))
    .toSorted((a, b) => a.rank - b.rank)
    .map(({ id }) => id);

const order = fc.array(fc.nat(9).map(String), { minLength: 1, maxLength: 6 });

const aim = (kind: Kind) => fc.nat(40).map((place) => `${kind}:${place}`);
const keep = (kind: Kind) =>
  fc.option(
    fc.nat(9).map((place) => `${kind}#${place}`),
    { nil: undefined },
  );
const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });

const text = fc.oneof(
  fc.constantFrom('Where?', 'When?', 'When? ', '\u0301', '👩🏽\u200d⚕️', 'o\u0303'),
  fc.string({ unit: 'grapheme', maxLength: 9 }).map((drawn) => `${drawn}.`),
);
// JSON has no -0.
const score = fc
  .oneof(fc.integer({ min: -9, max: 9 }), fc.double({ noNaN: true, noDefaultInfinity: true }))
  .map((n) => n + 0);
const position = fc.oneof({ weight: 9, arbitrary: fc.nat(7) }, fc.constantFrom(999_999_999, 1_000_000_000));
const metadata = fc.oneof(
  fc.constantFrom<Record<string, unknown>>({}, { minValue: 0 }, { dateFormat: 'dd/MM/yyyy' }, { dateFormat: 'HH:mm' }),
  fc.record({ minValue: fc.integer({ max: 0, min: -9 }), maxValue: fc.nat(9) }, { requiredKeys: [] }),
  fc
    .dictionary(fc.constantFrom('a.b', '$set', 'hint'), fc.jsonValue({ maxDepth: 2 }))
    .map((drawn) => JSON.parse(JSON.stringify(drawn))),
) as fc.Arbitrary<Record<string, unknown>>;
const prompt = fc.option(fc.string({ maxLength: 5 }));
const type = fc.constantFrom(...RESPONSE_TYPES);

const ranges = fc
  .array(
    fc.record({ id: keep('range'), gap: fc.integer({ min: 1, max: 3 }), width: fc.nat(3), classification: text }),
    {
      maxLength: 4,
    },
  )
  .map((steps) => {
    let next = -5;
    return withoutRepeatedIds(steps).map(({ gap, width, ...rest }) => {
      const minScore = next + gap;
      next = minScore + width;
      return { ...rest, minScore, maxScore: next };
    });
  })
  .chain((inOrder) => fc.shuffledSubarray(inOrder, { minLength: inOrder.length }));

/** Draws positions for a whole list: all omitted, or all different. */
const withPositions = <T extends object>(items: T[]): fc.Arbitrary<(T & { position?: number })[]> =>
  fc.option(fc.uniqueArray(fc.nat(30), { minLength: items.length, maxLength: items.length })).map((positions) =>
    items.map((item, index) => {
      const position = positions?.[index];
      return position === undefined ? item : { ...item, position };
    }),
  );

/** Returns the items without repeated ids. */
const withoutRepeatedIds = <T extends { readonly id?: string | undefined }>(
  items: readonly T[],
  seen = new Set<string>(),
): T[] =>
  items.map((item) => {
    if (item.id === undefined || !seen.has(item.id)) {
      seen.add(item.id ?? '');
      return item;
    }
    return { ...item, id: undefined };
  });

const options = fc
  .array(fc.record({ id: keep('option'), optionText: text, score }), { maxLength: 3 })
  .chain(withPositions);
const question = { questionText: text, metadata: maybe(metadata), required: maybe(fc.boolean()), weight: maybe(score) };
const questions = fc
  .array(fc.record({ id: keep('question'), ...question, responseType: maybe(type), options }), {
    minLength: 1,
    maxLength: 4,
  })
  .map((sent) => {
    const seen = new Set<string>();
    return withoutRepeatedIds(sent).map((item) => ({
      ...item,
      options: ALLOWS_OPTIONS[item.responseType ?? 'SELECT'] ? withoutRepeatedIds(item.options, seen) : [],
    }));
  })
  .chain(withPositions);

const requests: { [T in ProtocolCommand['type']]: fc.Arbitrary<Extract<ProtocolCommand, { type: T }>['data']> } = {
  CreateProtocol: fc.record({ institutionId: fc.constant(INSTITUTION_ID), name: text, prompt: maybe(prompt) }),
  CreateQuestionnaire: fc.record({
    institutionId: fc.constant(INSTITUTION_ID),
    name: text,
    prompt: maybe(prompt),
    questions: questions.map((sent) =>
      sent.map((item) => ({ ...item, responseType: item.responseType ?? ('SELECT' as const) })),
    ),
    scoreRanges: ranges,
  }),
  ReviseProtocol: fc.record({ name: maybe(text), prompt: maybe(prompt) }),
  ReplaceQuestionnaire: fc.record({
    formId: aim('form'),
    name: maybe(text),
    prompt: maybe(prompt),
    questions,
    scoreRanges: ranges,
  }),
  CreateFormVersion: fc.constant({}),
  AddQuestion: fc.record({ formId: aim('form'), ...question, responseType: maybe(type), position: maybe(position) }),
  ReviseQuestion: fc.record({
    questionId: aim('question'),
    ...question,
    questionText: maybe(text),
    responseType: maybe(type),
    position: maybe(position),
  }),
  AddOption: fc.record({ questionId: aim('question'), optionText: text, score, position: maybe(position) }),
  ReviseOption: fc.record({
    optionId: aim('option'),
    optionText: maybe(text),
    score: maybe(score),
    position: maybe(position),
  }),
  ReorderQuestions: fc.record({ formId: aim('form'), ids: order }),
  ReorderOptions: fc.record({ questionId: aim('question'), ids: order }),
};
const request = <T extends ProtocolCommand['type']>(named: T) =>
  requests[named].map((data) => ({ type: named, data }) as ProtocolCommand);

/** Draws the first request of a protocol. */
export const beginning = fc.oneof(
  { weight: 1, arbitrary: request('CreateProtocol') },
  { weight: 3, arbitrary: request('CreateQuestionnaire') },
);
const ORDERS = ['ReorderQuestions', 'ReorderOptions'] as const;
/** Draws any request on an existing protocol. */
export const laterRequest = fc.oneof(
  ...(['ReviseProtocol', 'ReplaceQuestionnaire', 'CreateFormVersion'] as const).map(request),
  ...(['AddQuestion', 'ReviseQuestion', 'AddOption', 'ReviseOption', ...ORDERS] as const).flatMap((named) => [
    request(named),
    request(named),
  ]),
);

// Few ids, so that events share forms, questions and options, and use ids of the wrong kind.
const id = fc.nat(5).map(uuidOf);
const optional = fc.option(id);
const recordedOption = fc.record({ id, copiedFrom: optional, optionText: text, score, position });
const revisable = {
  id,
  copiedFrom: optional,
  questionText: text,
  responseType: type,
  responseTypeInferred: fc.boolean(),
  metadata,
  required: fc.boolean(),
  weight: score,
  position,
};
const recordedQuestion = fc.record({ ...revisable, options: fc.array(recordedOption, { maxLength: 3 }) });
const recordedRange = fc.record({ id, copiedFrom: optional, minScore: score, maxScore: score, classification: text });
const moved = fc.array(fc.record({ id, position }), { maxLength: 3 });
const lists = {
  questions: fc.array(recordedQuestion, { maxLength: 3 }),
  scoreRanges: fc.array(recordedRange, { maxLength: 3 }),
};

const events: { [T in keyof typeof protocolEvents]: fc.Arbitrary<z.infer<(typeof protocolEvents)[T]>> } = {
  ProtocolCreated: fc.record({ institutionId: id, name: text, prompt }),
  ProtocolRevised: fc.record({ name: text, prompt }),
  ProtocolFormVersionCreated: fc.record({
    formId: id,
    version: fc.integer({ min: 1, max: 9 }),
    copiedFrom: optional,
    ...lists,
  }),
  ProtocolQuestionAdded: fc.record({ formId: id, question: recordedQuestion, moved }),
  ProtocolQuestionRevised: fc.record({ formId: id, question: fc.record(revisable), moved }),
  ProtocolOptionAdded: fc.record({ formId: id, questionId: id, responseType: type, option: recordedOption, moved }),
  ProtocolOptionRevised: fc.record({ formId: id, questionId: id, option: recordedOption, moved }),
  ProtocolQuestionsReordered: fc.record({ formId: id, questionIds: fc.array(id, { maxLength: 4 }) }),
  ProtocolOptionsReordered: fc.record({ formId: id, questionId: id, optionIds: fc.array(id, { maxLength: 4 }) }),
  ProtocolQuestionnaireReplaced: fc.record({ formId: id, name: text, prompt, ...lists }),
};

/** Draws any event of a protocol as it is read from a log, regardless of the events before it. */
export const anyEvent = fc.oneof(
  ...Object.entries(events).map(([named, data]) =>
    fc.record({ type: fc.constant(named), data }).map((drawn): ProtocolEvent => JSON.parse(JSON.stringify(drawn))),
  ),
);
/** Draws any request, with ids from the few that such events have. */
export const anyRequest = fc
  .tuple(fc.oneof(beginning, laterRequest), fc.array(id, { minLength: 4, maxLength: 4 }))
  .map(([drawn, ids]) => aimed(drawn, { form: ids, question: ids, option: ids, range: ids, listOf: () => ids }));
