// How the items of a replacement name the items of the form: with their own ids, or with those of their originals.
import { describe, expect, it } from 'vitest';
import { protocol } from '../../../src/domain/protocol/decide.js';
import { specification, uuidOf } from '../../support/specification.js';
import {
  created,
  FORM_ID,
  formIn,
  formWith,
  option,
  optionId,
  type ProtocolCommand,
  question,
  questionId,
  range,
  rangeId,
  type SentReplacement,
  select,
  UNKNOWN_ID,
} from '../support/protocol-samples.js';

const { given } = specification(protocol);

// The copies have the numbers 11 and 12, their originals 1 and 2.
const copies = formWith(
  [
    { ...question(11, { responseType: 'DATE' }), copiedFrom: questionId(1) },
    {
      ...select(
        12,
        [11, 12].map((n) => option(n, { copiedFrom: optionId(n - 10) })),
      ),
      copiedFrom: questionId(2),
    },
  ],
  { scoreRanges: [11, 12].map((n) => ({ ...range(n, n, n), copiedFrom: rangeId(n - 10) })) },
);
const replace = (changes: Partial<SentReplacement>): ProtocolCommand => ({
  type: 'ReplaceQuestionnaire',
  data: { formId: FORM_ID, questions: [{ questionText: 'New' }], scoreRanges: [], ...changes },
});
const named = (id: string) => ({ id, questionText: `With ${id}` });
const chosen = (id: string) => ({ id, optionText: `With ${id}`, score: 1 });
const ranged = (id: string, n: number) => ({ id, minScore: n, maxScore: n, classification: `With ${id}` });

describe('an item that has the id of an original', () => {
  it('is the copy of this original, whether it is a question, an option or a score range', () =>
    given(created, copies)
      .when(
        replace({
          questions: [{ ...named(questionId(2).toUpperCase()), options: [chosen(optionId(12)), chosen(optionId(1))] }],
          scoreRanges: [ranged(rangeId(2), 1), ranged(rangeId(11), 2)],
        }),
      )
      .thenState((state) => {
        const { questions, scoreRanges } = formIn(state);
        expect(questions).toMatchObject([
          {
            ...{ id: questionId(12), copiedFrom: questionId(2) },
            options: [
              { id: optionId(12), copiedFrom: optionId(2) },
              { id: optionId(11), copiedFrom: optionId(1) },
            ],
          },
        ]);
        expect(scoreRanges).toMatchObject([
          { id: rangeId(12), copiedFrom: rangeId(2), minScore: 1 },
          { id: rangeId(11), copiedFrom: rangeId(1), minScore: 2 },
        ]);
      }));

  it('keeps the type of the copy, at any position and with any text', () =>
    given(created, copies)
      .when(
        replace({
          questions: [
            { ...named(questionId(2)), position: 5 },
            { ...named(questionId(1)), position: 9 },
          ],
        }),
      )
      .thenState((state) =>
        expect(formIn(state).questions.map(({ responseType }) => responseType)).toEqual(['SELECT', 'DATE']),
      ));

  it('keeps an option that moves to another question', () =>
    given(created, copies)
      .when(replace({ questions: [{ questionText: 'New', options: [chosen(optionId(2))] }] }))
      .thenState((state) => expect(formIn(state).questions[0]?.options).toMatchObject([{ id: optionId(12) }])));

  it.each([UNKNOWN_ID, optionId(1), rangeId(1), questionId(3)])('is new if it names no item of its kind: %s', (id) =>
    given(created, copies)
      .when(replace({ questions: [named(id)] }))
      .thenState((state) => expect(formIn(state).questions).toMatchObject([{ id: uuidOf(1), copiedFrom: null }])),
  );

  it('is new again after its copy was removed', () =>
    given(created, copies)
      .when(replace({}), replace({ questions: [named(questionId(1))] }))
      .thenState((state) => expect(formIn(state).questions).toMatchObject([{ id: uuidOf(2), copiedFrom: null }])));

  it('is refused beside an item with the id of the copy, all at once', () =>
    given(created, copies)
      .when(
        replace({
          questions: [
            { ...named(questionId(11)), options: [chosen(optionId(2))] },
            { ...named(questionId(2)), responseType: 'SELECT', options: [chosen(optionId(1)), chosen(optionId(12))] },
            { ...named(questionId(1)), metadata: { minValue: '2020-01-01' } },
          ],
          scoreRanges: [ranged(rangeId(1), 1), ranged(rangeId(12), 2), ranged(rangeId(11), 3)],
        }),
      )
      .thenRefuses('fields-refused', {
        errors: [
          ['questions', 1, 'options', 1, 'id'],
          ['questions', 2, 'id'],
          ['scoreRanges', 2, 'id'],
        ].map((path) => ({ path, code: 'duplicate', message: expect.any(String) })),
      }));
});
