import { describe, expect, it } from 'vitest';
import { formLimits } from '../../../src/domain/protocol/form.js';
import { protocol } from '../../../src/domain/protocol/protocol.js';
import { EARLIER, NOW, specification } from '../../support/specification.js';
import {
  created,
  FORM_ID,
  formIn,
  formWith,
  option,
  optionId,
  type ProtocolCommand,
  type ProtocolEvent,
  question,
  questionId,
  select,
  UNKNOWN_ID,
  upTo,
} from './samples.js';

const { given, sending } = specification(protocol);
const form = formWith([question(1), question(3), select(7, [option(0), option(1), option(4)])]);

const orderQuestions = (...numbers: readonly number[]): ProtocolCommand => ({
  type: 'ReorderQuestions',
  data: { formId: FORM_ID, ids: numbers.map(questionId) },
});
const orderOptions = (...numbers: readonly number[]): ProtocolCommand => ({
  type: 'ReorderOptions',
  data: { questionId: questionId(7), ids: numbers.map(optionId) },
});
const questionsReordered = (...numbers: readonly number[]): ProtocolEvent => ({
  type: 'ProtocolQuestionsReordered',
  data: { formId: FORM_ID, questionIds: numbers.map(questionId) },
});
const optionsReordered = (...numbers: readonly number[]): ProtocolEvent => ({
  type: 'ProtocolOptionsReordered',
  data: { formId: FORM_ID, questionId: questionId(7), optionIds: numbers.map(optionId) },
});
const at = (path: readonly (string | number)[], code: string) => ({ path, code, message: expect.any(String) });

describe('when questions are reordered', () => {
  it('records the order', () =>
    given(created, form)
      .when(orderQuestions(7, 1, 3))
      .then(questionsReordered(7, 1, 3)));

  it('numbers the questions from 1 to n, and updates those that moved', () =>
    given(created, form)
      .when(orderQuestions(1, 7, 3))
      .thenState((state) => {
        const { questions, updatedAt } = formIn(state);
        expect(updatedAt).toBe(NOW);
        expect(questions.map(({ id, position, updatedAt: at }) => [id, position, at])).toEqual([
          [questionId(1), 1, EARLIER],
          [questionId(7), 2, NOW],
          [questionId(3), 3, EARLIER],
        ]);
        expect(questions[1]?.options).toMatchObject([{ position: 0 }, { position: 1 }, { position: 4 }]);
      }));

  it('closes the gaps of an order that stays the same', () =>
    given(created, form)
      .when(orderQuestions(1, 3, 7))
      .then(questionsReordered(1, 3, 7)));

  it('records nothing for the current order', () => {
    given(created, form, questionsReordered(7, 1, 3))
      .when(orderQuestions(7, 1, 3))
      .then();
    given(created, formWith([])).when(orderQuestions()).then();
  });

  it('rejects missing and unknown ids', () => {
    const refused = (errors: readonly object[], ...numbers: readonly number[]) =>
      given(created, form)
        .when(orderQuestions(...numbers))
        .thenRefuses('fields-refused', { errors } as never);
    refused([at(['ids'], 'incomplete')], 1, 3);
    refused([at(['ids', 3], 'not-found')], 1, 3, 7, 8);
    refused([at(['ids', 1], 'not-found'), at(['ids'], 'incomplete')], 1, 8, 7);
  });

  it('rejects an unknown form', () => {
    const command: ProtocolCommand = { type: 'ReorderQuestions', data: { formId: UNKNOWN_ID, ids: [] } };
    given(created, form).when(command).thenRefuses('form-not-found', { formId: UNKNOWN_ID });
    given().when(command).thenRefuses('protocol-not-found');
  });
});

describe('when options are reordered', () => {
  it('records the order', () =>
    given(created, form)
      .when(orderOptions(4, 0, 1))
      .then(optionsReordered(4, 0, 1)));

  it('numbers the options from 1 to n, and updates their question', () =>
    given(created, form)
      .when(orderOptions(1, 0, 4))
      .thenState((state) => {
        const { questions } = formIn(state);
        expect(questions).toMatchObject([{ updatedAt: EARLIER }, { updatedAt: EARLIER }, { updatedAt: NOW }]);
        expect(questions[2]?.options.map(({ id, position, updatedAt }) => [id, position, updatedAt])).toEqual([
          [optionId(1), 1, EARLIER],
          [optionId(0), 2, NOW],
          [optionId(4), 3, NOW],
        ]);
      }));

  it('records nothing for the current order', () =>
    given(created, form, optionsReordered(4, 0, 1))
      .when(orderOptions(4, 0, 1))
      .then());

  it('rejects ids of another question', () =>
    given(created, form)
      .when(orderOptions(0, 1, 4, 9))
      .thenRefuses('fields-refused', { errors: [at(['ids', 3], 'not-found')] } as never));

  it('rejects an unknown question', () =>
    given(created, form)
      .when({ type: 'ReorderOptions', data: { questionId: UNKNOWN_ID, ids: [] } })
      .thenRefuses('question-not-found', { questionId: UNKNOWN_ID }));
});

describe('an order that is sent', () => {
  it('may name each id only once', () => {
    const [one, two] = [questionId(1), questionId(2)];
    sending('ReorderQuestions', { formId: FORM_ID, ids: [one, two] }).isAccepted();
    sending('ReorderQuestions', { formId: FORM_ID, ids: [one, two, one.toUpperCase(), one] }).isRefusedFor(
      '/ids/2 duplicate',
      '/ids/3 duplicate',
    );
  });

  it('may be only as long as a list may be', () => {
    const tooMany = (most: number) => ({
      formId: FORM_ID,
      questionId: questionId(1),
      ids: upTo(most + 1).map(questionId),
    });
    sending('ReorderQuestions', tooMany(formLimits.questions)).isRefusedFor('/ids too_big');
    sending('ReorderOptions', tooMany(formLimits.options)).isRefusedFor('/ids too_big');
  });
});
