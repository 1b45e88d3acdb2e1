import { describe, expect, it } from 'vitest';
import { protocol } from '../../../src/domain/protocol/decide.js';
import { EARLIER, NOW, specification, uuidOf } from '../../support/specification.js';
import {
  created,
  FORM_ID,
  formIn,
  formWith,
  moves,
  option,
  optionId,
  question,
  questionId,
  select,
  TYPES_WITH_OPTIONS,
  TYPES_WITHOUT_OPTIONS,
  UNKNOWN_ID,
  upTo,
} from '../support/protocol-samples.js';

const { given, sending } = specification(protocol);
const three = formWith([question(1), select(2, [option(1), option(2), option(3)])]);

const added = (changes: Partial<ReturnType<typeof option>>, moved: ReturnType<typeof moves> = []) =>
  ({
    type: 'ProtocolOptionAdded',
    data: {
      formId: FORM_ID,
      questionId: questionId(2),
      responseType: 'SELECT',
      option: option(1, { id: uuidOf(1), optionText: 'New', ...changes }),
      moved,
    },
  }) as const;

const add = (fields: object = {}) =>
  ({
    type: 'AddOption',
    data: { questionId: questionId(2), optionText: 'New', score: 1, ...fields },
  }) as const;

describe('an option that is added', () => {
  it('has the content that was sent, and records which options its position moves', () =>
    given(created, three)
      .when(add({ position: 2, score: -0.25 }))
      .then(added({ position: 2, score: -0.25 }, moves([optionId(2), 3], [optionId(3), 4]))));
  it('appears at its position, dated now, and updates its question and its form, not the other questions', () =>
    given(created, three)
      .when(add({ position: 3 }))
      .thenState((state) => {
        expect(formIn(state)).toMatchObject({
          updatedAt: NOW,
          questions: [{ updatedAt: EARLIER }, { updatedAt: NOW }],
        });
        expect(formIn(state).questions[1]?.options).toStrictEqual([
          { ...option(1), protocolQuestionId: questionId(2), createdAt: EARLIER, updatedAt: EARLIER },
          { ...option(2), protocolQuestionId: questionId(2), createdAt: EARLIER, updatedAt: EARLIER },
          {
            ...option(1, { id: uuidOf(1), optionText: 'New', position: 3 }),
            protocolQuestionId: questionId(2),
            createdAt: NOW,
            updatedAt: NOW,
          },
          { ...option(3, { position: 4 }), protocolQuestionId: questionId(2), createdAt: EARLIER, updatedAt: NOW },
        ]);
      }));
  it.each(TYPES_WITH_OPTIONS)('keeps the type of a %s question', (responseType) =>
    given(created, formWith([question(2, { responseType })]))
      .when(add())
      .thenState((state) => expect(formIn(state).questions[0]).toMatchObject({ responseType, options: [{}] })),
  );
  it('turns a question whose TEXT was inferred into a SELECT', () => {
    given(created, formWith([question(2, { responseTypeInferred: true })]))
      .when(add())
      .then(added({}));
    given(created, formWith([]))
      .when(
        { type: 'AddQuestion', data: { formId: FORM_ID, questionText: 'Q' } },
        add({ questionId: uuidOf(1) }),
        add({ questionId: uuidOf(1), optionText: 'Other' }),
      )
      .thenState((state) =>
        expect(formIn(state).questions).toMatchObject([
          { responseType: 'SELECT', options: [{ optionText: 'New' }, { optionText: 'Other' }] },
        ]),
      );
  });
  it.each(TYPES_WITHOUT_OPTIONS)(
    'is refused by a question of type %s, unless its TEXT was inferred',
    (responseType) => {
      for (const responseTypeInferred of responseType === 'TEXT' ? [false] : [false, true]) {
        given(created, formWith([question(2, { responseType, responseTypeInferred })]))
          .when(add())
          .thenRefuses('options-not-taken', { questionId: questionId(2), responseType });
      }
    },
  );
  it('is refused by a question whose TEXT was inferred first and sent later', () =>
    given(created, formWith([question(2, { responseTypeInferred: true })]))
      .when({ type: 'ReviseQuestion', data: { questionId: questionId(2), responseType: 'TEXT' } }, add())
      .thenRefuses('options-not-taken', { questionId: questionId(2), responseType: 'TEXT' }));

  it('is refused above the limit of 200', () => {
    const withOptions = (count: number) =>
      formWith([
        select(
          2,
          upTo(count).map((n) => option(n)),
        ),
      ]);
    given(created, withOptions(200))
      .when(add({ position: 1 }))
      .thenRefuses('too-many-options', { limit: 200 });
    given(created, withOptions(199))
      .when(add({ position: 1 }))
      .thenState((state) => expect(formIn(state).questions[0]?.options).toHaveLength(200));
  });
  it.each([UNKNOWN_ID, optionId(1)])('is refused if the protocol has no such question: %s', (questionId) =>
    given(created, three).when(add({ questionId })).thenRefuses('question-not-found', { questionId }),
  );
});

describe('the fields of an option', () => {
  it('report all their faults together', () =>
    sending('AddOption', { questionId: 'q', optionText: '\u3164', score: '3', position: -1 }).isRefusedFor(
      '/questionId invalid_format',
      '/optionText blank',
      '/score invalid_type',
      '/position too_small',
    ));
  it('are required, except the position', () =>
    sending('AddOption', {}).isRefusedFor(
      '/questionId invalid_type',
      '/optionText invalid_type',
      '/score invalid_type',
    ));
  it('allow a text of at most 2 000 characters', () => {
    const sent = { questionId: questionId(2), score: 0 };
    sending('AddOption', { ...sent, optionText: 'o'.repeat(2_000) }).isAccepted();
    sending('AddOption', { ...sent, optionText: 'o'.repeat(2_001) }).isRefusedFor('/optionText too_big');
  });
});

describe('an option that is revised', () => {
  const revise = (fields: object) => ({ type: 'ReviseOption', data: { optionId: optionId(2), ...fields } }) as const;
  const revised = (changes: Partial<ReturnType<typeof option>>, moved: ReturnType<typeof moves> = []) =>
    ({
      type: 'ProtocolOptionRevised',
      data: { formId: FORM_ID, questionId: questionId(2), option: option(2, changes), moved },
    }) as const;

  it.each([{ optionText: 'Never' }, { score: 7.5 }, { position: 8 }])(
    'changes only the fields that are sent: %o',
    (changes) => given(created, three).when(revise(changes)).then(revised(changes)),
  );
  it('records nothing if nothing changes', () => {
    given(created, three).when(revise({})).then();
    given(created, three)
      .when(revise({ optionText: 'Option 2', score: 2, position: 2 }))
      .then();
  });
  it('records which options its position moves', () =>
    given(created, three)
      .when(revise({ position: 3 }))
      .then(revised({ position: 3 }, moves([optionId(3), 4]))));
  it('keeps its createdAt, and only changed options are updated', () =>
    given(created, three)
      .when(revise({ position: 1 }))
      .thenState((state) => {
        expect(formIn(state).questions[1]?.options).toMatchObject([
          { id: optionId(2), position: 1, createdAt: EARLIER, updatedAt: NOW },
          { id: optionId(1), position: 2, createdAt: EARLIER, updatedAt: NOW },
          { id: optionId(3), position: 3, createdAt: EARLIER, updatedAt: EARLIER },
        ]);
        expect(formIn(state).questions).toMatchObject([{ updatedAt: EARLIER }, { updatedAt: NOW }]);
        expect(formIn(state)).toMatchObject({ updatedAt: NOW });
      }));
  it('keeps its copiedFrom', () => {
    const copy = { copiedFrom: optionId(9) };
    given(created, formWith([select(2, [option(2, copy)])]))
      .when(revise({ score: 0 }))
      .then(revised({ ...copy, score: 0 }));
  });
  it('may be an option that was just added', () =>
    given(created, three)
      .when(add(), revise({ optionId: uuidOf(1), score: 40 }))
      .thenState((state) => expect(formIn(state).questions[1]?.options[3]).toMatchObject({ score: 40 })));

  it.each([UNKNOWN_ID, questionId(2)])('is refused if the protocol has no such option: %s', (optionId) =>
    given(created, three).when(revise({ optionId })).thenRefuses('option-not-found', { optionId }),
  );
  it.each([
    ['the option', [{ id: questionId(2), questionText: 'Q', responseType: 'SELECT' as const, options: [] }]],
    ['its question', [{ questionText: 'Q' }]],
  ])('is refused after a replacement removed %s', (_, questions) =>
    given(created, three)
      .when(
        { type: 'ReplaceQuestionnaire', data: { formId: FORM_ID, questions, scoreRanges: [] } },
        revise({ score: 1 }),
      )
      .thenRefuses('option-not-found', { optionId: optionId(2) }),
  );
  it('refuses fields of the wrong type, and null where it is not allowed', () =>
    sending('ReviseOption', { optionId: 2, optionText: null, score: null, position: 0.5 }).isRefusedFor(
      '/optionId invalid_type',
      '/optionText invalid_type',
      '/score invalid_type',
      '/position invalid_type',
    ));
});
