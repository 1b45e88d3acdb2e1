import { describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { evolveForm, type Form, type formEvents, Metadata } from '../../../src/domain/protocol/form.js';
import { AGGREGATE_ID, EARLIER, NOW, uuidOf } from '../../support/specification.js';
import {
  emptyForm,
  FORM_ID,
  formWith,
  moves,
  option,
  optionId,
  question,
  questionId,
  range,
  rangeId,
  select,
  UNKNOWN_ID,
  upTo,
} from './samples.js';

const earlier = { id: AGGREGATE_ID, at: EARLIER };
const now = { id: AGGREGATE_ID, at: NOW };

/** A form of two questions, the second with two options, and one score range, created EARLIER. */
const form = evolveForm.ProtocolFormVersionCreated(
  undefined,
  formWith([select(2, [option(2), option(1)]), question(1)], { scoreRanges: [range(2, 6, 9), range(1, 0, 5)] }).data,
  earlier,
);
const replacing = (changes: Partial<z.infer<typeof formEvents.ProtocolQuestionnaireReplaced>>) =>
  evolveForm.ProtocolQuestionnaireReplaced(
    form,
    { formId: FORM_ID, name: 'n', prompt: null, questions: [], scoreRanges: [], ...changes },
    now,
  );
const { options: _, ...revisable } = question(1);

const laterEvents: {
  [T in Exclude<keyof typeof formEvents, 'ProtocolFormVersionCreated'>]: z.infer<(typeof formEvents)[T]>;
} = {
  ProtocolQuestionAdded: { formId: FORM_ID, question: question(3), moved: moves([questionId(1), 2]) },
  ProtocolQuestionRevised: { formId: FORM_ID, question: revisable, moved: [] },
  ProtocolOptionAdded: {
    formId: FORM_ID,
    questionId: questionId(2),
    responseType: 'SELECT',
    option: option(3),
    moved: [],
  },
  ProtocolOptionRevised: { formId: FORM_ID, questionId: questionId(2), option: option(1), moved: [] },
  ProtocolQuestionsReordered: { formId: FORM_ID, questionIds: [questionId(2), questionId(1)] },
  ProtocolOptionsReordered: { formId: FORM_ID, questionId: questionId(2), optionIds: [optionId(2), optionId(1)] },
  ProtocolQuestionnaireReplaced: { formId: FORM_ID, name: 'n', prompt: null, questions: [], scoreRanges: [] },
};
type LaterEvent = keyof typeof laterEvents;
const laterTypes = Object.keys(laterEvents) as LaterEvent[];
const evolve = (form: Form | undefined, type: LaterEvent) => evolveForm[type](form, laterEvents[type] as never, now);

describe('a new form', () => {
  it('belongs to the protocol of its stream', () =>
    expect(evolveForm.ProtocolFormVersionCreated(undefined, formWith([]).data, earlier)).toStrictEqual(emptyForm));
  it('has questions and options in the order of position and score ranges in the order of minScore', () => {
    expect(form?.questions.map(({ id }) => id)).toStrictEqual([questionId(1), questionId(2)]);
    expect(form?.questions[1]?.options.map(({ id }) => id)).toStrictEqual([optionId(1), optionId(2)]);
    expect(form?.scoreRanges.map(({ id }) => id)).toStrictEqual([rangeId(1), rangeId(2)]);
  });
  it('shows questions, options and score ranges as recorded, with the id of their parent and their dates', () => {
    const dates = { createdAt: EARLIER, updatedAt: EARLIER };
    const { responseTypeInferred, ...recorded } = question(1);
    expect(form?.questions[0]).toStrictEqual({ ...recorded, protocolFormId: FORM_ID, ...dates });
    expect(form?.questions[1]?.options[0]).toStrictEqual({
      ...option(1),
      protocolQuestionId: questionId(2),
      ...dates,
    });
    expect(form?.scoreRanges[0]).toStrictEqual({ ...range(1, 0, 5), protocolFormId: FORM_ID, ...dates });
  });
});

describe('an unknown form', () => {
  it.each(laterTypes)('stays unknown after %s', (type) => expect(evolve(undefined, type)).toBeUndefined());
});

describe('a form that changes', () => {
  it.each(laterTypes)('is updated by %s and keeps its identity', (type) =>
    expect(evolve(form, type)).toMatchObject({
      id: FORM_ID,
      protocolId: AGGREGATE_ID,
      version: 1,
      createdAt: EARLIER,
      updatedAt: NOW,
    }),
  );
  it.each(laterTypes)('is not changed in place by %s', (type) => {
    const before = structuredClone(form);
    evolve(form, type);
    expect(form).toStrictEqual(before);
  });
  it('inserts a question at its position and moves the questions that make room', () =>
    expect(
      evolveForm
        .ProtocolQuestionAdded(
          form,
          {
            formId: FORM_ID,
            question: question(3, { position: 1 }),
            moved: moves([questionId(1), 2], [questionId(2), 3]),
          },
          now,
        )
        ?.questions.map(({ id, position }) => [id, position]),
    ).toStrictEqual([
      [questionId(3), 1],
      [questionId(1), 2],
      [questionId(2), 3],
    ]));
  it('inserts a question with its options in the order of position', () =>
    expect(
      evolveForm.ProtocolQuestionAdded(
        form,
        { formId: FORM_ID, question: select(3, [option(5), option(4)]), moved: [] },
        now,
      )?.questions[2]?.options,
    ).toMatchObject([{ id: optionId(4), protocolQuestionId: questionId(3) }, { id: optionId(5) }]));
  it('does not show whether the type of a question was inferred', () =>
    expect(
      evolveForm.ProtocolQuestionRevised(
        form,
        { formId: FORM_ID, question: { ...revisable, responseTypeInferred: true }, moved: [] },
        now,
      )?.questions[0],
    ).not.toHaveProperty('responseTypeInferred'));
  it('ignores a revision of a question that it does not have', () =>
    expect(
      evolveForm.ProtocolQuestionRevised(
        form,
        { formId: FORM_ID, question: { ...revisable, id: UNKNOWN_ID }, moved: [] },
        now,
      )?.questions,
    ).toStrictEqual(form?.questions));
});

describe('a form that is replaced', () => {
  const stored = formWith([question(1), select(2, [option(1), option(2)])]).data.questions;
  const updates = (form: Form | undefined) => form?.questions.map(({ updatedAt }) => updatedAt);

  it('loses everything that is not sent', () =>
    expect(replacing({})).toMatchObject({ questions: [], scoreRanges: [] }));
  it('keeps the dates of unchanged items', () =>
    expect(replacing({ questions: stored, scoreRanges: [range(1, 0, 5), range(2, 6, 9)] })).toStrictEqual({
      ...form,
      updatedAt: NOW,
    }));
  it('updates a question if its content or one of its options changes, and only the options that change', () => {
    expect(updates(replacing({ questions: [question(1, { weight: 2 }), ...stored.slice(1)] }))).toEqual([NOW, EARLIER]);
    const changed = replacing({ questions: [question(1), select(2, [option(1), option(2, { score: 0 })])] });
    expect(updates(changed)).toEqual([EARLIER, NOW]);
    expect(changed?.questions[1]?.options).toMatchObject([{ updatedAt: EARLIER }, { updatedAt: NOW }]);
  });
  it('updates a question that loses an option or moves', () => {
    expect(updates(replacing({ questions: [question(1), select(2, [option(1)])] }))).toEqual([EARLIER, NOW]);
    expect(updates(replacing({ questions: [question(1, { position: 5 })] }))).toEqual([NOW]);
  });
  it('ignores the order of keys in metadata, at any depth', () => {
    const before = evolveForm.ProtocolFormVersionCreated(
      undefined,
      formWith([question(1, { metadata: { a: { x: 1, y: [2] }, b: null } })]).data,
      earlier,
    );
    const sent = { formId: FORM_ID, name: 'n', prompt: null, scoreRanges: [] };
    const again = (metadata: Record<string, unknown>) =>
      updates(
        evolveForm.ProtocolQuestionnaireReplaced(before, { ...sent, questions: [question(1, { metadata })] }, now),
      );
    expect(again({ b: null, a: { y: [2], x: 1 } })).toEqual([EARLIER]);
    expect(again({ b: null, a: { y: ['2'], x: 1 } })).toEqual([NOW]);
  });
  it('dates new items now', () =>
    expect(replacing({ questions: [question(7)], scoreRanges: [range(7, 0, 1)] })).toMatchObject({
      questions: [{ createdAt: NOW, updatedAt: NOW }],
      scoreRanges: [{ createdAt: NOW, updatedAt: NOW }],
    }));
});

describe('metadata', () => {
  const codes = (metadata: unknown) => Metadata.safeParse(metadata).error?.issues.map(({ path }) => path.join('/'));

  it('is an open object', () =>
    expect(Metadata.parse({ anything: [{ goes: true }] })).toStrictEqual({ anything: [{ goes: true }] }));
  it.each([null, [], 'x', 3, undefined])('may not be %o', (value) => expect(codes(value)).toEqual(['']));
  it('may have null under a known key', () =>
    expect(codes({ minValue: null, maxValue: null, minLength: null, maxLength: null, dateFormat: null })).toBe(
      undefined,
    ));
  it('must have valid values under known keys', () =>
    expect(
      codes({ minValue: '1', maxValue: Number.NaN, minLength: -1, maxLength: 0.5, dateFormat: 'd'.repeat(101) }),
    ).toEqual(['minValue', 'maxValue', 'minLength', 'maxLength', 'dateFormat']));
  it.each([{ minLength: 0.5 }, { maxLength: -1 }, { dateFormat: '' }, { dateFormat: 1 }])('may not be %o', (value) =>
    expect(codes(value)).toEqual(Object.keys(value)),
  );
  it('may have at most 200 keys, which is reported together with other faults', () => {
    const keys = (count: number) => Object.fromEntries(upTo(count).map((n) => [uuidOf(n), n]));
    expect(codes(keys(200))).toBeUndefined();
    expect(codes(keys(201))).toEqual(['']);
    expect(codes({ ...keys(201), minValue: 'x' })?.toSorted()).toEqual(['', 'minValue']);
  });
});
