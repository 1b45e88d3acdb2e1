import { describe, expect, it } from 'vitest';
import { protocol } from '../../../src/domain/protocol/decide.js';
import { RESPONSE_TYPES } from '../../../src/domain/protocol/response-type.js';
import { NOW, specification, uuidOf } from '../../support/specification.js';
import {
  FORM_ID,
  fieldsIn,
  formIn,
  INSTITUTION_ID,
  type SentQuestionnaire,
  TYPES_WITH_OPTIONS,
  upTo,
} from '../support/protocol-samples.js';

const { given, sending } = specification(protocol);

const about = { institutionId: INSTITUTION_ID, name: 'Chest pain', prompt: null };
const text = { questionText: 'Since when?', responseType: 'TEXT' } as const;
const choice = { questionText: 'Where?', responseType: 'SELECT' } as const;
// The lists that both a new questionnaire and a replacement require.
const lists = { questions: [text], scoreRanges: [] };
const sent = (changes: Partial<SentQuestionnaire> = {}) => ({ ...about, formId: FORM_ID, ...lists, ...changes });
const create = (changes?: Partial<SentQuestionnaire>) =>
  ({ type: 'CreateQuestionnaire', data: sent(changes) }) as const;

describe('a questionnaire that is created', () => {
  it('consists of a protocol and of a form with version 1, questions, options and score ranges', () =>
    given()
      .when(
        create({
          questions: [
            {
              ...choice,
              metadata: { columns: 2 },
              required: true,
              weight: 1.5,
              position: 3,
              options: [{ optionText: 'Left', score: 2, position: 5 }],
            },
          ],
          scoreRanges: [{ minScore: 0, maxScore: 3, classification: 'Low' }],
        }),
      )
      .then(
        { type: 'ProtocolCreated', data: about },
        {
          type: 'ProtocolFormVersionCreated',
          data: {
            formId: uuidOf(1),
            version: 1,
            copiedFrom: null,
            questions: [
              {
                id: uuidOf(2),
                copiedFrom: null,
                ...choice,
                responseTypeInferred: false,
                metadata: { columns: 2 },
                required: true,
                weight: 1.5,
                position: 3,
                options: [{ id: uuidOf(3), copiedFrom: null, optionText: 'Left', score: 2, position: 5 }],
              },
            ],
            scoreRanges: [{ id: uuidOf(4), copiedFrom: null, minScore: 0, maxScore: 3, classification: 'Low' }],
          },
        },
      ));
  it('creates a protocol and its latest form, both dated now, which the next version follows', () =>
    given()
      .when(create(), { type: 'CreateFormVersion', data: {} })
      .thenState((state) => {
        expect(fieldsIn(state)).toMatchObject({ ...about, createdAt: NOW, updatedAt: NOW });
        expect(formIn(state, uuidOf(1))).toMatchObject({ version: 1, questions: [text], createdAt: NOW });
        expect(formIn(state, uuidOf(4))).toMatchObject({ version: 2, copiedFrom: uuidOf(1) });
        expect(state).toMatchObject({ versions: [uuidOf(1), uuidOf(4)] });
      }));
  it('numbers the items of a list from 1 if no position is sent, and records its lists in order', () => {
    const sentOptions = [{ position: 4 }, {}, { position: 0 }].map((place) => ({
      optionText: 'o',
      score: 0,
      ...place,
    }));
    given()
      .when(
        create({
          questions: [{ ...text, position: 9 }, { ...choice, options: sentOptions }, text],
          scoreRanges: [
            { minScore: 5, maxScore: 9, classification: 'High' },
            { minScore: -3, maxScore: 4.9, classification: 'Low' },
          ],
        }),
      )
      .thenState((state) => {
        const { questions, scoreRanges } = formIn(state, uuidOf(1));
        expect(questions.map(({ position }) => position)).toStrictEqual([2, 3, 9]);
        expect(questions[0]?.options.map(({ position }) => position)).toStrictEqual([0, 2, 4]);
        expect(scoreRanges.map(({ minScore }) => minScore)).toStrictEqual([-3, 5]);
      });
  });
  it('keeps its texts code point for code point', () => {
    const texts = ['  não  ', 'na\u0303o', '👩🏽\u200d⚕️', 'a\u200bb', '\u0301', 'ﷺ\t\r\n'];
    given()
      .when(create({ questions: texts.map((questionText) => ({ ...text, questionText })) }))
      .thenState((state) =>
        expect(formIn(state, uuidOf(1)).questions.map(({ questionText }) => questionText)).toStrictEqual(texts),
      );
  });
});

describe('a new questionnaire requires', () => {
  it('everything but the prompt', () =>
    sending('CreateQuestionnaire', {}).isRefusedFor(
      '/institutionId invalid_type',
      '/name invalid_type',
      '/questions invalid_type',
      '/scoreRanges invalid_type',
    ));
  it('for a question, its text and its type', () =>
    sending('CreateQuestionnaire', { ...sent(), questions: [{}] }).isRefusedFor(
      '/questions/0/questionText invalid_type',
      '/questions/0/responseType invalid_value',
    ));
  it('for an option and a score range, everything but the position', () =>
    sending('CreateQuestionnaire', {
      ...sent(),
      questions: [{ ...choice, options: [{}] }],
      scoreRanges: [{}],
    }).isRefusedFor(
      '/questions/0/options/0/optionText invalid_type',
      '/questions/0/options/0/score invalid_type',
      '/scoreRanges/0/minScore invalid_type',
      '/scoreRanges/0/maxScore invalid_type',
      '/scoreRanges/0/classification invalid_type',
    ));
});

describe.each(['CreateQuestionnaire', 'ReplaceQuestionnaire'] as const)('%s', (command) => {
  it('requires one question and allows at most 500', () => {
    const questions = (count: number) => upTo(count).map((n) => ({ ...text, position: n }));
    sending(command, sent({ questions: [] })).isRefusedFor('/questions too_small');
    sending(command, sent({ questions: questions(500) })).isAccepted();
    sending(command, sent({ questions: questions(501) })).isRefusedFor('/questions too_big');
  });
  it('allows at most 200 options per question', () => {
    const withOptions = (count: number) =>
      sent({ questions: [{ ...choice, options: upTo(count).map((score) => ({ optionText: 'o', score })) }] });
    sending(command, withOptions(200)).isAccepted();
    sending(command, withOptions(201)).isRefusedFor('/questions/0/options too_big');
  });
  it('requires no score range and allows at most 500', () => {
    const ranges = (count: number) => upTo(count).map((n) => ({ minScore: n, maxScore: n, classification: 'c' }));
    sending(command, sent({ scoreRanges: [] })).isAccepted();
    sending(command, sent({ scoreRanges: ranges(500) })).isAccepted();
    sending(command, sent({ scoreRanges: ranges(501) })).isRefusedFor('/scoreRanges too_big');
  });
  it('requires positions that are unique in their list, including the defaults of omitted positions', () =>
    sending(
      command,
      sent({
        questions: [
          { ...text, position: 2 },
          text,
          { ...choice, position: 3, options: [1, 4, 1].map((position) => ({ optionText: 'o', score: 0, position })) },
          { ...choice, position: 3, options: [{ optionText: 'o', score: 0, position: 1 }] },
        ],
      }),
    ).isRefusedFor(
      '/questions/1/position duplicate',
      '/questions/2/options/2/position duplicate',
      '/questions/3/position duplicate',
    ));
  it.each(RESPONSE_TYPES)('allows options of a %s only if its type takes options', (responseType) => {
    const withOptions = (...options: readonly { optionText: string; score: number }[]) =>
      sending(command, sent({ questions: [{ ...text, responseType, options: [...options] }] }));
    const one = withOptions({ optionText: 'o', score: 0 });
    if (TYPES_WITH_OPTIONS.includes(responseType)) one.isAccepted();
    else one.isRefusedFor('/questions/0/options options-not-taken');
    withOptions().isAccepted();
  });
  it('refuses texts without a visible character', () => {
    const blank = '\u200b\u200d\ufeff';
    sending(
      command,
      sent({
        name: blank,
        questions: [{ ...choice, questionText: blank, options: [{ optionText: ' ', score: 0 }] }],
        scoreRanges: [{ minScore: 0, maxScore: 1, classification: blank }],
      }),
    ).isRefusedFor(
      '/name control-character',
      '/questions/0/questionText blank',
      '/questions/0/options/0/optionText blank',
      '/scoreRanges/0/classification blank',
    );
  });
  it('requires a known type, and reports nothing else about a question without one', () =>
    sending(command, {
      ...sent(),
      questions: [{ ...text, responseType: 'COLOR', options: [{ optionText: 'o', score: 0 }] }],
    }).isRefusedFor('/questions/0/responseType invalid_value'));

  it('requires score ranges that are in order and do not overlap, even if another range is inverted', () => {
    const ranges = (...list: readonly (readonly [number, number])[]) =>
      sent({ scoreRanges: list.map(([minScore, maxScore]) => ({ minScore, maxScore, classification: 'c' })) });
    sending(command, ranges([10, 10], [-5.5, -1], [0, 9.99], [100, 200])).isAccepted();
    sending(command, ranges([0, 5], [9, 2], [5, 6])).isRefusedFor('/scoreRanges/1 inverted', '/scoreRanges/2 overlap');
  });
});

describe('a questionnaire with many mistakes', () => {
  it('reports all of them together, in single fields and across fields', () =>
    sending('CreateQuestionnaire', {
      institutionId: 'nowhere',
      name: '\u200b',
      prompt: 7,
      questions: [
        { questionText: 5, responseType: 'TEXT', options: [{ score: 'many' }] },
        { ...text, position: 1, metadata: { minValue: 2, maxValue: 1, minLength: 2, maxLength: 1, dateFormat: 3 } },
        'what?',
        {
          ...choice,
          options: [
            { optionText: 'o', score: 1, position: 2 },
            { optionText: '', score: 1 },
          ],
        },
      ],
      scoreRanges: [
        { minScore: 0, maxScore: 5 },
        { minScore: 9, maxScore: 8, classification: 3 },
        { minScore: 5, maxScore: 6, classification: 'c' },
        null,
      ],
    }).isRefusedFor(
      '/institutionId invalid_format',
      '/name control-character',
      '/prompt invalid_type',
      '/questions/0/questionText invalid_type',
      '/questions/0/options options-not-taken',
      '/questions/0/options/0/optionText invalid_type',
      '/questions/0/options/0/score invalid_type',
      '/questions/1/position duplicate',
      '/questions/1/metadata inverted',
      '/questions/1/metadata inverted',
      '/questions/1/metadata/dateFormat invalid_type',
      '/questions/2 invalid_type',
      '/questions/3/options/1/optionText blank',
      '/questions/3/options/1/position duplicate',
      '/scoreRanges/0/classification invalid_type',
      '/scoreRanges/1 inverted',
      '/scoreRanges/1/classification invalid_type',
      '/scoreRanges/2 overlap',
      '/scoreRanges/3 invalid_type',
    ));
  it.each([[null], ['all of them'], [{ length: 2 }], [7]])('is refused if its lists are %o', (list) =>
    sending('CreateQuestionnaire', { ...about, questions: list, scoreRanges: list }).isRefusedFor(
      '/questions invalid_type',
      '/scoreRanges invalid_type',
    ),
  );
});
