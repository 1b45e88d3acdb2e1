import { describe, expect, it } from 'vitest';
import { protocol } from '../../../src/domain/protocol/decide.js';
import { EARLIER, NOW, specification, uuidOf } from '../../support/specification.js';
import {
  created,
  FORM_ID,
  fieldsIn,
  formIn,
  formWith,
  option,
  optionId,
  type ProtocolCommand,
  type ProtocolEvent,
  question,
  questionId,
  range,
  rangeId,
  type SentReplacement,
  select,
  UNKNOWN_ID,
} from '../support/protocol-samples.js';

const { given, sending } = specification(protocol);
const stored = formWith([question(1, { metadata: { minLength: 1, hint: 'a' } }), select(2, [option(1), option(2)])], {
  scoreRanges: [range(1, 0, 5), range(2, 6, 10)],
});

const replace = (changes: Partial<SentReplacement> = {}): ProtocolCommand => ({
  type: 'ReplaceQuestionnaire',
  data: { formId: FORM_ID, questions: [{ questionText: 'New' }], scoreRanges: [], ...changes },
});

type Replaced = Extract<ProtocolEvent, { type: 'ProtocolQuestionnaireReplaced' }>;
const replaced = (changes: Partial<Replaced['data']> = {}): Replaced => ({
  type: 'ProtocolQuestionnaireReplaced',
  data: {
    formId: FORM_ID,
    name: 'Chest pain',
    prompt: 'Ask calmly.',
    questions: [question(1, { id: uuidOf(1), questionText: 'New' })],
    scoreRanges: [],
    ...changes,
  },
});

/** Returns all stored content as a client would send it back. */
const asStored = () => {
  const { questions, scoreRanges } = stored.data;
  return {
    questions: questions.map(({ copiedFrom: _, responseTypeInferred, ...sent }) => ({
      ...sent,
      options: sent.options.map(({ copiedFrom: _, ...item }) => item),
    })),
    scoreRanges: scoreRanges.map(({ copiedFrom: _, ...sent }) => sent),
  };
};

describe('a questionnaire that is replaced', () => {
  it('has the content that was sent and nothing of the old content', () =>
    given(created, stored).when(replace()).then(replaced()));
  it('keeps an omitted name or prompt, and clears the prompt if null is sent', () => {
    given(created, stored)
      .when(replace({ name: 'Angina' }))
      .then(replaced({ name: 'Angina' }));
    given(created, stored)
      .when(replace({ prompt: null }))
      .then(replaced({ prompt: null }));
  });
  it('is refused, naming the field, if the protocol has no such form', () =>
    given(created, stored)
      .when(replace({ formId: UNKNOWN_ID }))
      .thenRefuses('fields-refused', {
        errors: [{ path: ['formId'], code: 'not-found', message: expect.any(String) }],
      }));
  it('may be of a version before the latest', () =>
    given(created, stored, formWith([], { formId: uuidOf(0xc02), version: 2, copiedFrom: FORM_ID }))
      .when(replace())
      .then(replaced()));
  it('records nothing if nothing changes', () => {
    given(created, stored).when(replace(asStored())).then();
    given(created, stored)
      .when(replace({ ...asStored(), name: 'Chest pain', prompt: 'Ask calmly.' }))
      .then();
  });
  it('records nothing if only the order of lists or keys differs', () => {
    const { questions, scoreRanges } = asStored();
    const reversed = questions.toReversed().map(({ options, ...sent }) => ({
      ...sent,
      metadata: Object.fromEntries(Object.entries(sent.metadata).toReversed()),
      options: options.toReversed(),
    }));
    given(created, stored)
      .when(replace({ questions: reversed, scoreRanges: scoreRanges.toReversed() }))
      .then();
  });
  it('updates its form, which keeps its identity, but the protocol only if its name or its prompt changes', () => {
    given(created, stored)
      .when(replace())
      .thenState((state) => {
        expect(fieldsIn(state)).toMatchObject({ updatedAt: EARLIER });
        expect(formIn(state)).toMatchObject({ id: FORM_ID, version: 1, createdAt: EARLIER, updatedAt: NOW });
      });
    for (const changes of [{ name: 'Angina' }, { prompt: null }]) {
      given(created, stored)
        .when(replace(changes))
        .thenState((state) =>
          expect(fieldsIn(state)).toMatchObject({ ...changes, createdAt: EARLIER, updatedAt: NOW }),
        );
    }
  });
});

describe('the items of a replacement', () => {
  it('keep their id, in upper or lower case, and their copiedFrom', () => {
    const kept = { id: questionId(0xabc), copiedFrom: questionId(9) };
    const copies = formWith([{ ...select(1, [option(1, { copiedFrom: optionId(8) })]), ...kept }], {
      scoreRanges: [{ ...range(1, 0, 1), copiedFrom: rangeId(9) }],
    });
    given(created, copies)
      .when(
        replace({
          questions: [
            {
              id: kept.id.toUpperCase(),
              questionText: 'New',
              options: [{ id: optionId(1), optionText: 'n', score: 0 }],
            },
          ],
          scoreRanges: [{ id: rangeId(1), minScore: 3, maxScore: 4, classification: 'c' }],
        }),
      )
      .then(
        replaced({
          questions: [
            {
              ...select(1, [option(1, { copiedFrom: optionId(8), optionText: 'n', score: 0 })]),
              questionText: 'New',
              ...kept,
            },
          ],
          scoreRanges: [{ ...range(1, 3, 4), classification: 'c', copiedFrom: rangeId(9) }],
        }),
      );
  });
  it('are replaced as a whole, except the type', () =>
    given(created, formWith([{ ...question(1), metadata: { minLength: 1 }, required: true, weight: 5 }]))
      .when(replace({ questions: [{ id: questionId(1), questionText: 'New' }] }))
      .then(replaced({ questions: [question(1, { questionText: 'New' })] })));
  it('get new ids if they have none, or if the form has no such item', () => {
    const other = formWith([question(7)], { formId: uuidOf(0xc02), version: 2, copiedFrom: FORM_ID });
    const foreign = [undefined, UNKNOWN_ID, questionId(7), optionId(1)];
    given(created, stored, other)
      .when(
        replace({
          questions: foreign.map((id) => ({ ...(id && { id }), questionText: 'New' })),
          scoreRanges: [{ id: questionId(1), minScore: 0, maxScore: 1, classification: 'c' }],
        }),
      )
      .thenState((state) => {
        const ids = [...formIn(state).questions, ...formIn(state).scoreRanges].map(({ id }) => id);
        expect(ids).toStrictEqual([1, 2, 3, 4, 5].map(uuidOf));
      });
  });
  it('do not get back an id that an earlier replacement removed', () =>
    given(created, stored)
      .when(replace(), replace({ questions: [{ id: questionId(1), questionText: 'Back' }] }))
      .thenState((state) => expect(formIn(state).questions).toMatchObject([{ id: uuidOf(2) }])));
  it('keep the id of an option that moves to another question', () =>
    given(created, stored)
      .when(
        replace({
          questions: [{ questionText: 'New', options: [{ id: optionId(2), optionText: 'Option 2', score: 2 }] }],
        }),
        { type: 'ReviseOption', data: { optionId: optionId(2), score: 9 } },
      )
      .thenState((state) =>
        expect(formIn(state).questions).toMatchObject([
          {
            id: uuidOf(1),
            options: [{ id: optionId(2), protocolQuestionId: uuidOf(1), score: 9, createdAt: EARLIER }],
          },
        ]),
      ));
  it('may appear only once: a repeated id is refused for questions, score ranges and options of any question', () => {
    const twice = { id: optionId(1), optionText: 'o', score: 0 };
    sending('ReplaceQuestionnaire', {
      ...replace().data,
      questions: [
        { id: questionId(0xa), questionText: 'Q', options: [twice] },
        { id: questionId(0xa).toUpperCase(), questionText: '', options: [{ ...twice, score: 'x' }] },
      ],
      scoreRanges: [1, 2].map((n) => ({ id: rangeId(1), minScore: n, maxScore: n, classification: 'c' })),
    }).isRefusedFor(
      '/questions/1/id duplicate',
      '/questions/1/questionText blank',
      '/questions/1/options/0/id duplicate',
      '/questions/1/options/0/score invalid_type',
      '/scoreRanges/1/id duplicate',
    );
  });
  it('keep their createdAt, and keep their updatedAt if their content is the same', () => {
    const { questions, scoreRanges } = asStored();
    const [first, second] = questions;
    given(created, stored)
      .when(
        replace({
          questions: [
            { ...first, questionText: 'Question 1', metadata: { hint: 'a', minLength: 1 } },
            { ...second, questionText: 'Question 2', options: [option(1), option(2, { score: 40 })] },
            { questionText: 'New' },
          ],
          scoreRanges: scoreRanges.map((sent) => ({ ...sent, maxScore: Math.min(sent.maxScore, 9) })),
        }),
      )
      .thenState((state) => {
        const form = formIn(state);
        const kept = { createdAt: EARLIER, updatedAt: EARLIER };
        const changed = { createdAt: EARLIER, updatedAt: NOW };
        const added = { createdAt: NOW, updatedAt: NOW };
        expect(form.questions).toMatchObject([kept, { ...changed, options: [kept, changed] }, added]);
        expect(form.scoreRanges).toMatchObject([kept, changed]);
      });
  });
  it.each<[string, SentReplacement['questions'][number]]>([
    ['loses an option', { ...asStored().questions[1], questionText: 'Question 2', options: [option(1)] }],
    ['moves', { ...asStored().questions[1], questionText: 'Question 2', position: 5 }],
  ])('are updated if they %s', (_, sent) =>
    given(created, stored)
      .when(replace({ questions: [sent] }))
      .thenState((state) => expect(formIn(state).questions).toMatchObject([{ createdAt: EARLIER, updatedAt: NOW }])),
  );
});
