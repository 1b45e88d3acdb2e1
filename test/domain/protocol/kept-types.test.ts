// The response type of a question whose request names none, when a questionnaire is replaced.
import { describe, expect, it } from 'vitest';
import { protocol } from '../../../src/domain/protocol/decide.js';
import type { ResponseType } from '../../../src/domain/protocol/response-type.js';
import { specification, uuidOf } from '../../support/specification.js';
import {
  created,
  FORM_ID,
  formIn,
  formWith,
  type ProtocolCommand,
  type ProtocolEvent,
  question,
  questionId,
  type SentReplacement,
  upTo,
} from '../support/protocol-samples.js';

const { given } = specification(protocol);

const replace = (changes: Partial<SentReplacement> = {}): ProtocolCommand => ({
  type: 'ReplaceQuestionnaire',
  data: { formId: FORM_ID, questions: [{ questionText: 'New' }], scoreRanges: [], ...changes },
});

type Replaced = Extract<ProtocolEvent, { type: 'ProtocolQuestionnaireReplaced' }>;
const replacedBy = (...questions: Replaced['data']['questions']): Replaced => ({
  type: 'ProtocolQuestionnaireReplaced',
  data: { formId: FORM_ID, name: 'Chest pain', prompt: 'Ask calmly.', questions, scoreRanges: [] },
});

describe('the type of a question in a replacement', () => {
  const types = ['BOOLEAN', 'MULTIPLE_SELECT', 'NUMBER', 'DATE', 'SELECT', 'DATETIME', 'TEXT'] as const;
  const typed = formWith(types.map((responseType, index) => question(index + 1, { responseType })));
  const texts = upTo(types.length).map((n) => `Question ${n}`);
  const asked = (list: readonly string[]) => list.map((questionText) => ({ questionText }));
  const typesAfter = (questions: SentReplacement['questions'], before = typed) => {
    let found: readonly string[] = [];
    given(created, before)
      .when(replace({ questions }))
      .thenState((state) => {
        found = formIn(state).questions.map(({ responseType }) => responseType);
      });
    return found;
  };

  it('is the type of the old question with the same id, whatever its position and content', () => {
    const sent = { id: questionId(4), questionText: 'New', position: 5, metadata: { minValue: '2020-02-29' } };
    expect(typesAfter([sent])).toEqual(['DATE']);
  });
  it.each<[string, readonly string[], readonly string[]]>([
    ['returns unchanged', texts, types],
    ['is inserted at the top', ['First', ...texts], ['TEXT', ...types]],
    ['is inserted in the middle', texts.toSpliced(3, 0, 'Another'), types.toSpliced(3, 0, 'TEXT')],
    ['is removed', texts.slice(1), types.slice(1)],
    ['is moved', texts.toReversed(), types.toReversed()],
    ['is corrected', texts.map((text) => `${text}.`), types],
    ['is corrected after one was removed behind it', ['Question 1!', ...texts.slice(1, -1)], types.slice(0, -1)],
    ['is replaced by another', texts.with(2, 'What else?'), types],
  ])('stays, without ids and types, if a question %s', (_, sent, expected) =>
    expect(typesAfter(asked(sent))).toEqual(expected),
  );
  it('stays by position for questions that have one text', () => {
    const before = formWith(
      ['NUMBER', 'DATE', 'TEXT'].map((type, index) =>
        question(index + 1, { questionText: 'How much?', responseType: type as ResponseType }),
      ),
    );
    expect(typesAfter(asked(['How much?', 'How much?', 'How much?']), before)).toEqual(['NUMBER', 'DATE', 'TEXT']);
  });
  it('is never taken from a position whose question another one takes', () => {
    expect(typesAfter(asked(['New', 'Question 1']))).toEqual(['TEXT', 'BOOLEAN']);
    expect(typesAfter([{ questionText: 'New' }, { id: questionId(1), questionText: 'Other' }])).toEqual([
      ...['TEXT', 'BOOLEAN'],
    ]);
  });
  it('keeps whether it was inferred', () => {
    const before = formWith([question(1, { responseType: 'NUMBER', responseTypeInferred: true })]);
    given(created, before)
      .when(replace({ questions: [{ questionText: 'Question 1' }] }))
      .then(replacedBy(question(1, { id: uuidOf(1), responseType: 'NUMBER', responseTypeInferred: true })));
  });
  const options = [{ optionText: 'o', score: 0 }];
  it.each<[ResponseType, string, Partial<SentReplacement['questions'][number]>]>([
    ['SELECT', 'a NUMBER that gets options', { questionText: 'Question 3', options }],
    ['SELECT', 'a TEXT that gets options', { questionText: 'Question 7', options }],
    ['NUMBER', 'a DATE that gets numbers as bounds', { questionText: 'Question 4', metadata: { minValue: 1 } }],
    [
      'DATE',
      'a NUMBER that gets dates as bounds',
      { questionText: 'Question 3', metadata: { dateFormat: 'dd/MM/yyyy', minValue: '2020-01-01' } },
    ],
  ])('is inferred, as %s, for %s, instead of a refusal', (type, _, sent) =>
    expect(typesAfter([{ questionText: '', position: 9, ...sent }])).toEqual([type]),
  );
  it('stays SELECT without options, once an inferred TEXT was sent with options', () => {
    const sent = { id: questionId(1), questionText: 'Question 1' };
    given(created, formWith([question(1, { responseTypeInferred: true })]))
      .when(replace({ questions: [{ ...sent, options }] }), replace({ questions: [sent] }))
      .thenState((state) => expect(formIn(state).questions).toMatchObject([{ responseType: 'SELECT', options: [] }]));
  });
  it('stays an inferred TEXT if only the metadata suggests another type', () =>
    expect(
      typesAfter(
        [{ questionText: 'Question 1', metadata: { minValue: 1 } }],
        formWith([question(1, { responseTypeInferred: true })]),
      ),
    ).toEqual(['TEXT']));
  it('is the type that is sent, which may confirm the inferred type', () => {
    const inferred = formWith([question(1, { responseTypeInferred: true })]);
    for (const responseType of ['TEXT', 'BOOLEAN'] as const) {
      given(created, inferred)
        .when(replace({ questions: [{ id: questionId(1), questionText: 'Question 1', responseType }] }))
        .then(replacedBy(question(1, { responseType })));
    }
  });
  it('refuses all bounds that no type takes, naming their fields', () => {
    const metadata = { dateFormat: 'dd/MM/yyyy', minValue: 1, maxValue: '2020-02-28T00:00:00Z' };
    given(created, typed)
      .when(replace({ questions: [{ questionText: 'A' }, { questionText: 'New', position: 9, metadata }] }))
      .thenRefuses('fields-refused', {
        errors: [
          { path: ['questions', 1, 'metadata', 'minValue'], code: 'invalid-type', message: expect.any(String) },
          { path: ['questions', 1, 'metadata', 'maxValue'], code: 'invalid-type', message: expect.any(String) },
        ],
      });
  });
});
